import { assertEquals } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { cleanEnvironment } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";

const MODULE = new URL("../../lib/journal/journal.ts", import.meta.url).href;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const PROGRAM = `import { openJournal } from ${JSON.stringify(MODULE)};
using journal = openJournal(Deno.args[0]);
for (const type of ["first", "second"]) journal.append({ type });
`;

/** Writes three records in a process of its own: how that ends, the records that are whole, and what follows them. */
async function write(fault: string): Promise<readonly [code: number, types: readonly string[], isTorn: boolean]> {
  await using dir = await tempDir();
  await dir.write({ "program.ts": PROGRAM });
  const path = `${dir.path}/journal.ndjson`;
  const { code } = await systemProcessRunner.run({
    argv: [
      ...[Deno.execPath(), "run", "--quiet", "--no-check", "--no-prompt", `--config=${CONFIG}`, "--allow-env"] as const,
      ...["--allow-run", `--allow-read=${dir.path}`, `--allow-write=${dir.path}`, `${dir.path}/program.ts`, path],
    ],
    clearEnv: true,
    env: cleanEnvironment({ PANEWRIGHT_FAULT: fault }),
    timeoutMs: 30_000,
  });
  const lines = (await Deno.readTextFile(path)).split("\n");
  const rest = lines.pop();
  return [code, lines.map((line) => JSON.parse(line).type), rest !== ""];
}

const KILLED_CODE = 137;

for (
  const [fault, ...expected] of [
    ["before-record:2", KILLED_CODE, ["journal_opened"], false],
    ["in-record:2", KILLED_CODE, ["journal_opened"], true],
    ["after-record:2", KILLED_CODE, ["journal_opened", "first"], false],
    ["after-record:first:1", KILLED_CODE, ["journal_opened", "first"], false],
    ["before-record:second:1", KILLED_CODE, ["journal_opened", "first"], false],
    ["after-record:first:2", 0, ["journal_opened", "first", "second"], false],
    ["after-record:9", 0, ["journal_opened", "first", "second"], false],
    ["something else", 0, ["journal_opened", "first", "second"], false],
  ] as const
) {
  Deno.test(`a process that is to be killed ${JSON.stringify(fault)} leaves a journal like this`, async () => {
    assertEquals(await write(fault), expected);
  });
}
