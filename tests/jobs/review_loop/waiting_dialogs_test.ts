import { assertEquals } from "@std/assert";
import { readWaitingDialogs } from "../../../lib/jobs/review_loop/waiting_dialogs.ts";
import type { ReviewFact } from "../../../lib/jobs/review_loop/facts.ts";
import { agentReady, dialogWaiting, PROGRAMMER_AT_WORK, reviewStarted, writeRun } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

const ID = "20261120-072605-3fa9";

const AFTERWARDS: readonly (readonly [string, readonly ReviewFact[], readonly string[]])[] = [
  ["nothing", [], ["q1"]],
  ["another role's agent", [{ type: "agent_starting", role: "tester", provider: "codex" }], ["q1"]],
  ["a new agent in its place", [{ type: "agent_starting", role: "programmer", provider: "codex" }], []],
  ["its end", [{ type: "dialog_closed", turnId: "t", role: "programmer", question: "q1", seconds: 3 }], []],
];

for (const [what, events, waiting] of AFTERWARDS) {
  Deno.test(`a dialog that waits, and after it ${what}`, async () => {
    await using dir = await tempDir();
    const before = [reviewStarted(dir.path, ID), ...agentReady(), ...PROGRAMMER_AT_WORK, dialogWaiting(ID, "q1")];
    const folder = await writeRun({ workdir: dir.path, id: ID, events: [...before, ...events] });
    assertEquals((await readWaitingDialogs(folder))?.map(({ question }) => question), waiting);
  });
}
