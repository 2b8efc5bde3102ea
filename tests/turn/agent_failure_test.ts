import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, PanewrightError, RuntimeError } from "../../lib/base/errors.ts";
import { playTurn } from "../../lib/turn/play_turn.ts";
import type { TurnEvent } from "../../lib/turn/events.ts";
import type { TurnOptions, TurnSeat } from "../../lib/turn/turn.ts";
import type { HandoffSettings } from "../../lib/turn/settings.ts";
import type { Terminal } from "../../lib/turn/terminal.ts";
import type { AgentFailure } from "../../lib/agents/failure.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
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

async function failedTurn(failure: AgentFailure | undefined, more: Partial<TurnOptions> = {}) {
  await using bench = await createBench({ statuses: [[0, "error"]] });
  const { terminal } = failingTerminal(failure);
  const told: AgentFailure[] = [];
  const emit = (event: TurnEvent) => void (event.type === "failure" && told.push(event.failure));
  const options = { ...bench.options(), ...more, emit };
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

/** Plays a turn whose agent writes its response, if any, and fails then. */
async function failsAtLast(
  failure: AgentFailure,
  { response, end }: { readonly response?: string; readonly end?: string },
): Promise<{ readonly played: string; readonly notices: readonly string[]; readonly sent: number }> {
  await using bench = await createBench({ statuses: [[0, "error"]] });
  let sent = 0;
  const notices: string[] = [];
  const terminal: Terminal = {
    ...failingTerminal(failure).terminal,
    describeEnd: () => Promise.resolve(end),
    async submit() {
      sent++;
      if (response !== undefined) await bench.respond("tester", response);
    },
  };
  const emit = (event: TurnEvent) => void (event.type === "notice" && notices.push(event.message));
  const options = { ...bench.options(), emit, role: "tester", message: "Test it." } as const;
  const played = playTurn(terminal, options).catch((error: Error) => `failed: ${error.message}`);
  return { played: await bench.clock.runUntilSettled(played), notices, sent };
}

Deno.test("a response that was written before its turn failed is taken, whatever failed, and nothing more is sent", async () => {
  for (const failureClass of ["usage_limit", "auth", "overloaded", "context", "other"] as const) {
    const failure = { ...FAILURE, class: failureClass };
    const { played, notices, sent } = await failsAtLast(failure, { response: "RESULT: PASS" });
    assertEquals([played, sent], ["RESULT: PASS", 1]);
    assertStringIncludes(notices.join(), "which is taken: ");
    assertStringIncludes(notices.join(), `(${failureClass}; `);
  }
  const { played } = await failsAtLast(FAILURE, { response: "RESULT: PASS", end: "exit code 1" });
  assertEquals(played, "RESULT: PASS");
});

Deno.test("no response is taken of a turn that failed where its end is not proved, or the file is empty or missing", async () => {
  for (
    const { played, notices } of [
      await failsAtLast({ ...FAILURE, isTurnOver: false }, { response: "RESULT: PASS" }),
      await failsAtLast(FAILURE, { response: " \n" }),
      await failsAtLast(FAILURE, {}),
    ]
  ) {
    assertStringIncludes(played, "failed: Cannot finish the turn of tester");
    assertEquals(notices, []);
  }
});

const OVERLOADED: AgentFailure = {
  ...FAILURE,
  class: "overloaded",
  text: "API Error: Repeated 529 Overloaded errors.",
};

/** Plays a turn whose agent fails in the same way `failures` times, and then answers. */
async function retriedTurn(
  failure: AgentFailure,
  { failures, settings, status, expectsResponse = true, mayRecover }: {
    readonly failures: number;
    readonly settings: Partial<HandoffSettings>;
    readonly expectsResponse?: boolean;
    readonly mayRecover?: (times: number) => boolean;
    readonly status?: (second: number) => TerminalStatus | undefined;
  },
) {
  await using bench = await createBench({ statuses: [[0, "error"]] });
  const { clock } = bench;
  let answered = false;
  const sentAt: number[] = [];
  const texts: string[] = [];
  const terminal: Terminal = {
    ...failingTerminal(failure).terminal,
    status: () => Promise.resolve({ status: status?.(clock.elapsedSeconds()) ?? (answered ? "completed" : "error") }),
    async submit(text) {
      texts.push(text);
      sentAt.push(Math.round(clock.elapsedSeconds()));
      if (sentAt.length <= failures) return;
      if (expectsResponse) await bench.respond("tester", "RESULT: PASS");
      answered = true;
    },
  };
  const retries: (number | undefined)[] = [];
  const messages: string[] = [];
  const options: Omit<TurnSeat, "role"> & TurnOptions = {
    ...bench.options(settings),
    expectsResponse,
    mayRecover: () => mayRecover?.(sentAt.length) ?? true,
    emit(event) {
      if (event.type === "failure") retries.push(event.retry?.number);
      if (event.type === "message" && event.message.step === "sent") messages.push(event.message.what);
    },
  };
  const played = playTurn(terminal, { ...options, role: "tester", message: "Test it." });
  const end = await clock.runUntilSettled(played.catch((error: Error) => error.message));
  return { end, sentAt, retries, messages, texts };
}

Deno.test("a passing failure is tried again, each time after twice as long, and the prompt is sent once", async () => {
  const settings = { maxErrorRetries: 5 };
  const { end, sentAt, retries, messages } = await retriedTurn(OVERLOADED, { failures: 3, settings });
  assertEquals(end, "RESULT: PASS");
  assertEquals(sentAt.map((second, index) => second - (sentAt[index - 1] ?? 0)), [0, 30, 60, 120]);
  assertEquals(retries, [1, 2, 3]);
  assertEquals(messages, ["prompt", "continuation", "continuation", "continuation"]);
});

Deno.test("an agent that is to write no response is not asked for one when its turn is tried again", async () => {
  const { end, texts } = await retriedTurn(OVERLOADED, {
    failures: 1,
    settings: { maxErrorRetries: 5 },
    expectsResponse: false,
  });
  assertEquals([end, texts.length], ["", 2]);
  assertStringIncludes(texts[1]!, "Continue the task of the previous prompt");
  assertStringIncludes(texts[1]!, "do not write your response file");
  assertEquals(texts[1]!.includes("RESPONSE FILE INSTRUCTION"), false);
});

Deno.test("the first pause is a setting, and no pause is longer than 15 minutes", async () => {
  const settings = { maxErrorRetries: 9, errorRetrySeconds: 400, responseTimeoutSeconds: 60 };
  const { end, sentAt } = await retriedTurn(OVERLOADED, { failures: 3, settings });
  assertEquals(end, "RESULT: PASS");
  assertEquals(sentAt.map((second, index) => second - (sentAt[index - 1] ?? 0)), [0, 400, 800, 900]);
});

Deno.test("after the last retry the turn has failed, and says so", async () => {
  const { end, sentAt, retries } = await retriedTurn(OVERLOADED, { failures: 9, settings: { maxErrorRetries: 2 } });
  assertStringIncludes(end, "the model server is overloaded or has failed, after 2 retries: ");
  assertEquals([sentAt, retries], [[0, 30, 90], [1, 2, undefined]]);
});

Deno.test("nothing is tried again where that has used its share of the job's tokens, and the turn says so", async () => {
  const { end, sentAt } = await retriedTurn(OVERLOADED, {
    failures: 9,
    settings: { maxErrorRetries: 8 },
    mayRecover: (times) => times < 3,
  });
  assertStringIncludes(end, "what was tried again in vain has used a fifth of the job's tokens");
  assertEquals(sentAt, [0, 30, 90]);
});

Deno.test("nothing is sent where it is not proved that the turn is over", async () => {
  const unproved = { ...OVERLOADED, isTurnOver: false };
  const { end, sentAt } = await retriedTurn(unproved, { failures: 1, settings: { maxErrorRetries: 5 } });
  assertStringIncludes(end, "overloaded");
  assertEquals(sentAt, [0]);
});

for (
  const [what, before] of [
    ["a proof that comes later than the failure shows", { ...OVERLOADED, isTurnOver: false }],
    ["an agent that tells how it failed later than that it did", undefined],
  ] as const
) {
  Deno.test(`${what} is waited for`, async () => {
    await using bench = await createBench({ statuses: [[0, "error"]] });
    const { clock } = bench;
    const { terminal, inputs } = failingTerminal(undefined);
    const failing: Terminal = {
      ...terminal,
      failure: () => Promise.resolve(clock.elapsedSeconds() >= 4 ? OVERLOADED : before),
      async submit(text) {
        inputs.push(text);
        if (inputs.length > 1) await bench.respond("tester", "RESULT: PASS");
      },
      status: () => Promise.resolve({ status: inputs.length > 1 ? "completed" : "error" }),
    };
    const played = playTurn(failing, {
      ...bench.options({ maxErrorRetries: 1 }),
      role: "tester",
      message: "Test it.",
    });
    assertEquals(await clock.runUntilSettled(played), "RESULT: PASS");
    assertEquals(inputs.length, 2);
  });
}

Deno.test("a new agent that shows how its earlier session failed gets its prompt only where that turn is over", async () => {
  for (const isTurnOver of [true, false]) {
    await using bench = await createBench({ statuses: [[0, "error"]] });
    const { terminal, inputs } = failingTerminal(
      { ...FAILURE, isTurnOver },
      () => inputs.length > 0 ? "completed" : "error",
    );
    const failing: Terminal = {
      ...terminal,
      async submit(text) {
        inputs.push(text);
        await bench.respond("tester", "RESULT: PASS");
      },
    };
    const options = { ...bench.options(), settleBeforeSend: true, role: "tester", message: "Test it." } as const;
    const played = playTurn(failing, options).catch((error: Error) => error.message);
    const end = await bench.clock.runUntilSettled(played);
    assertEquals([end === "RESULT: PASS", inputs.length], isTurnOver ? [true, 1] : [false, 0]);
  }
});

Deno.test("what only a person, or another agent, can change is not tried again", async () => {
  for (const failureClass of ["auth", "context", "model"] as const) {
    const { sentAt } = await retriedTurn({ ...OVERLOADED, class: failureClass }, {
      failures: 1,
      settings: { maxErrorRetries: 5, waitForUsageLimitReset: true },
    });
    assertEquals(sentAt, [0], failureClass);
  }
});

Deno.test("a failure of no known class is tried again once, and told word for word", async () => {
  const unknown = { ...OVERLOADED, class: "other" } as const;
  const settings = { maxErrorRetries: 5 };
  const cured = await retriedTurn(unknown, { failures: 1, settings });
  assertEquals([cured.end, cured.sentAt, cured.messages], ["RESULT: PASS", [0, 30], ["prompt", "continuation"]]);
  const { end, retries } = await retriedTurn(unknown, { failures: 2, settings });
  assertStringIncludes(end, 'the agent reports an error, after 1 retry: "API Error: Repeated 529 Overloaded errors."');
  assertEquals(retries, [1, undefined]);
});

Deno.test("a usage limit is waited for where that is set, and the wait is no part of the response timeout", async () => {
  const limited = (): AgentFailure => {
    const resetsAt = new Date(Date.now() + 2 * 3600_000);
    return { ...FAILURE, class: "usage_limit", text: "You've hit your session limit", resetsAt };
  };
  const settings = { responseTimeoutSeconds: 1800 };
  const waited = await retriedTurn(limited(), { failures: 1, settings: { ...settings, waitForUsageLimitReset: true } });
  assertEquals(waited.end, "RESULT: PASS");
  assertEquals(waited.retries, [0]);
  assert((waited.sentAt[1] ?? 0) >= 7229 && (waited.sentAt[1] ?? 0) <= 7232, `${waited.sentAt[1]} s`);
  const { end, sentAt } = await retriedTurn(limited(), { failures: 1, settings });
  assertStringIncludes(end, "the usage limit of its account is reached, until ");
  assertEquals(sentAt, [0]);
});

Deno.test("an agent that is at work again by itself when the retry is due is told nothing", async () => {
  const { end, sentAt, messages } = await retriedTurn(OVERLOADED, {
    failures: 9,
    settings: { maxErrorRetries: 5, responseTimeoutSeconds: 300 },
    status: (second) => second >= 10 ? "processing" : undefined,
  });
  assertStringIncludes(end, "the limit of 300 s passed");
  assertEquals([sentAt, messages], [[0], ["prompt"]]);
});
