import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { notedName } from "../../../lib/workspace/checkout.ts";
import { listWorkspaces, noteWorkspace, placesOf } from "../../../lib/workspace/workspace.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { findProcess } from "../../../lib/base/ports/process_table.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { agentReady, reviewFinished, reviewStarted, writeRun } from "../../support/run_folders.ts";
import { useStateHome } from "../../support/state_home.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const DAY_MS = 86_400_000;

/** A run that ended some days ago; its id is as old. */
async function writeReview(
  dir: TempDir,
  { daysAgo, events = [reviewFinished("pass")] }: {
    readonly daysAgo: number;
    readonly events?: readonly ReviewFact[];
  },
): Promise<RunFolder> {
  const startedAt = new Date(Date.now() - daysAgo * DAY_MS);
  const id = idAt(startedAt);
  return await writeRun({ workdir: dir.path, id, startedAt, events: [reviewStarted(dir.path, id), ...events] });
}

function idAt(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-aaaa`;
}

async function clean(dir: TempDir, ...args: readonly string[]): Promise<string> {
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["clean", ...args], io), 0, io.written.stderr);
  return io.written.stdout;
}

async function left(dir: TempDir): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(`${dir.path}/.panewright/runs`)) names.push(name);
  return names.sort();
}

Deno.test("clean --all: never a run that is executed, or whose agents are alive", async () => {
  await using dir = await tempDir();
  const executed = await writeReview(dir, { daysAgo: 40 });
  using _held = await tryLockFile(executed.lockPath, "process 1");
  const self = await findProcess(Deno.pid);
  const alive = agentReady({ pid: Deno.pid, processStart: self?.startTime ?? "" });
  await writeReview(dir, { daysAgo: 30, events: alive });
  const output = await clean(dir, "--keep=0", "--all");
  assertEquals((await left(dir)).length, 2);
  assertStringIncludes(output, "Kept: 1 old run that is executed.\n");
  assertStringIncludes(output, "Kept: 1 old run that has agents that are alive (panewright stop ends them).\n");
});

Deno.test("clean --json: an object a run, and one for all", async () => {
  await using dir = await tempDir();
  const run = await writeReview(dir, { daysAgo: 30 });
  const [removed, cleaned] = (await clean(dir, "--keep=0", "--json")).trimEnd().split("\n").map((one) =>
    JSON.parse(one)
  );
  assertEquals([removed.type, removed.run, removed.state, removed.dryRun], ["removed", run.id, "passed", false]);
  assertEquals(cleaned, { type: "cleaned", v: 1, runs: 1, bytes: removed.bytes, kept: {}, dryRun: false });
});

Deno.test("clean: what a killed run has left of a trial goes with it, and no other's", async () => {
  await using dir = await tempDir();
  using _state = useStateHome(`${dir.path}/state`);
  const run = await writeReview(dir, { daysAgo: 30 });
  const { known, trees } = placesOf();
  await Deno.mkdir(known, { recursive: true });
  for (const [name, of] of [["left", run.id], ["other", "20200101-000000-aaaa"]] as const) {
    const tree = `${trees}/${name}`;
    await Deno.mkdir(tree, { recursive: true });
    await noteWorkspace({
      ...{
        name,
        tree,
        workdir: tree,
        origin: dir.path,
        top: dir.path,
        store: `${dir.path}/store`,
        base: "0".repeat(40),
      },
      ...{ settings: [], madeAt: new Date(0).toISOString(), partOf: { target: notedName(of), as: "base" } },
    });
  }
  await clean(dir, "--keep=0", "--dry-run");
  assertEquals(listWorkspaces().length, 2);
  await clean(dir, "--keep=0");
  assertEquals(listWorkspaces().map(({ name }) => name), ["other"]);
});
