import { assertEquals } from "@std/assert";
import { runProgram } from "../support/program.ts";

import { tempDir } from "../support/temp_dir.ts";

const REPOSITORY = new URL("../../", import.meta.url).pathname;

const PROGRAM = `
const told: string[] = [];
const open = (name: string) => ({
  use: () => told.push("used " + name),
  [Symbol.dispose]: () => void told.push("closed " + name),
  [Symbol.asyncDispose]: () => Promise.resolve(void told.push("closed " + name)),
});
function once() {
  using file = open("file");
  file.use();
}
async function passed() {
  await using look = await Promise.resolve(open("look"));
  const parts = { ...look };
  parts.use();
  return await Promise.resolve(told.push("done"));
}
once();
await passed();
console.log(told.join(", "));
`;

Deno.test("what is to be closed is closed in what is bundled, too", async () => {
  await using dir = await tempDir();
  await dir.write({ "program.ts": PROGRAM });
  const [entry, made] = [`${dir.path}/program.ts`, `${dir.path}/program.mjs`];
  const deno = async (...args: readonly string[]) => {
    const env = { ...Deno.env.toObject(), NO_COLOR: "1" };
    const { code, stderr, stdout } = await runProgram([Deno.execPath(), "run", "--quiet", ...args], {
      ...{ cwd: REPOSITORY, env, timeoutMs: 60_000 },
    });
    assertEquals(code, 0, stderr);
    return stdout;
  };
  await deno("--allow-all", ".ci/bundle.ts", entry, made);
  assertEquals(await deno(made), "used file, closed file, used look, done, closed look\n");
});
