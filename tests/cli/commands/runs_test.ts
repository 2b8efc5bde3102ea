import { assertEquals } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import type { Condition } from "../../../lib/run/condition.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";
import { reviewFinished, writeReview } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

/** An id of a run of 20 November 2026; those with a greater number are newer. */
function runId(number: number): string {
  return `20261120-0${number}0000-aaa${number}`;
}

async function runs(dir: TempDir, options: FakeIoOptions & { readonly args?: readonly string[] } = {}) {
  const io = fakeIo({ cwd: dir.path, ...options });
  assertEquals(await runCli(["runs", ...options.args ?? []], io), 0, io.written.stderr);
  return io.written.stdout;
}

/** The states by the numbers of the runs. */
async function states(dir: TempDir): Promise<readonly (readonly [number, Condition])[]> {
  const rows = (await runs(dir, { args: ["--json"] })).trimEnd().split("\n").map((line) => JSON.parse(line));
  return rows.map(({ run, state }) => [Number(run[10]), state]);
}

Deno.test("runs: of a long journal of a run that is over only the ends are read", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(
    dir,
    [{ type: "warning", message: "x".repeat(100_000) }, reviewFinished("pass")],
    runId(1),
  );
  const text = await Deno.readTextFile(folder.journalPath);
  // Damage in the middle shows only where the middle is read.
  await Deno.writeTextFile(folder.journalPath, text.replace('"warning"', '"warn'));
  assertEquals(await states(dir), [[1, "passed"]]);
  const io = fakeIo({ cwd: dir.path });
  await runCli(["status", "--json"], io);
  assertEquals(JSON.parse(io.written.stdout).state, "unreadable");
});
