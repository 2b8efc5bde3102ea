import { spoolAt } from "../../../lib/agents/spool.ts";
import { claudeCodeProvider } from "../../../lib/agents/claude_code/provider.ts";
import { assert, assertEquals, assertLess, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, UsageError } from "../../../lib/base/errors.ts";
import { codexProvider } from "../../../lib/agents/codex/provider.ts";
import { exists } from "@std/fs";
import { recordAsk } from "../../../lib/agents/process/ask_channel.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { until } from "../../support/until.ts";
import type { CallJudge } from "../../../lib/agents/process/call_judge.ts";
import { ASK_COMMANDS, askedBy, fakeProject, processesWith, shellCall, started, turnEnd } from "./support.ts";

const ID = "01a1f816-0dae-7f03-9345-5ed7c7967dba";

const said = (text: string) => ({
  do: "log" as const,
  record: {
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
  },
});

Deno.test("seed 004, the signal ends the process: the agent that asks is stopped, and the error carries its question", async () => {
  await using project = await fakeProject();
  const error = await askedBy(
    project.run([started(ID), said("I look."), shellCall("cat-herder ask 'Which database?'"), { do: "hang" }], {
      plan: { threadId: ID },
    }),
  );
  assertEquals(error.question, "Which database?");
  assert(error instanceof HumanInterventionRequiredError);
  assertEquals([error.exitCode, error.known.sessionId], [3, ID]);
  assertStringIncludes(error.message, "Which database?");
});

Deno.test("bug: an ask is found at the top level of the log as well as in response items", async () => {
  await using project = await fakeProject();
  const record = {
    type: "function_call",
    name: "shell",
    call_id: "c1",
    arguments: JSON.stringify({ command: ["bash", "-lc", "cat-herder ask 'At the top?'"] }),
  };
  const error = await askedBy(project.run([started(ID), { do: "log", record }, { do: "hang" }], {
    plan: { threadId: ID },
  }));
  assertEquals(error.question, "At the top?");
});

Deno.test("bug: an ask that is there at the first read of the log is not lost", async () => {
  await using project = await fakeProject();
  // The log is only found once the thread is named, and the ask is its first record then.
  const steps = [shellCall("panewright ask 'First?'"), { do: "wait", ms: 200 }, started(ID), { do: "hang" }] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "First?");
});

Deno.test("bug: an ask that is read only after the process has ended is not lost", async () => {
  await using project = await fakeProject();
  const steps = [started(ID), said("I look."), shellCall("panewright ask 'Last?'"), { do: "exit", code: 0 }] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "Last?");
});

Deno.test("bug: an ask in a last record without line end is not lost", async () => {
  await using project = await fakeProject();
  const line = JSON.stringify(shellCall("panewright ask 'Cut?'")).slice(0);
  const record = JSON.stringify((JSON.parse(line) as { record: unknown }).record);
  const bytes = [...new TextEncoder().encode(record)];
  const steps = [started(ID), said("I look."), { do: "logBytes", bytes }, { do: "exit", code: 0 }] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "Cut?");
});

Deno.test("bug: a grep for the command is no ask", async () => {
  await using project = await fakeProject();
  const result = await project.run([
    started(ID),
    shellCall(`grep "cat-herder ask" README.md`),
    shellCall("echo 'panewright ask x'", "call_2"),
    said("Run panewright ask 'x' yourself."),
    turnEnd("Done."),
    { do: "print", line: { type: "turn.completed", usage: {} } },
  ], { plan: { threadId: ID } });
  assertEquals([result.outcome, result.finalText], ["completed", "Done."]);
});

Deno.test("bug: escaped quotes do not cut the question", async () => {
  await using project = await fakeProject();
  const command = `bash -lc 'panewright ask "Keep \\"id\\" or '"'"'key'"'"'?"'`;
  const error = await askedBy(project.run([started(ID), shellCall(command), { do: "hang" }], {
    plan: { threadId: ID },
  }));
  assertEquals(error.question, `Keep "id" or 'key'?`);
});

Deno.test("bug: characters that arrive in two halves are whole in the question", async () => {
  await using project = await fakeProject();
  const { record } = shellCall("panewright ask 'Größe — ja? 🐈'") as { readonly record: object };
  const bytes = new TextEncoder().encode(`${JSON.stringify(record)}\n`);
  const cut = bytes.indexOf(0xc3) + 1;
  const cat = bytes.indexOf(0xf0) + 2;
  const error = await askedBy(
    project.run([
      started(ID),
      { do: "logBytes", bytes: [...bytes.slice(0, cut)] },
      { do: "wait", ms: 150 },
      { do: "logBytes", bytes: [...bytes.slice(cut, cat)] },
      { do: "wait", ms: 150 },
      { do: "logBytes", bytes: [...bytes.slice(cat)] },
      { do: "hang" },
    ], { plan: { threadId: ID } }),
  );
  assertEquals(error.question, "Größe — ja? 🐈");
});

Deno.test("bug: two runs in parallel each read their own log", async () => {
  await using project = await fakeProject();
  const ids = [crypto.randomUUID(), crypto.randomUUID()];
  const questions = await Promise.all(ids.map(async (id, index) => {
    const steps = [started(id), shellCall(`panewright ask 'Question ${index}?'`), { do: "hang" }] as const;
    return (await askedBy(project.run(steps, { plan: { threadId: id } }))).question;
  }));
  assertEquals(questions, ["Question 0?", "Question 1?"]);
});

Deno.test("seed 004, the active log: without a thread id the new log that names our folder is taken, and no other", async () => {
  await using project = await fakeProject();
  const other = await project.run([shellCall("panewright ask 'Of another folder?'"), turnEnd("Done.")], {
    plan: { cwd: "/elsewhere" },
  });
  assertEquals([other.outcome, other.sessionId], ["completed", undefined]);
  const steps = [shellCall("panewright ask 'Ours?'"), { do: "hang" }] as const;
  assertEquals((await askedBy(project.run(steps))).question, "Ours?");
});

Deno.test("seed 004, the active log: one that was there before is not taken without a thread id, however new", async () => {
  await using project = await fakeProject();
  const run = (question: string) => project.run([shellCall(`panewright ask '${question}'`), { do: "hang" }]);
  assertEquals((await askedBy(run("Before?"))).question, "Before?");
  assertEquals((await askedBy(run("Now?"))).question, "Now?");
});

Deno.test("seed 004, the active log: a new log that names no session and no folder is taken where it is the only one", async () => {
  await using project = await fakeProject();
  const command = ["bash", "-lc", "cat-herder ask 'Which database?'"];
  const call = { type: "function_call", name: "shell", call_id: "call_1", arguments: JSON.stringify({ command }) };
  // Items stood at the top level once.
  for (const record of [{ type: "response_item", payload: call }, call]) {
    const steps = [{ do: "log", record }, { do: "hang" }] as const;
    const error = await askedBy(project.run(steps, { plan: { beginsWithMeta: false } }));
    assertEquals(error.question, "Which database?");
  }
});

Deno.test("without a thread id a log that names our folder is taken before one that names none", async () => {
  await using project = await fakeProject();
  const sessions = `${project.path}/codex/sessions/2026/11/20`;
  const { record } = shellCall("panewright ask 'Of another?'") as { readonly record: object };
  const other = `${sessions}/rollout-2026-11-20T08-00-00-${crypto.randomUUID()}.jsonl`;
  const write = `mkdir -p ${sessions} && printf '%s\\n' "$1" > ${other}`;
  const steps = [
    shellCall("panewright ask 'Ours?'"),
    { do: "run", argv: ["sh", "-c", write, "sh", JSON.stringify(record)] },
    { do: "hang" },
  ] as const;
  assertEquals((await askedBy(project.run(steps))).question, "Ours?");
});

Deno.test("without a thread id none of two new logs of the same folder is taken", async () => {
  await using project = await fakeProject();
  // Both logs are there at the same moment, and before the agents end: then a log is looked for a last time.
  const timestamp = new Date().toISOString();
  for (const question of ["A?", "B?"]) {
    const id = crypto.randomUUID();
    const payload = { id, cwd: `${project.path}/project`, timestamp, source: "exec" };
    const { record } = shellCall(`panewright ask '${question}'`) as { readonly record: object };
    const lines = [{ timestamp, type: "session_meta", payload }, { timestamp, ...record }];
    await Deno.mkdir(`${project.path}/day`, { recursive: true });
    await Deno.writeTextFile(
      `${project.path}/day/rollout-2026-11-20T08-00-00-${id}.jsonl`,
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
  }
  const end = `${project.path}/end`;
  const attempts = [1, 2].map((number) =>
    project.run([
      { do: "spawn", argv: ["touch", `${project.path}/started-${number}`] },
      { do: "waitFor", path: end },
      { do: "exit", code: 0 },
    ])
  );
  for (const number of [1, 2]) await until(() => exists(`${project.path}/started-${number}`));
  await Deno.mkdir(`${project.path}/codex/sessions/2026/11`, { recursive: true });
  await Deno.rename(`${project.path}/day`, `${project.path}/codex/sessions/2026/11/20`);
  await Deno.writeTextFile(end, "");
  const results = await Promise.all(attempts);
  assertEquals(results.map(({ outcome }) => outcome), ["completed", "completed"]);
});

Deno.test("a session that is resumed is read from where it was left", async () => {
  await using project = await fakeProject();
  await askedBy(project.run([started(ID), shellCall("panewright ask 'Before?'"), { do: "hang" }], {
    plan: { threadId: ID },
  }));
  const result = await project.run([started(ID), said("Resumed."), turnEnd("Done.")], {
    plan: { threadId: ID, beginsWithMeta: false },
    resumeSessionId: ID,
  });
  assertEquals([result.outcome, result.finalText, result.sessionId], ["completed", "Done.", ID]);
  assertEquals(result.attemptLog, "Said: Resumed.");
  const again = [started(ID), shellCall("panewright ask 'After?'", "call_9"), { do: "hang" }] as const;
  const error = await askedBy(project.run(again, {
    plan: { threadId: ID, beginsWithMeta: false },
    resumeSessionId: ID,
  }));
  assertEquals(error.question, "After?");
});

Deno.test("bug: nothing of the process tree survives an abort, also what left the group", async () => {
  await using project = await fakeProject();
  const abort = new AbortController();
  const clock = patientClock({ coarseness: 10, byHandFromMs: 1000 });
  const mark = `86${Math.floor(Math.random() * 1e6)}`;
  const attempt = project.run([
    { do: "ignore", signals: ["SIGINT", "SIGTERM"] },
    { do: "spawn", argv: ["sleep", mark] },
    started(ID),
    said("Working."),
    { do: "hang" },
  ], { plan: { threadId: ID }, signal: abort.signal, clock, timeLimitSeconds: 36_000 });
  attempt.catch(() => {});
  await until(() => project.facts.some(({ type }) => type === "said"));
  assertNotEquals(await processesWith(mark), []);
  const startMs = clock.now();
  abort.abort(new Error("stopped by hand"));
  await assertRejects(() => attempt, Error, "stopped by hand");
  assertEquals(await processesWith(mark), []);
  // SIGINT and SIGTERM are ignored: SIGKILL comes after 3 s. The output's end may take its 0.5 s, which are 5 here.
  const seconds = (clock.now() - startMs) / 1000;
  assert(seconds >= 3 && seconds < 10, `${seconds} s`);
});

Deno.test("an agent that ends on SIGINT takes what it left behind along at once", async () => {
  await using project = await fakeProject();
  const mark = `87${Math.floor(Math.random() * 1e6)}`;
  const clock = patientClock({ byHandFromMs: 1000 });
  let askedMs = NaN;
  await askedBy(
    project.run([
      { do: "spawn", argv: ["sleep", mark] },
      started(ID),
      shellCall("panewright ask 'q?'"),
      { do: "hang" },
    ], {
      plan: { threadId: ID },
      clock,
      onProgress: ({ type }) => void (askedMs = type === "ran" ? clock.now() : askedMs),
    }),
  );
  assertEquals(await processesWith(mark), []);
  // Before SIGTERM, which would come a second after SIGINT.
  assertLess(clock.now() - askedMs, 1000);
});

Deno.test("what an agent leaves running when its turn has ended is stopped, too", async () => {
  await using project = await fakeProject();
  const mark = `88${Math.floor(Math.random() * 1e6)}`;
  const result = await project.run([
    { do: "spawn", argv: ["sleep", mark] },
    started(ID),
    turnEnd("Done."),
    { do: "exit", code: 0 },
  ], { plan: { threadId: ID } });
  assertEquals(result.outcome, "completed");
  assertEquals(await processesWith(mark), []);
});

Deno.test("the time limit stops the agent and makes a failure", async () => {
  await using project = await fakeProject();
  const clock = patientClock({ byHandFromMs: 1000 });
  const attempt = project.run([started(ID), said("Working."), { do: "hang" }], {
    plan: { threadId: ID },
    timeLimitSeconds: 3600,
    clock,
  });
  await until(() => project.facts.some(({ type }) => type === "said"));
  clock.advance(3_600_000);
  const result = await attempt;
  assertEquals([result.outcome, result.timedOut], ["failed", true]);
  assertStringIncludes(result.error ?? "", "3600 s");
  assertEquals(result.attemptLog, "Said: Working.");
});

Deno.test("a turn that ended in an error is a failure, whatever the exit code", async () => {
  await using project = await fakeProject();
  const record = {
    type: "event_msg",
    payload: {
      type: "task_complete",
      last_agent_message: null,
      error: { message: "We are overloaded.", codex_error_info: "internal_server_error" },
    },
  };
  const result = await project.run([
    started(ID),
    { do: "log", record },
    { do: "wait", ms: 300 },
    { do: "print", line: { type: "turn.completed", usage: {} } },
    { do: "exit", code: 0 },
  ], { plan: { threadId: ID } });
  assertEquals([result.outcome, result.error], ["failed", "We are overloaded."]);
});

Deno.test("an agent that dies is a failure", async () => {
  await using project = await fakeProject();
  const result = await project.run([started(ID), said("Working."), { do: "exit", code: 7 }], {
    plan: { threadId: ID },
  });
  assertEquals([result.outcome, result.exitCode], ["failed", 7]);
  assertStringIncludes(result.error ?? "", "exited with 7");
});

Deno.test("a usage limit is known with the time of its end", async () => {
  await using project = await fakeProject();
  const resetsAt = 1_795_163_557;
  const result = await project.run([
    started(ID),
    {
      do: "log",
      record: {
        type: "event_msg",
        payload: { type: "token_count", rate_limits: { primary: { used_percent: 100, resets_at: resetsAt } } },
      },
    },
    {
      do: "print",
      line: { type: "turn.failed", error: { message: "You’ve hit your usage limit. Try again later." } },
    },
    { do: "exit", code: 1 },
  ], { plan: { threadId: ID } });
  assertEquals(result.outcome, "failed");
  assertEquals(result.usageLimit?.resetsAt, new Date(resetsAt * 1000));
});

Deno.test("bug: the log of the attempt is not empty: what the agent said, ran and saw", async () => {
  await using project = await fakeProject();
  const error = await askedBy(
    project.run([
      started(ID),
      said("I look."),
      {
        do: "log",
        record: {
          type: "response_item",
          payload: { type: "reasoning", summary: [{ type: "summary_text", text: "Two databases." }] },
        },
      },
      shellCall("ls", "call_1"),
      {
        do: "log",
        record: {
          type: "response_item",
          payload: {
            type: "function_call_output",
            call_id: "call_1",
            output: "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\na.sql\n",
          },
        },
      },
      shellCall("panewright ask 'Which?'", "call_2"),
      // What Codex writes when it is stopped.
      {
        do: "log",
        record: {
          type: "response_item",
          payload: { type: "function_call_output", call_id: "call_2", output: "aborted by user after 0.1s" },
        },
      },
      { do: "hang" },
    ], { plan: { threadId: ID } }),
  );
  assertEquals(error.known.attemptLog.includes("aborted by user"), false);
  for (const part of ["Said: I look.", "Thought: Two databases.", "Ran: ls", "a.sql", "panewright ask 'Which?'"]) {
    assertStringIncludes(error.known.attemptLog, part);
  }
  const log = await project.stepFile("log.txt");
  for (const part of ["said: I look.", "$ ls", "asked: Which?"]) assertStringIncludes(log, part);
  assertEquals(await project.stepFile("reasoning.txt"), "Two databases.\n\n");
  assertStringIncludes(await project.stepFile("raw.ndjson"), "thread.started");
  assertStringIncludes(await project.stepFile("session.ndjson"), "session_meta");
});

Deno.test("a CLI without a session log is known by its report", async () => {
  await using project = await fakeProject();
  const item = (type: "item.started" | "item.completed", fields: Readonly<Record<string, unknown>>) => ({
    do: "print" as const,
    line: { type, item: { id: "item_1", ...fields } },
  });
  const error = await askedBy(
    project.run([
      started(ID),
      item("item.completed", { type: "agent_message", text: "I look." }),
      item("item.started", { type: "command_execution", command: `/bin/bash -lc "panewright ask 'Which?'"` }),
      { do: "hang" },
    ], { plan: { threadId: ID } }),
  );
  assertEquals(error.question, "Which?");
  assertStringIncludes(error.known.attemptLog, "Said: I look.");
});

Deno.test("the command's own record is found where no log tells of it", async () => {
  await using project = await fakeProject();
  const error = await askedBy(
    project.run([started(ID), said("x"), { do: "run", argv: ["panewright", "ask", "From", "the 'command'?"] }], {
      plan: { threadId: ID },
    }),
  );
  assertEquals(error.question, "From the 'command'?");
});

Deno.test("the command is there under the name cat-herder, too", async () => {
  await using project = await fakeProject();
  const steps = [started(ID), { do: "run", argv: ["cat-herder", "ask", "--", "--all?"] }] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "--all?");
});

Deno.test("bug: a question that another attempt left behind is not taken", async () => {
  await using project = await fakeProject();
  const channelFolder = `${project.path}/asks`;
  await recordAsk(channelFolder, { question: "Stale?", attempt: "another", askedAt: "2026-11-20T08:00:00.000Z" });
  const ask = {
    commands: [["panewright", "ask"]] as const,
    channelFolder,
    launcherFolder: `${project.path}/bin`,
  };
  const result = await project.run([started(ID), said("Done."), turnEnd("Done.")], { plan: { threadId: ID }, ask });
  assertEquals(result.outcome, "completed");
});

Deno.test("the prompt goes to standard input, which is closed", async () => {
  await using project = await fakeProject();
  const prompt = `Größe\n${"x".repeat(200_000)}\n-- $HOME "quoted"`;
  const path = `${project.path}/input`;
  await project.run([{ do: "saveInput", path }, turnEnd("Done.")], { prompt });
  assertEquals(await Deno.readTextFile(path), prompt);
});

const turnResult = (text: string) => ({
  do: "print" as const,
  line: { type: "result", subtype: "success", is_error: false, result: text },
});

Deno.test("a CLI that does not end after its turn is stopped, and the turn counts", async () => {
  await using project = await fakeProject(claudeCodeProvider);
  const clock = patientClock({ byHandFromMs: 1000 });
  const attempt = project.run([
    { do: "print", line: { type: "system", subtype: "init", session_id: "s1" } },
    turnResult("Done."),
    { do: "hang" },
  ], { clock });
  await until(async () => (await project.stepFile("raw.ndjson").catch(() => "")).includes("Done."));
  clock.advance(6000);
  const result = await attempt;
  assertEquals([result.outcome, result.finalText, result.sessionId], ["completed", "Done.", "s1"]);
  assertLess(result.seconds, 15);
});

Deno.test("a turn that begins by itself after the end of another is not stopped", async () => {
  await using project = await fakeProject(claudeCodeProvider);
  const message = { id: "m1", model: "m", content: [{ type: "text", text: "The background job is done." }] };
  const clock = patientClock({ byHandFromMs: 1000 });
  const attempt = project.run([
    turnResult("One."),
    { do: "wait", ms: 100 },
    { do: "print", line: { type: "assistant", message } },
    { do: "waitFor", path: `${project.path}/go` },
    turnResult("Two."),
    { do: "exit", code: 0 },
  ], { clock });
  await until(() => project.facts.some((fact) => fact.type === "said" && fact.text.includes("background job")));
  clock.advance(7000);
  await Deno.writeTextFile(`${project.path}/go`, "");
  const result = await attempt;
  assertEquals([result.outcome, result.finalText], ["completed", "Two."]);
});

Deno.test("a report whose last line has no end is read whole", async () => {
  await using project = await fakeProject(claudeCodeProvider);
  const line = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "Done." });
  assertEquals((await project.run([{ do: "printText", text: line }])).finalText, "Done.");
});

Deno.test("a program that is not there is a usage error with the way to install it", async () => {
  await using project = await fakeProject();
  const error = await assertRejects(
    () => project.run([], { command: [`${project.path}/no-such-codex`] }),
    UsageError,
    "no-such-codex",
  );
  assertStringIncludes(error.hint ?? "", "npm install");
});

Deno.test("an agent that is stopped while it still does what comes before its ask has not asked", async () => {
  await using project = await fakeProject();
  const abort = new AbortController();
  const attempt = project.run([started(ID), shellCall("npm test; panewright ask 'Later?'"), { do: "hang" }], {
    plan: { threadId: ID },
    signal: abort.signal,
    onProgress: ({ type }) => type === "ran" && abort.abort(new Error("stopped by hand")),
  });
  await assertRejects(() => attempt, Error, "stopped by hand");
});

Deno.test("an ask in the background of which nobody knows more does not let the step pass", async () => {
  await using project = await fakeProject();
  const output = {
    do: "log" as const,
    record: {
      type: "response_item",
      payload: { type: "function_call_output", call_id: "call_1", output: "Process exited with code 0\n" },
    },
  };
  const steps = [
    started(ID),
    shellCall("npm test && panewright ask 'Behind?' &"),
    output,
    turnEnd("Done."),
    { do: "exit", code: 0 },
  ] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "Behind?");
});

/** Claude Code calls a tool, and has its result. */
const claudeCall = (name: string, input: object, result: object, more: object = {}) =>
  [
    {
      do: "print",
      line: { type: "assistant", message: { id: "m1", content: [{ type: "tool_use", id: "t1", name, input }] } },
    },
    {
      do: "print",
      line: {
        type: "user",
        message: { content: [{ type: "tool_result", tool_use_id: "t1", ...result }] },
        ...more,
      },
    },
  ] as const;

Deno.test("an ask in a command that Claude Code runs in the background does not let the step pass", async () => {
  await using project = await fakeProject(claudeCodeProvider);
  const command = "npm test && panewright ask 'Behind?'";
  const result = { content: "Command running in background with ID: b1." };
  const steps = [
    ...claudeCall("Bash", { command, run_in_background: true }, result, {
      tool_use_result: { backgroundTaskId: "b1" },
    }),
    turnResult("Done."),
    { do: "exit", code: 0 },
  ] as const;
  assertEquals((await askedBy(project.run(steps))).question, "Behind?");
});

for (
  const [what, call, isBrokenOff] of [
    ["a file that was written", claudeCall("Write", { file_path: "a" }, { content: "File created" }), true],
    ["a command", claudeCall("Bash", { command: "ls" }, { content: "a" }), true],
    [
      "a command that failed",
      claudeCall("Bash", { command: "ls" }, { content: "Exit code 2\nno", is_error: true }),
      true,
    ],
    [
      "a command with wrong arguments",
      claudeCall("Bash", { command: "ls" }, { content: "<tool_use_error>Invalid input", is_error: true }),
      false,
    ],
    ["a file that was read", claudeCall("Read", { file_path: "a" }, { content: "1" }), false],
  ] as const
) {
  Deno.test(`calls must be judged, and no hook has told of ${what}: ${isBrokenOff ? "broken off" : "it goes on"}`, async () => {
    await using project = await fakeProject(claudeCodeProvider);
    const judge: CallJudge = { judgesAll: true, judge: () => Promise.resolve({ decision: "pass" }) };
    const folder = `${project.path}/run`;
    const attempt = project.run([...call, turnResult("Done."), { do: "exit", code: 0 }], {
      judge,
      ask: {
        commands: ASK_COMMANDS,
        channelFolder: `${folder}/asks`,
        launcherFolder: `${folder}/bin`,
        hooks: spoolAt(`${folder}/hooks`),
      },
    });
    if (isBrokenOff) await assertRejects(() => attempt, UsageError, "they do not report its calls");
    else assertEquals((await attempt).outcome, "completed");
  });
}

/** It finds no channel, like an ask in a sandbox that only reads. */
const SEEN_ONLY = ["env", "-u", "PANEWRIGHT_ASK_CHANNEL", "panewright", "ask"] as const;

Deno.test("an ask that nothing tells of is seen in the process table while a command runs", async () => {
  await using project = await fakeProject();
  const steps = [
    started(ID),
    shellCall("sh build.sh"),
    { do: "spawn", argv: [...SEEN_ONLY, "Seen?"] },
    { do: "hang" },
  ] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "Seen?");
});

Deno.test("an agent that leaves an ask behind does not pass", async () => {
  await using project = await fakeProject();
  const steps = [
    started(ID),
    { do: "spawn", argv: [...SEEN_ONLY, "Left?"] },
    turnEnd("Done."),
    { do: "exit", code: 0 },
  ] as const;
  assertEquals((await askedBy(project.run(steps, { plan: { threadId: ID } }))).question, "Left?");
});

Deno.test("a CLI that is gone is waited for before anything is asked of it, such as for its sandbox", async () => {
  const there: boolean[] = [];
  const findProblem = async () => {
    there.push(await exists(program));
    return "it is not on";
  };
  await using project = await fakeProject({ ...codexProvider, sandbox: { ...codexProvider.sandbox!, findProblem } });
  const program = `${project.path}/agent`;
  const told: string[] = [];
  const onProgramGone = (text: string) => {
    if (told.push(text) === 1) Deno.writeTextFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  };
  const attempt = project.run([], { command: [program], sandbox: { writable: [] }, onProgramGone });
  await assertRejects(() => attempt, UsageError, "it is not on");
  assertEquals([there, told.length], [[true], 2]);
});
