import { assertEquals } from "@std/assert";
import { walk } from "@std/fs";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test("nothing takes a module from Node: in a bundle each is read at every start, and node:path alone takes 10 ms", async () => {
  const found: string[] = [];
  // The only module that is a file of its own in the bundle, which only the process reads that holds a sandbox.
  const apart = [/\/sandbox\/panewright-sandbox\.mjs$/];
  for await (const { path } of walk(`${ROOT}/lib`, { includeDirs: false, skip: apart })) {
    if (/(?:from|import\() ?"node:/.test(await Deno.readTextFile(path))) found.push(path.slice(ROOT.length));
  }
  assertEquals(found, []);
});

Deno.test("zod is imported by its names: as an object it is bundled as a whole, with the words of 50 languages", async () => {
  const found: string[] = [];
  for await (const { path } of walk(`${ROOT}/lib`, { includeDirs: false })) {
    const text = await Deno.readTextFile(path);
    if (text.includes('from "zod"') && !/import (?:type )?\* as z from "zod"/.test(text)) {
      found.push(path.slice(ROOT.length));
    }
  }
  assertEquals(found, []);
});
