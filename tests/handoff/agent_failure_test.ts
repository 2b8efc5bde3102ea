import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, PanewrightError, RuntimeError } from "../../lib/errors.ts";
import { playTurn } from "../../lib/handoff/play_turn.ts";
import type { HandoffOptions } from "../../lib/handoff/settings.ts";
import type { Terminal } from "../../lib/handoff/terminal.ts";
import type { AgentFailure } from "../../lib/providers/failure.ts";
import type { TerminalStatus } from "../../lib/screen/status.ts";
import { createBench } from "./support.ts";

/** A terminal whose agent fails each turn in the same way, until it is told something that it does. */
function failingTerminal(failure: AgentFailure | undefined, status: () => TerminalStatus = () => "error") {
  const inputs: string[] = [];
  const terminal: Terminal = {
    id: "%1",
    status: () => Promise.resolve({ status: status() }),
    submit: (text) => Promise.resolve(void inputs.push(text)),
    holdsText: () => Promise.resolve(false),
    hasDraft: () => Promise.resolve(false),
    lastOutput: () => Promise.resolve(""),
    describeEnd: () => Promise.resolve(undefined),
    failure: () => Promise.resolve(failure),
  };
  return { terminal, inputs };
}

const FAILURE: AgentFailure = {
  class: "context",
  text: "Prompt is too long",
  evidence: "rule turn-error on row 7 of its screen; API error in its transcript",
  isTurnOver: true,
};

async function failedTurn(failure: AgentFailure | undefined, more: Partial<HandoffOptions> = {}) {
  await using bench = await createBench({ statuses: [[0, "error"]] });
  const { terminal } = failingTerminal(failure);
  const told: AgentFailure[] = [];
  const options = { ...bench.options(), ...more, onFailure: (one: AgentFailure) => void told.push(one) };
  const error = await bench.clock.runUntilSettled(
    assertRejects(() => playTurn(terminal, { ...options, role: "tester", message: "Test it." }), PanewrightError),
  );
  return { error, told };
}

Deno.test("a turn that failed is told with its class, the CLI's own words, and where they stand", async () => {
  const { error, told } = await failedTurn(FAILURE);
  assert(error instanceof RuntimeError);
  assertEquals(
    error.message,
    "Cannot finish the turn of tester in terminal %1: its conversation is too long for the model: " +
      '"Prompt is too long" (context; rule turn-error on row 7 of its screen; API error in its transcript) ' +
      "(last status: error)",
  );
  assertEquals(told, [FAILURE]);
});

Deno.test("an agent that is not logged in needs a person: exit code 3, with the remedy", async () => {
  const { error } = await failedTurn({ ...FAILURE, class: "auth", text: "Invalid API key", remedy: "Log in once." });
  assert(error instanceof HumanInterventionRequiredError);
  assertEquals(error.exitCode, 3);
  assertEquals(error.hint, "Log in once. Then resume the run.");
});

Deno.test("an error about which the agent says nothing is still an error", async () => {
  const { error, told } = await failedTurn(undefined);
  assert(error instanceof RuntimeError);
  assertStringIncludes(error.message, "the agent is in an error state");
  assertEquals(told, []);
});
