import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { resolve } from "@std/path/posix";

const ROOT = new URL("../../", import.meta.url).pathname;
const TEXT = await Deno.readTextFile(`${ROOT}ARCHITECTURE.md`);

/** The walks, with the number of files that each may take. */
const WALKS = [["A prompt", 12], ["A screen", 14], ["An ask", 14], ["Over the Agent Client Protocol", 12]] as const;

Deno.test("ARCHITECTURE.md has at most 150 lines, and names no path that is not there", async () => {
  assert(TEXT.split("\n").length - 1 <= 150);
  const paths = [...TEXT.matchAll(/`([\w.-]+(?:\/[\w.-]*)+|[\w-]+\.(?:ts|md|json|lock))`|\]\(([^)]+)\)/g)]
    .map(([, code, link]) => code ?? link!)
    // Paths of a working directory, and files beside one that the text has just named.
    .filter((path) => !path.startsWith(".") && !["fold.ts", "meter.ts", "progress.ts"].includes(path));
  assert(paths.length > 60, `only ${paths.length} paths were found`);
  const gone = await Array.fromAsync(paths, async (path) => await isThere(path) ? [] : [path]);
  assertEquals(gone.flat(), []);
});

Deno.test("documents name no path of lib or tests that is not there", async () => {
  const documents = ["CONTRIBUTING.md", "SECURITY.md", "README.md"];
  for await (const { name } of Deno.readDir(`${ROOT}docs`)) if (name.endsWith(".md")) documents.push(`docs/${name}`);
  const gone: string[] = [];
  let count = 0;
  for (const document of documents) {
    const text = await Deno.readTextFile(`${ROOT}${document}`);
    for (const [path] of text.matchAll(/(?<![\w/.-])(?:lib|tests)\/[\w./-]*\w(?![\w*])/g)) {
      count++;
      if (!path.endsWith("_") && !await exists(`${ROOT}${path}`)) gone.push(`${document}: ${path}`);
    }
  }
  assert(count > 10, `only ${count} paths were found`);
  assertEquals(gone, []);
});

/** Whether a path is there, below lib/ or below the repository. */
async function isThere(path: string): Promise<boolean> {
  return await exists(`${ROOT}lib/${path}`) || await exists(`${ROOT}${path}`);
}

for (const [walk, most] of WALKS) {
  Deno.test(`ARCHITECTURE.md, ${walk.toLowerCase()}: at most ${most} files, each imported by one before it`, async () => {
    const [section = ""] = (TEXT.split(`### ${walk}`)[1] ?? "").split(/^##/m);
    const files = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => `${ROOT}lib/${path}`);
    assert(files.length >= 8 && files.length <= most, `${files.length} files`);
    const reached = new Set(files.slice(0, 1));
    for (const file of files) {
      assert(reached.has(file), `${file} is imported by none of the files before it`);
      const imports = (await Deno.readTextFile(file)).matchAll(/\b(?:from |import\()"(\.[^"]+)"/g);
      for (const [, path] of imports) reached.add(resolve(file, "..", path!));
    }
  });
}
