import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ChainedRecord } from "../../../lib/turn/desk/audit_chain.ts";
import { AgentAskedError } from "../../../lib/agents/process/seam.ts";
import type { Request } from "../../../lib/policy/request.ts";
import { type RunFolder, runFolderAt } from "../../../lib/run/run_folder.ts";
import { callCli } from "../../support/call_cli.ts";
import { runProgram } from "../../support/program.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { type Act, asks, cast, only, permitting, resumeIn, runIn, says, step, TOKENS } from "./support.ts";

interface Call extends Partial<Request> {
  readonly subject: string;
}

/** An agent that makes calls one after the other, as a CLI with its hooks; `told` has what became of each. */
function calls(told: string[], ...all: readonly Call[]): Act {
  return async (request) => {
    for (const change of all) {
      const call = {
        id: "h1",
        source: "hook",
        kind: "command",
        tool: "Bash",
        cwd: request.workdir,
        ...change,
      } as const;
      const verdict = await request.judge?.judge(call);
      told.push(`${verdict?.decision} ${call.subject}`);
      if (verdict?.decision !== "ask") continue;
      throw new AgentAskedError(verdict.question, { attemptLog: "", usage: TOKENS, seconds: 1, call });
    }
    return await says()(request);
  };
}

async function answer(folder: RunFolder, question: string, text: string): Promise<void> {
  await leaveAnswerFor(folder, { question, answer: text, by: "command", answeredAt: "2026-11-22T10:00:00Z" });
}

async function auditOf(dir: TempDir, run: string): Promise<readonly ChainedRecord[]> {
  const text = await Deno.readTextFile(runFolderAt(dir.path, run).auditPath);
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("a call that the policy puts to a person stops the run; a yes lets that very call pass, once", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const permitted = permitting({ allow: [{ command: "npm test" }] });
  const told: string[] = [];
  const first = cast(calls(told, { subject: "npm test" }, { subject: "npm publish" }));
  const { report, events } = await runIn(dir, [step("a")], { ...first, permitted });
  assertEquals([report.outcome, told], ["waiting", ["allow npm test", "ask npm publish"]]);
  const [asked] = only(events, "question_asked");
  assertStringIncludes(asked?.text ?? "", "The agent asks for permission: the command `npm publish`");
  assertStringIncludes(only(events, "question_waiting")[0]?.answerCommand ?? "", '"yes, or no and why"');

  await answer(report.folder, "q1", "yes");
  const again: string[] = [];
  const agents = cast(calls(again, { subject: "npm publish --tag x" }));
  const run = { run: report.folder.id, permitted };
  // Another call is not the same one.
  const other = await resumeIn(dir, [step("a")], { ...agents, ...run });
  assertEquals([other.report.outcome, again], ["waiting", ["ask npm publish --tag x"]]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", "The person permits it, once.");

  await answer(report.folder, "q2", "no, not on a Sunday");
  const last: string[] = [];
  const refused = cast(
    calls(last, { subject: "npm publish --tag x" }, { subject: "npm publish" }, { subject: "npm publish" }),
  );
  const end = await resumeIn(dir, [step("a")], { ...refused, ...run });
  assertEquals(last, ["deny npm publish --tag x", "allow npm publish", "ask npm publish"]);
  assertStringIncludes(refused.requests[0]?.prompt ?? "", "not on a Sunday");
  assertEquals(end.report.outcome, "waiting");

  const decisions = (await auditOf(dir, report.folder.id)).filter(({ type }) => type === "decision");
  assertEquals(decisions.map(({ decision, rule, command }) => `${decision} ${rule} ${command}`), [
    "allow allow_list npm test",
    "ask allow_list npm publish",
    "ask allow_list npm publish --tag x",
    "deny person npm publish --tag x",
    "allow person npm publish",
    "ask allow_list npm publish",
  ]);
  const decided = only([...events, ...other.events, ...end.events], "call_decided");
  assertEquals(decided.map(({ audit }) => audit.records), [3, 4, 5, 7, 9, 10]);
});

Deno.test("a permission that a model gives counts only where the policy lets it, and is marked as a model's", async () => {
  for (const modelAnswers of ["questions", "all"] as const) {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Build it." });
    const permitted = permitting({}, { autoAccept: false, modelAnswers });
    const first = await runIn(dir, [step("a")], { ...cast(calls([], { subject: "npm publish" })), permitted });
    const { folder } = first.report;
    const given = {
      question: "q1",
      answer: "yes",
      by: "mcp",
      who: "codex",
      answeredAt: "2026-11-22T10:00:00Z",
    } as const;
    await leaveAnswerFor(folder, given);
    const told: string[] = [];
    const agents = cast(calls(told, { subject: "npm publish" }));
    const { report, events } = await resumeIn(dir, [step("a")], { ...agents, run: folder.id, permitted });
    if (modelAnswers === "questions") {
      assertEquals([report.outcome, told, only(events, "question_answered")], ["waiting", [], []]);
      const [warning] = only(events, "warning");
      assertStringIncludes(
        warning?.message ?? "",
        "it was given by a model over MCP (codex), and permissions.model_answers",
      );
      assert(await leaveAnswerFor(folder, { ...given, by: "command" }));
      continue;
    }
    assertEquals([report.outcome, told], ["pass", ["allow npm publish"]]);
    assertEquals(only(events, "question_answered").map(({ by, who }) => [by, who]), [["mcp", "codex"]]);
    const decision = (await auditOf(dir, folder.id)).findLast(({ type }) => type === "decision");
    assertEquals([decision?.decision, decision?.rule], ["allow", "model"]);
    assertStringIncludes(agents.requests[0]?.prompt ?? "", "Another model, in place of the person, permits it, once.");
  }
});

Deno.test("with the switch off a person is asked about all that needs a permission, at every autonomy level", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const told: string[] = [];
  const agents = cast(calls(told, { subject: "npm test" }));
  const permitted = permitting({}, { autoAccept: false });
  const { report, events } = await runIn(dir, [step("a", { autonomyLevel: 0 })], { ...agents, permitted });
  assertEquals([report.outcome, told], ["waiting", ["ask npm test"]]);
  assertEquals(only(events, "step_started").map(({ sandbox, permissions }) => [sandbox, permissions]), [
    ["off", "person"],
  ]);
});

Deno.test("what needs no permission is judged by all but the default", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const permitted = permitting({
    deny: [{ command: "git push" }, { kinds: ["other"] }, { path: "secrets/**" }],
    ask: [{ command: "npm publish" }],
    allow: [{ command: "npm test" }],
  });
  const told: string[] = [];
  const free = (subject: string, more: Partial<Call> = {}): Call => ({ subject, needsPermission: false, ...more });
  const agents = cast(calls(
    told,
    free("sudo ls"),
    free("git push"),
    free(`${dir.path}/secrets/key`, { kind: "file_write", tool: "Write" }),
    free("key", { kind: "patch", tool: "apply_patch", cwd: `${dir.path}/secrets` }),
    free("touch ../secrets/key2", { cwd: `${dir.path}/docs` }),
    free("{}", { kind: "other", tool: "Other" }),
    free("npm run unnamed"),
    free("npm publish"),
  ));
  const { report } = await runIn(dir, [step("a")], { ...agents, permitted });
  assertEquals([report.outcome, agents.requests[0]?.judge?.judgesAll], ["waiting", true]);
  assertEquals(told.map((line) => line.replace(`${dir.path}/`, "")), [
    "deny sudo ls",
    "deny git push",
    "deny secrets/key",
    "deny key",
    "deny touch ../secrets/key2",
    "deny {}",
    "pass npm run unnamed",
    "ask npm publish",
  ]);

  await answer(report.folder, "q1", "yes");
  const again: string[] = [];
  // The CLI of the agent may want a permission for it as well.
  const twice = cast(calls(again, free("npm publish"), { subject: "npm publish" }, free("npm publish")));
  await resumeIn(dir, [step("a")], { ...twice, run: report.folder.id, permitted });
  assertEquals(again, ["pass npm publish", "allow npm publish", "ask npm publish"]);
});

Deno.test("in a dry run a rule refuses nothing that would just run, and a person decides about the rest", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const permitted = permitting({ deny: [{ command: "git push" }] }, { dryRun: true });
  const told: string[] = [];
  const agents = cast(calls(told, { subject: "git push", needsPermission: false }, { subject: "npm test" }));
  const { report, events } = await runIn(dir, [step("a")], { ...agents, permitted });
  assertEquals([report.outcome, told], ["waiting", ["pass git push", "ask npm test"]]);
  assertEquals(only(events, "call_decided").map(({ rule }) => rule), [
    "permissions.deny[0]",
    "dry_run:allow:default",
  ]);
});

Deno.test("no default answer gives a permission", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const permitted = permitting({ default: "ask" });
  const told: string[] = [];
  const agents = cast(calls(told, { subject: "npm test" }), calls(told, { subject: "npm test" }));
  const settings = { answerTimeoutSeconds: 0.01, defaultAnswer: "yes" };
  const { report } = await runIn(dir, [step("a")], { ...agents, permitted, settings });
  assertEquals([report.outcome, told], ["pass", ["ask npm test", "deny npm test"]]);
});

Deno.test("at the terminal a permission is asked about until there is a yes or a no; a question of an agent's tool is one", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const permitted = permitting({ default: "ask" });
  const told: string[] = [];
  const question = { kind: "question", tool: "AskUserQuestion", subject: "Which database?" } as const;
  const agents = cast(calls(told, { subject: "npm test" }), calls(told, { subject: "npm test" }, question), says());
  const said = ["perhaps", "yes", "PostgreSQL"];
  const asked: (string | undefined)[] = [];
  const { report } = await runIn(dir, [step("a")], {
    ...agents,
    permitted,
    person({ problem }) {
      asked.push(problem);
      return Promise.resolve(said.shift());
    },
  });
  assertEquals([report.outcome, told], ["pass", ["ask npm test", "allow npm test", "ask Which database?"]]);
  assertEquals(asked, [undefined, "a dialog takes yes or no, and after a no the reason", undefined]);
  assertStringIncludes(agents.requests[2]?.prompt ?? "", "PostgreSQL");
  assert(!agents.requests[2]?.prompt.includes("npm test"));
});

Deno.test("a copy of a run has hooks and heads of its own: it can be resumed beside the original, and both logs verify", async () => {
  await using root = await tempDir();
  const state = `${root.path}/state`;
  const places = ["original", "copy"].map((name) => ({ ...root, path: `${root.path}/${name}` }));
  const [original, copy] = places as [TempDir, TempDir];
  await root.write({ "original/task.md": "Build it." });
  const auditCopy = (run: { readonly id: string }) => `${state}/panewright/audit/${run.id}.ndjson`;
  const permitted = permitting({ allow: [{ command: "npm test" }] });
  const first = cast(asks("Which?"));
  const { report: { folder: { id } } } = await runIn(original, [step("a")], { ...first, permitted, auditCopy });
  await runProgram(["cp", "-a", original.path, copy.path], {
    ...{ cwd: "/", env: { PATH: Deno.env.get("PATH") ?? "" } },
    timeoutMs: 60_000,
  });
  const hookFolders = [];
  for (const dir of [copy, original, copy]) {
    await answer(runFolderAt(dir.path, id), dir === original || hookFolders.length === 0 ? "q1" : "q2", "This.");
    const agents = cast(calls([], { subject: "npm test" }, { subject: "npm publish" }));
    await resumeIn(dir, [step("a")], { ...agents, permitted, auditCopy, run: id });
    hookFolders.push(agents.requests[0]?.ask.hooks?.folder ?? "none");
  }
  assertEquals([hookFolders[0] === hookFolders[1], hookFolders[0] === hookFolders[2]], [false, true]);
  for (const { path: cwd } of places) {
    const { code, stdout, stderr } = await callCli(["audit", "verify", id], { cwd, env: { XDG_STATE_HOME: state } });
    assertEquals(code, 0, stderr);
    assertMatch(stdout, /Compared with \d+ heads? in the run's journal and [2-9] in /);
  }
});

Deno.test("a call to which the agent takes no plain yes is put to a person, whose yes cannot be given either", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const permitted = permitting({ ask: [{ command: "npm test" }] });
  const offers = { allow: false, reject: true };
  const told: string[] = [];
  const { report, events } = await runIn(dir, [step("a")], {
    ...cast(calls(told, { subject: "npm test", offers })),
    permitted,
  });
  assertEquals(told, ["ask npm test"]);
  assertStringIncludes(
    only(events, "question_asked")[0]?.text ?? "",
    "The agent offers no one-time yes, so this can only be refused.",
  );
  await answer(report.folder, "q1", "yes");
  const again: string[] = [];
  const end = await resumeIn(dir, [step("a")], {
    ...cast(calls(again, { subject: "npm test", offers })),
    run: report.folder.id,
    permitted,
  });
  assertEquals(again, ["deny npm test"]);
  assertEquals(only(end.events, "call_decided").map(({ rule }) => rule), ["no_plain_yes"]);
});
