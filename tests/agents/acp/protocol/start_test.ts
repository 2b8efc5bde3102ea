import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AcpReplyError, AcpStartError } from "../../../../lib/agents/acp/protocol/errors.ts";
import { ACP_QUESTIONS } from "../../../../lib/agents/acp/protocol/questions.ts";
import { patientClock } from "../../../support/patient_clock.ts";
import { ask, type FakeConnectionOptions, openFake } from "./support.ts";

/** The error of an agent that cannot be started, as a person sees it. */
async function startError(options: FakeConnectionOptions): Promise<AcpStartError> {
  return await assertRejects(async () => {
    await using _ = await openFake(options);
  }, AcpStartError);
}

Deno.test("an agent that is not installed", async () => {
  const plan = { argv: ["no-such-agent", "--acp"], env: {}, cwd: "/" } as const;
  const error = await startError({ plan, label: "Gemini CLI", installHint: "Install it: npm i -g @google/gemini-cli" });
  assertEquals(error.message, "Cannot start Gemini CLI: there is no program no-such-agent, or no folder /");
  assertEquals([error.problem, error.hint], ["no_program", "Install it: npm i -g @google/gemini-cli"]);
});

Deno.test("an agent that cannot be executed", async () => {
  const error = await startError({ plan: { argv: ["/etc/passwd"], env: {}, cwd: "/" } });
  assertEquals(error.message, "Cannot start Fake: Failed to spawn '/etc/passwd': Permission denied (os error 13)");
  assertEquals(error.problem, "no_program");
});

Deno.test("an agent that dies at once: its exit code, and its last lines of standard error without colours", async () => {
  const stderr = [
    "old 1",
    "old 2",
    "",
    "\x1b[31mError\x1b[0m: no login",
    "  at login (x.js:1)",
    "see\tthe docs",
    "a",
    "b",
  ];
  const error = await startError({ script: { stderr, exitAtStart: 41 } });
  assertEquals(error.message.split("\n"), [
    "Cannot start Fake: its process has ended (exit code 41)",
    ...["  Error: no login", "    at login (x.js:1)", "  see the docs", "  a", "  b"],
  ]);
  assertEquals(error.problem, "ended");
  assertMatch(error.hint ?? "", /^What it lacks may show when it is started by hand: \/\S+\/fake-agent$/);
});

Deno.test("an agent that prints text and dies: what it printed, where standard error is empty", async () => {
  const error = await startError({ script: { preamble: ["Please upgrade Node.", "You have 18."], exitAtStart: 1 } });
  assertEquals(error.message.split("\n").slice(1), ["  Please upgrade Node.", "  You have 18."]);
});

Deno.test("an agent that is too old to know the protocol stays silent, and is ended", async () => {
  const clock = patientClock({ byHandFromMs: 60_000 });
  const opening = startError({
    ...{ clock, startLimitMs: 60_000 },
    program: "echo Try --help; while read line; do :; done",
    with: { trouble: () => clock.advance(60_000) },
  });
  const error = await opening;
  assertEquals(error.message, "Cannot start Fake: it has not answered within 60 s\n  Try --help");
  assertEquals(error.problem, "silent");
});

Deno.test("an agent that answers the hello with an error, or with something else", async () => {
  const refused = { error: { code: -32603, message: "Internal error", data: { details: "no config\x1b[2J" } } };
  const error = await startError({ script: { initialize: refused } });
  assertEquals(
    error.message,
    'Cannot start Fake: it says "Internal error: no config\\x1b[2J" (error -32603)',
  );
  const later = { code: -32022, message: "Unsupported protocol version", data: { requested: 1, supported: [2, 3] } };
  const { message } = await startError({ script: { initialize: { error: later } } });
  assertEquals(message, "Cannot start Fake: it speaks version 2, 3 of the Agent Client Protocol, and not 1");
  const other = await startError({ script: { initialize: { protocolVersion: "one" } } });
  assertEquals(other.message, "Cannot start Fake: its answer is not as the protocol has it");
  assertEquals([error.problem, other.problem], ["refused", "refused"]);
});

Deno.test("an agent that is not logged in opens no session, until it is", async () => {
  await using fake = await openFake({ script: { login: "api-key" } });
  const { connection, folder } = fake;
  assertEquals(connection.initialized.authMethods, ["api-key"]);
  const error = await assertRejects(() => ask(connection, ACP_QUESTIONS.newSession(folder)), AcpReplyError);
  assertEquals(error.message, 'Cannot open a session with Fake: it says "Authentication required" (error -32000)');
  assertEquals(error.reply.rpcCode, -32000);
  await ask(connection, ACP_QUESTIONS.authenticate("api-key"));
  await ask(connection, ACP_QUESTIONS.newSession(folder));
});

Deno.test("a stop while the agent starts ends it, and is no error of the agent", async () => {
  const stop = new AbortController();
  const opening = openFake({ signal: stop.signal, script: { initialize: "never" } });
  stop.abort(new Error("stopped"));
  await assertRejects(() => opening, Error, "stopped");
});

Deno.test("sessions are resumed and loaded; what a load sends again comes before its reply", async () => {
  await using fake = await openFake({
    script: { modes: ["ask", "auto"], models: ["m1", "m2"] },
    steps: [{ say: "hello" }],
  });
  const { connection, events, folder } = fake;
  const { sessionId, modes, models } = await ask(connection, ACP_QUESTIONS.newSession(folder));
  assertEquals([modes?.current, models?.current], ["ask", "m1"]);
  await ask(connection, ACP_QUESTIONS.prompt(sessionId, "hi"));
  await ask(connection, ACP_QUESTIONS.setMode({ sessionId, modeId: "auto" }));
  await ask(connection, ACP_QUESTIONS.setModel({ sessionId, modelId: "m2" }));
  events.length = 0;
  const state = await ask(connection, ACP_QUESTIONS.load({ sessionId, cwd: folder }));
  assertEquals(events, ["user", "say hello", "mode"]);
  assertEquals([state.modes?.current, state.models?.current], ["auto", "m2"]);
  events.length = 0;
  await ask(connection, ACP_QUESTIONS.resume({ sessionId, cwd: folder }));
  assertEquals(events, []);
  const missing = await assertRejects(
    () => ask(connection, ACP_QUESTIONS.load({ sessionId: "gone", cwd: folder })),
    AcpReplyError,
  );
  assertEquals(missing.reply.rpcCode, -32002);
});
