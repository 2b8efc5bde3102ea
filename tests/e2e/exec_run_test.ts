import { assert, assertEquals, assertLess, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { abortable } from "../../lib/base/ports/abortable.ts";
import { type Clock, systemClock } from "../../lib/base/ports/clock.ts";
import { runHeadless } from "../../lib/agents/process/headless.ts";
import type { Respond } from "../lab/script.ts";
import type { Step } from "../lab/steps.ts";
import { askedBy, processesWith } from "../agents/process/support.ts";
import type { CliName } from "../support/clis.ts";
import { type HeadlessProject, setUpHeadlessProject } from "./headless_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const commentary = (text: string): Step => ({ do: "say", text, phase: "commentary" });
const done: Step = { do: "say", text: "All done." };

/** It has no code mode. */
const PLAIN_MODEL = "gpt-5.5";

const MODES: readonly { readonly name: string; readonly provider: CliName; readonly model?: string }[] = [
  { name: "Codex in code mode", provider: "codex", model: "gpt-6.1-sol" },
  { name: "Codex with a plain shell tool", provider: "codex", model: PLAIN_MODEL },
  { name: "Claude Code", provider: "claude_code" },
];

/** The agent's processes and ours are gone; the CLIs themselves leave temporary files of theirs. */
async function assertNothingRuns(project: HeadlessProject): Promise<void> {
  assertEquals(await processesWith(project.sandbox.root), []);
}

for (const { name, ...mode } of MODES) {
  const setUp = (respond: Respond) => setUpHeadlessProject({ ...mode, respond });

  Deno.test(`exec, ${name}: seed 004, a normal exit: a step runs to its end, with all that the agent said, ran and saw`, async () => {
    await using project = await setUp(() => [
      { do: "think", text: "I shall look." },
      commentary("I look."),
      shell("echo one; echo two"),
      shell("sh -c 'exit 3'"),
      done,
    ]);
    const result = await runHeadless(allowing(project, "Greet the world — größer!"));
    assertEquals([result.outcome, result.finalText, result.exitCode], ["completed", "All done.", 0]);
    assertEquals(result.timedOut, false);
    const [usage] = Object.values(result.usage);
    assert(usage !== undefined && usage.inputTokens >= 2000 && usage.outputTokens > 0);
    assertEquals(Object.keys(result.usage).length, 1);
    for (const part of ["Said: I look.", "Ran: echo one; echo two", "one\ntwo", "Exit code 3", "Said: All done."]) {
      assertStringIncludes(result.attemptLog, part);
    }
    const types = new Set(project.facts.map(({ type }) => type));
    for (const type of ["session", "said", "reasoned", "ran", "saw", "usage"] as const) assert(types.has(type), type);
    const told = project.facts.flatMap((fact) => fact.type === "ran" ? [fact.command] : []);
    assertEquals(told.filter((command) => command.includes("echo one")).length, 1);
    const prompt = project.server.log.entries.flatMap((entry) => entry.event === "busy" ? [entry.prompt] : [])[0];
    assertStringIncludes(prompt ?? "", "größer");
    await assertNothingRuns(project);
  });

  Deno.test(`exec, ${name}: the agent that asks is stopped, and nothing of it is left`, async () => {
    await using project = await setUp(() => [
      commentary("I look."),
      shell("ls"),
      shell(`panewright ask "Which \\"database\\": A or B?"`),
      done,
    ]);
    const error = await askedBy(runHeadless(project.request("Do it.")));
    assertEquals(error.question, `Which "database": A or B?`);
    assertStringIncludes(error.known.attemptLog, "Said: I look.");
    assertStringIncludes(error.known.attemptLog, "(not ended)");
    assertEquals(project.facts.some((fact) => fact.type === "said" && fact.text === "All done."), false);
    await assertNothingRuns(project);
  });

  // What follows does not depend on how a tool's calls are recorded.
  if (mode.model === PLAIN_MODEL) continue;

  Deno.test(`exec, ${name}: an ask as the very first thing that the agent does is found`, async () => {
    await using project = await setUp(() => [shell("cat-herder ask 'First?'"), done]);
    assertEquals((await askedBy(runHeadless(project.request("Do it.")))).question, "First?");
    await assertNothingRuns(project);
  });

  Deno.test(`exec, ${name}: two steps in the same folder ask at the same time, each its own question`, async () => {
    await using project = await setUp(({ prompts }) => {
      const which = prompts.at(-1)?.includes("first") ? "first" : "second";
      return [commentary("I look."), shell(`panewright ask 'Of the ${which}?'`), done];
    });
    const errors = await Promise.all(
      ["first", "second"].map((which) => askedBy(runHeadless(project.request(`This is the ${which} task.`)))),
    );
    assertEquals(errors.map(({ question }) => question), ["Of the first?", "Of the second?"]);
    assert(errors[0]?.known.sessionId !== errors[1]?.known.sessionId);
    await assertNothingRuns(project);
  });

  Deno.test(`exec, ${name}: the command itself names the question that only the shell knows`, async () => {
    await using project = await setUp(() => [
      shell("test -f nothing-here || panewright ask 'Go on without?'"),
      done,
    ]);
    assertEquals((await askedBy(runHeadless(allowing(project, "Do it.")))).question, "Go on without?");
    await assertNothingRuns(project);
  });

  Deno.test(`exec, ${name}: a session that was stopped by a question is resumed with the answer alone`, async () => {
    await using project = await setUp(({ prompts }) =>
      prompts.length === 1
        ? [commentary("I look."), shell("panewright ask 'Which?'"), done]
        : [{ do: "say", text: `Prompts so far: ${prompts.length}.` }]
    );
    const { known: { sessionId } } = await askedBy(runHeadless(allowing(project, "Do it.")));
    assert(sessionId !== undefined);
    const result = await runHeadless(project.request("Postgres.", { resumeSessionId: sessionId }));
    assertEquals([result.outcome, result.finalText], ["completed", "Prompts so far: 2."]);
    assertEquals(result.sessionId, sessionId);
    assertEquals(result.attemptLog, "Said: Prompts so far: 2.");
  });

  Deno.test(`exec, ${name}: a turn that ends in an error is a failure that says why`, async () => {
    await using project = await setUp(() => [{ do: "refuse", status: 400, message: "No such model, sorry" }]);
    const result = await runHeadless(project.request("Do it."));
    assertEquals(result.outcome, "failed");
    assertStringIncludes(result.error ?? "", "No such model, sorry");
    await assertNothingRuns(project);
  });

  for (
    const [what, stop] of [
      ["Ctrl-C", (abort: AbortController) => abort.abort(new Error("stopped by hand"))],
      ["the time limit", (_: AbortController, limit: PromiseWithResolvers<void>) => limit.resolve()],
    ] as const
  ) {
    Deno.test(`exec, ${name}: ${what} ends the agent with the command that it runs`, async () => {
      const mark = `mark-${crypto.randomUUID()}`;
      await using project = await setUp(() => [shell(`sh -c "while :; do sleep 1; done" ${mark}`), done]);
      const abort = new AbortController();
      // The limit passes when the command runs, however long its start takes.
      const limit = Promise.withResolvers<void>();
      const clock: Clock = {
        ...systemClock,
        sleep: (ms, signal) =>
          ms === 3_600_000 ? abortable(() => limit.promise, signal) : systemClock.sleep(ms, signal),
      };
      const request = allowing(project, "Do it.", { timeLimitSeconds: 3600, clock, signal: abort.signal });
      const attempt = runHeadless(request);
      let settled = false;
      attempt.catch(() => {}).finally(() => settled = true);
      while ((await processesWith(mark)).length === 0) {
        assert(!settled, "the agent did not run the command");
        await systemClock.sleep(50);
      }
      stop(abort, limit);
      if (abort.signal.aborted) await assertRejects(() => attempt, Error, "stopped by hand");
      else assertEquals((await attempt).timedOut, true);
      assertEquals(await processesWith(mark), []);
      await assertNothingRuns(project);
    });
  }
}

/** The shell does not find the launcher: whatever PATH says there, this one is not among it. */
const UNREACHABLE = `touch wip && PATH=/usr/bin:/bin panewright ask 'Lost?'; echo "exit code $?"`;

for (const provider of ["codex", "claude_code"] as const) {
  for (const hooks of [true, false]) {
    Deno.test(`exec, ${provider}, ${hooks ? "with" : "without"} hooks: an ask that the shell cannot start is asked, behind what stands before it`, async () => {
      await using project = await setUpHeadlessProject({
        provider,
        hooks,
        respond: () => [commentary("I look."), shell(UNREACHABLE), done],
      });
      assertEquals((await askedBy(runHeadless(allowing(project, "Do it.")))).question, "Lost?");
      assert(await exists(`${project.sandbox.project}/wip`));
      await assertNothingRuns(project);
    });
  }

  Deno.test(`exec, ${provider}: the hooks alone tell of an ask, before the model hears of its command`, async () => {
    await using project = await setUpHeadlessProject({ provider, respond: () => [shell(UNREACHABLE), done] });
    const request = allowing(project, "Do it.");
    const { openLog: _log, ...headless } = request.provider.headless!;
    const blind = { ...headless, createReader: () => ({ readReport: () => [], readLog: () => [] }) };
    const attempt = runHeadless({ ...request, provider: { ...request.provider, headless: blind } });
    assertEquals((await askedBy(attempt)).question, "Lost?");
    assert(await exists(`${project.sandbox.project}/wip`));
    const { entries } = project.server.log;
    assertEquals(entries.filter((entry) => entry.event === "request" && entry.kind === "main").length, 1);
    assertEquals(await exists(request.ask.hooks?.folder ?? ""), false);
  });

  Deno.test(`exec, ${provider}: what runs before an ask ends first`, async () => {
    await using project = await setUpHeadlessProject({
      provider,
      respond: () => [shell("sleep 1; touch wip; panewright ask 'Now?'"), done],
    });
    assertEquals((await askedBy(runHeadless(allowing(project, "Do it.")))).question, "Now?");
    assert(await exists(`${project.sandbox.project}/wip`));
  });

  Deno.test(`exec, ${provider}: an ask that is not reached stops nobody`, async () => {
    await using project = await setUpHeadlessProject({
      provider,
      respond: () => [shell("true || panewright ask 'No?'"), shell("true || panewright ask 'No?'; echo $?"), done],
    });
    const { outcome, finalText } = await runHeadless(allowing(project, "Do it."));
    assertEquals([outcome, finalText], ["completed", "All done."]);
  });

  for (
    const [who, command] of [
      ["a function", `ask() { panewright ask "$1"; }; ask "From a function?"`],
      ["sh -c", `sh -c 'panewright ask "$0"' 'From sh -c?'`],
      ["a script", "sh ask.sh"],
    ] as const
  ) {
    Deno.test(`exec, ${provider}: ${who} may ask`, async () => {
      await using project = await setUpHeadlessProject({ provider, respond: () => [shell(command), done] });
      await Deno.writeTextFile(`${project.sandbox.project}/ask.sh`, `panewright ask "From a script?"\n`);
      const { question } = await askedBy(runHeadless(allowing(project, "Do it.")));
      assertEquals(question, `From ${who}?`);
      await assertNothingRuns(project);
    });
  }
}

for (
  const [what, bashrc, args] of [
    ["is off", "", ["-c", "features.shell_snapshot=false"]],
    ["fails", "exit 1\n", []],
    ["is slow", "sleep 4\n", []],
  ] as const
) {
  Deno.test(`exec, Codex, where the shell's snapshot ${what}: an ask is found, and found once`, async () => {
    await using project = await setUpHeadlessProject({
      provider: "codex",
      respond: () => [shell(`touch wip && panewright ask "Q?"; echo $?`), done],
    });
    await Deno.writeTextFile(`${project.sandbox.home}/.bashrc`, bashrc);
    const request = project.request("Do it.");
    const { question } = await askedBy(runHeadless({ ...request, args: [...request.args ?? [], ...args] }));
    assertEquals(question, "Q?");
    assert(await exists(`${project.sandbox.project}/wip`));
  });
}

/** A request whose agent may run every command: Claude Code asks for permission otherwise, and nobody is there. */
function allowing(project: HeadlessProject, prompt: string, change: Parameters<HeadlessProject["request"]>[1] = {}) {
  const request = project.request(prompt, change);
  return request.provider.id === "claude_code" ? { ...request, args: ["--allowedTools", "Bash"] } : request;
}

for (const sandboxMode of ["workspace-write", "read-only"] as const) {
  Deno.test(`exec, Codex in the sandbox ${sandboxMode}: an ask is found`, async () => {
    await using project = await setUpHeadlessProject({
      provider: "codex",
      sandboxMode,
      respond: () => [shell(`panewright ask "Is this $((40 + 2))?"`), done],
    });
    const { question } = await askedBy(runHeadless(project.request("Do it.")));
    assertEquals(question, "Is this 42?");
    await assertNothingRuns(project);
  });
}

Deno.test("exec, Codex in the sandbox read-only: a function's ask has the text that it was called with", async () => {
  await using project = await setUpHeadlessProject({
    provider: "codex",
    model: "gpt-5.5",
    sandboxMode: "read-only",
    respond: () => [
      { ...shell(`ask() { panewright ask "$1"; }; ask "Which?"`), args: { yield_time_ms: 1000 } } as Step,
      done,
    ],
  });
  assertEquals((await askedBy(runHeadless(project.request("Do it.")))).question, "Which?");
});

Deno.test("exec, Claude Code without arguments: its permission mode and the calls that it denied are told", async () => {
  await using project = await setUpHeadlessProject({
    provider: "claude_code",
    respond: () => [shell("touch made.txt"), done],
  });
  const result = await runHeadless(project.request("Make it."));
  assertEquals([result.outcome, result.denied], ["completed", ["Bash touch made.txt"]]);
  assertEquals(project.facts.flatMap((fact) => fact.type === "permitted" ? [fact.mode] : []), [
    "permission mode default",
  ]);
  await assertNothingRuns(project);
});

for (const sandboxMode of ["workspace-write", "read-only"] as const) {
  Deno.test(`exec, Codex in the sandbox ${sandboxMode}: that is told before its first word`, async () => {
    await using project = await setUpHeadlessProject({ provider: "codex", sandboxMode, respond: () => [done] });
    const { denied } = await runHeadless(project.request("Do it."));
    assertEquals(denied, sandboxMode === "read-only" ? ["any write: its sandbox is read-only"] : undefined);
    const told = project.facts.filter(({ type }) => type === "permitted" || type === "said");
    assertEquals(told[0], { type: "permitted", mode: `sandbox ${sandboxMode}, approvals never` });
    assertEquals(told.length, 2);
    const args = ["--skip-git-repo-check", "--sandbox", sandboxMode];
    assertEquals((await runHeadless(project.request("Do it.", { args }))).denied, undefined);
  });
}

Deno.test("exec, Codex: an ask that a program of code mode puts together is found", async () => {
  const program =
    "const name = ['pane', 'wright'].join(''); await tools.exec_command({ cmd: `${name} ask 'Built?'` });";
  await using project = await setUpHeadlessProject({
    provider: "codex",
    sandboxMode: "read-only",
    respond: () => [{ do: "call", tool: "exec", input: program }, done],
  });
  const error = await askedBy(runHeadless(project.request("Do it.")));
  assertEquals(error.question, "Built?");
  assertEquals(project.facts.some((fact) => fact.type === "said" && fact.text === "All done."), false);
});

Deno.test("exec, Codex: an ask in the very last record of the log is found", async () => {
  // The client answers such a call itself, and the turn is over with it.
  const call: Step = { do: "call", tool: "shell_command", input: { command: "panewright ask 'Last?'" } };
  await using project = await setUpHeadlessProject({
    provider: "codex",
    respond: () => [commentary("I look."), call, { do: "refuse", status: 400, message: "No more" }],
  });
  assertEquals((await askedBy(runHeadless(project.request("Do it.")))).question, "Last?");
});

Deno.test("exec, Codex: the npm launcher's native child does not survive the ask", async () => {
  await using project = await setUpHeadlessProject({
    provider: "codex",
    respond: () => [shell("sleep 876543 & panewright ask 'Which?'"), done],
  });
  const request = project.request("Do it.");
  const [native] = request.command ?? [];
  const launcher = `${native?.replace(/\/@openai\/codex-[^/]+\/.*$/, "")}/.bin/codex`;
  assertEquals((await askedBy(runHeadless({ ...request, command: [launcher] }))).question, "Which?");
  assertEquals(await processesWith("876543"), []);
  await assertNothingRuns(project);
});

Deno.test("exec, Codex: a usage limit is a failure with the time of its end", async () => {
  const resetsAt = Math.floor(Date.now() / 1000) + 7500;
  await using project = await setUpHeadlessProject({
    provider: "codex",
    respond: () => [{
      do: "refuse",
      status: 429,
      error: { type: "usage_limit_reached", plan_type: "pro", resets_at: resetsAt, resets_in_seconds: 7500 },
    }],
  });
  const { outcome, usageLimit } = await runHeadless(project.request("Do it."));
  assertEquals(outcome, "failed");
  assertStringIncludes(usageLimit?.message ?? "", "usage limit");
  // It is told to the minute.
  assertLess(Math.abs((usageLimit?.resetsAt?.getTime() ?? 0) - resetsAt * 1000), 61_000);
});
