import type { RunState } from "../../../lib/jobs/review_loop/state.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { replayProvider } from "../../../lib/agents/replay/provider.ts";
import { ROLES } from "../../../lib/base/roles.ts";
import { DEFAULT_PERMISSION_POLICY } from "../../../lib/policy/mod.ts";
import { PanewrightError, UsageError } from "../../../lib/base/errors.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { lockWorkdir } from "../../../lib/run/workdir_lock.ts";
import { executeReviewRun } from "../../../lib/jobs/review_loop/execute.ts";
import type { ReviewRunPlan } from "../../../lib/jobs/review_loop/plan.ts";
import { sha256Hex } from "../../../lib/base/text/digest.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { ensureResponseDir, responsePathFor } from "../../../lib/turn/response_files.ts";
import { findLateResponse } from "../../../lib/jobs/review_loop/late_response.ts";
import { keepMessage, readMessage } from "../../../lib/jobs/review_loop/messages.ts";
import { REVIEW_LOOP } from "../../../lib/jobs/review_loop/mod.ts";
import { foldFacts, readFactsOf } from "../../../lib/journal/read_facts.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { execWaiting, writeRun } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { JOB } from "./scripted_agents.ts";

interface Bench extends AsyncDisposable {
  readonly folder: RunFolder;
  record(...events: readonly ReviewFact[]): void;
  /** Leaves a response in the archive and records it. */
  receive(name: string, text: string, turn: Pick<typeof TURN, "turnId" | "role">): Promise<void>;
}

/** Makes the folder that holds the lock. */
async function makeRoot(workdir: string): Promise<string> {
  await Deno.mkdir(`${workdir}/.panewright`);
  return workdir;
}

const TURN = {
  type: "turn_started",
  turnId: "r1-analyst-c1",
  role: "analyst",
  round: 1,
  cycle: 1,
  promptBytes: 9,
} as const;
const SENDING = {
  ...{ type: "message_sending", turnId: "r1-analyst-c1", role: "analyst", terminalId: "%1", what: "prompt" } as const,
  ...{ step: "enter", file: "messages/r1-analyst-c1.md", bytes: 9, sha256: "5" } as const,
};

async function bench(): Promise<Bench> {
  const dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date() });
  const journal = openJournal(folder.journalPath);
  const record = (...events: readonly ReviewFact[]) => events.forEach((event) => journal.append(event));
  record({
    type: "run_started",
    job: "run",
    runId: folder.id,
    workdir: dir.path,
    folder: folder.path,
    startAgent: "analyst",
    task: JOB,
    settings: reviewLoopSettings(),
    origin: { configFile: null, cwd: dir.path, flags: {} },
  });
  return {
    folder,
    record,
    async receive(name, text, { turnId, role }) {
      const archivedAs = `${folder.responsesDir}/${name}`;
      await Deno.writeTextFile(archivedAs, text);
      const bytes = new TextEncoder().encode(text);
      const sha256 = await sha256Hex(bytes);
      record({ type: "response_received", turnId, role, archivedAs, bytes: bytes.length, sha256, seconds: 1 });
    },
    async [Symbol.asyncDispose]() {
      journal[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function readReviewRun(folder: RunFolder): Promise<RunState> {
  const state = await foldFacts(await readFactsOf(REVIEW_LOOP, folder), { job: REVIEW_LOOP, folder });
  assert(state !== undefined);
  return state;
}

Deno.test("a run is read with the responses that its journal names", async () => {
  await using run = await bench();
  run.record(TURN);
  await run.receive("001-analyst.md", "the analysis\r\n", TURN);
  const { loop, responses } = await readReviewRun(run.folder);
  assertEquals([loop.outputs.analyst, responses.length], ["the analysis\n", 1]);
});

Deno.test("a response that was changed or taken away after it was received is not resumed", async () => {
  for (
    const spoil of [(path: string) => Deno.writeTextFile(path, "the analysiS"), (path: string) => Deno.remove(path)]
  ) {
    await using run = await bench();
    run.record(TURN);
    await run.receive("001-analyst.md", "the analysis", TURN);
    await spoil(`${run.folder.responsesDir}/001-analyst.md`);
    await assertRejects(() => readReviewRun(run.folder), PanewrightError, "the response to r1-analyst-c1");
  }
});

Deno.test("a response that was archived right before the process was killed is found", async () => {
  await using run = await bench();
  const path = `${run.folder.responsesDir}/001-analyst.md`;
  run.record(TURN);
  await Deno.writeTextFile(path, "the analysis");
  assertEquals(await findLateResponse(run.folder, await readReviewRun(run.folder)), undefined, "nothing was sent");
  run.record(SENDING);
  const late = await findLateResponse(run.folder, await readReviewRun(run.folder));
  assertEquals([late?.text, late?.event.archivedAs, late?.event.turnId], ["the analysis", path, "r1-analyst-c1"]);
  run.record(late!.event);
  assertEquals((await readReviewRun(run.folder)).loop.outputs.analyst, "the analysis");
});

Deno.test("a response that was archived after its agent was started anew is found as well", async () => {
  await using run = await bench();
  const path = `${run.folder.responsesDir}/001-analyst.md`;
  run.record(TURN, SENDING, { type: "agent_starting", role: "analyst", provider: "codex" });
  await Deno.writeTextFile(path, "the analysis");
  const late = await findLateResponse(run.folder, await readReviewRun(run.folder));
  assertEquals([late?.text, late?.event.archivedAs], ["the analysis", path]);
});

Deno.test("a name that was only reserved in the archive is given back, and stale files are no responses", async () => {
  await using run = await bench();
  run.record(TURN, SENDING);
  await Deno.writeTextFile(`${run.folder.responsesDir}/001-analyst-stale.md`, "of another run");
  await Deno.writeTextFile(`${run.folder.responsesDir}/002-analyst.md`, "");
  assertEquals(await findLateResponse(run.folder, await readReviewRun(run.folder)), undefined);
  assertEquals([...Deno.readDirSync(run.folder.responsesDir)].map(({ name }) => name), ["001-analyst-stale.md"]);
});

Deno.test("of a response that was being copied to the archive only a whole copy is taken", async () => {
  await using run = await bench();
  run.record(TURN, SENDING);
  const { workdir } = (await readReviewRun(run.folder)).head;
  const original = responsePathFor(workdir, "analyst");
  const copy = `${run.folder.responsesDir}/001-analyst.md`;
  await ensureResponseDir(workdir);
  await Deno.writeTextFile(original, "the analysis, all of it");
  await Deno.writeTextFile(copy, "the analysis");
  await Deno.writeTextFile(`${run.folder.responsesDir}/.002-analyst.md.partial`, "the ana");
  assertEquals(await findLateResponse(run.folder, await readReviewRun(run.folder)), undefined);
  assertEquals([...Deno.readDirSync(run.folder.responsesDir)], []);
  assertEquals(await Deno.readTextFile(original), "the analysis, all of it", "it is taken as any response is");

  await Deno.writeTextFile(copy, "the analysis, all of it");
  const late = await findLateResponse(run.folder, await readReviewRun(run.folder));
  assertEquals([late?.text, late?.event.archivedAs], ["the analysis, all of it", copy]);
  await assertRejects(() => Deno.lstat(original), Deno.errors.NotFound);
});

Deno.test("a run that is refused beside another one leaves no folder", async () => {
  await using dir = await tempDir();
  using _other = await lockWorkdir(await makeRoot(dir.path), { runId: "another" });
  const about = {
    permissions: { policy: DEFAULT_PERMISSION_POLICY, hookTrial: "off" },
    handoff: { autoAcceptPermissions: false },
    agents: Object.fromEntries(ROLES.map((role) => [role, { provider: replayProvider }])),
  };
  const plan = { workdir: dir.path, loop: reviewLoopSettings(), job: JOB, ...about } as unknown as ReviewRunPlan;
  const origin = { configFile: null, cwd: dir.path, flags: {} };
  await assertRejects(() => executeReviewRun(origin, { plan }), UsageError, "run another");
  assertEquals([...Deno.readDirSync(`${dir.path}/.panewright/runs`)], []);
});

Deno.test("a run of another command is not resumed", async () => {
  await using dir = await tempDir();
  const id = "20261120-072605-aaaa";
  const folder = await writeRun({ workdir: dir.path, id, events: execWaiting(dir.path, id) });
  await assertRejects(() => readReviewRun(folder), UsageError, 'it is of a run of "panewright exec"');
});

Deno.test("a message is written down once for each time that it is sent, and read as it was", async () => {
  await using run = await bench();
  const prompt = { turnId: "r1-tester", what: "prompt", text: "Test it: é\n" } as const;
  const first = await keepMessage(run.folder, prompt);
  assertEquals([first.file, first.bytes], ["messages/r1-tester.md", 12]);
  assertEquals((await keepMessage(run.folder, prompt)).file, "messages/r1-tester-2.md");
  assertEquals((await keepMessage(run.folder, { ...prompt, what: "reminder" })).file, "messages/r1-tester-reminder.md");
  assertEquals(await readMessage(run.folder, first), prompt.text);
  await Deno.writeTextFile(`${run.folder.path}/${first.file}`, "Test it");
  await assertRejects(() => readMessage(run.folder, first), PanewrightError, "it was changed after it was written");
});
