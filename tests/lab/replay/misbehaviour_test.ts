import { assert, assertEquals, assertRejects } from "@std/assert";
import { RuntimeError, TimeoutError } from "../../../lib/base/errors.ts";
import { responseFileInstruction } from "../../../lib/turn/instruction.ts";
import type { HandoffSettings } from "../../../lib/turn/settings.ts";
import { playTurn } from "../../../lib/turn/play_turn.ts";
import { startAgentTerminal } from "../../../lib/agents/pane/start_agent_terminal.ts";
import type { TerminalStatus } from "../../../lib/base/status.ts";
import { acceptingDesk } from "../../support/accepting_desk.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { setStage, sourceReplayProvider } from "./pane.ts";

interface Played {
  readonly response: string;
  readonly statuses: readonly TerminalStatus[];
  readonly reminders: number;
}

/** Plays one turn of the handoff with a real pane; each further list of steps answers a reminder. */
async function playOn(
  turns: readonly (readonly unknown[])[],
  settings: Partial<HandoffSettings> = {},
): Promise<Played> {
  await using stage = await setStage(turns);
  const { session, workdir, request } = stage;
  const clock = patientClock();
  await using terminal = await startAgentTerminal({ session, provider: sourceReplayProvider, request, clock });
  const statuses: TerminalStatus[] = [];
  let reminders = 0;
  const response = await playTurn(terminal, {
    role: "tester",
    message: `Test it.\n\n${responseFileInstruction(workdir, "tester")}`,
    workdir,
    settings: { pollSeconds: 0.2, idleGraceSeconds: 3, responseTimeoutSeconds: 20, ...settings },
    emit(event) {
      if (event.type === "status") statuses.push(event.status);
      if (event.type === "reminder") reminders = event.number;
    },
    dialogs: acceptingDesk(terminal),
    clock,
  });
  return { response, statuses, reminders };
}

const QUOTES = [
  "I was working, running and exploring. The screen said:",
  "• Working (3s • esc to interrupt)",
  "⠋ tester",
  "› 1. Yes, proceed (y)",
  "  3. No, and tell Codex what to do differently (esc)",
  "  Press enter to confirm or esc to cancel",
  "■ stream disconnected before completion",
];

Deno.test("handoff with a pane: a response file of two pieces is read whole", async () => {
  const { response } = await playOn([[{ respond: { text: "RESULT: PASS\nall of it\n", pauseMs: 800 } }]]);
  assertEquals(response, "RESULT: PASS\nall of it\n");
});

Deno.test("handoff with a pane: a response file that comes after the turn is over is read", async () => {
  const { response, reminders } = await playOn([[
    { think: 300 },
    { respond: { text: "late", afterIdleMs: 1000 } },
    { stream: "Done." },
  ]]);
  assertEquals([response, reminders], ["late", 0]);
});

for (const [what, first] of [["no response file", []], ["an empty response file", [{ respond: "" }]]] as const) {
  Deno.test(`handoff with a pane: ${what} is answered with a reminder`, async () => {
    const { response, reminders } = await playOn(
      [[{ think: 300 }, ...first, { stream: "Done." }], [{ think: 300 }, { respond: "now" }]],
      { idleGraceSeconds: 1, maxFileReminders: 1 },
    );
    assertEquals([response, reminders], ["now", 1]);
  });
}

Deno.test("handoff with a pane: no response file at all ends the turn with an error", async () => {
  await assertRejects(
    () => playOn([[{ think: 300 }, { stream: "Done." }]], { idleGraceSeconds: 1 }),
    RuntimeError,
    "it is missing (last status: completed)",
  );
});

Deno.test("handoff with a pane: without strictness the agent's last answer stands in for the file", async () => {
  const { response } = await playOn(
    [[{ think: 300 }, { stream: "RESULT: PASS" }]],
    { idleGraceSeconds: 1, strictFileHandoff: false },
  );
  assertEquals(response.trim(), "RESULT: PASS");
});

Deno.test("handoff with a pane: a dialog is accepted where that is allowed", async () => {
  const { response, statuses } = await playOn(
    [[{ run: { command: "touch /etc/x", approval: "May I?", ms: 300 } }, { respond: "done" }, { stream: "Done." }]],
    { autoAcceptPermissions: true },
  );
  assertEquals(response, "done");
  assert(statuses.includes("waiting_user_answer"), statuses.join(", "));
});

Deno.test("handoff with a pane: an agent that crashes ends the turn at once", async () => {
  // An hour of grace is not waited for.
  await assertRejects(
    () => playOn([[{ think: 500 }, { crash: {} }]], { idleGraceSeconds: 3600, responseTimeoutSeconds: 7200 }),
    RuntimeError,
    "last status: error",
  );
});

Deno.test("handoff with a pane: an error of the agent ends the turn", async () => {
  await assertRejects(
    () => playOn([[{ think: 500 }, { fail: "We’re experiencing high demand." }]]),
    RuntimeError,
    "last status: error",
  );
});

Deno.test("handoff with a pane: endless work runs into the time limit", async () => {
  await assertRejects(
    () => playOn([[{ endless: true }]], { responseTimeoutSeconds: 2 }),
    TimeoutError,
    "last status: processing",
  );
});

Deno.test("handoff with a pane: an answer that quotes spinners, prompts and dialogs changes nothing", async () => {
  const { response, statuses } = await playOn([[
    { commentary: QUOTES },
    { think: 600 },
    { respond: QUOTES },
    { stream: { text: QUOTES, charactersPerSecond: 300 } },
  ]]);
  assertEquals(response, QUOTES.join("\n"));
  assertEquals(statuses.filter((status) => status === "waiting_user_answer" || status === "error"), []);
});
