import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { UsageError } from "../../lib/base/errors.ts";
import type { Request } from "../../lib/policy/request.ts";
import type { CallJudge, CallVerdict } from "../../lib/agents/process/call_judge.ts";
import { runHeadless } from "../../lib/agents/process/headless.ts";
import type { Step } from "../lab/steps.ts";
import { askedBy, processesWith } from "../agents/process/support.ts";
import { panewrightCommands, panewrightFromSource } from "../support/panewright.ts";
import { setUpHeadlessProject } from "./headless_project.ts";
import { pipelineProject } from "./pipeline_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const done: Step = { do: "say", text: "All done." };

/** Says the same to each call of a command with a word in it, and lets all others pass. */
function judging(word: string, verdict: CallVerdict, judgesAll = true): CallJudge & { readonly calls: Request[] } {
  const calls: Request[] = [];
  return {
    calls,
    judgesAll,
    judge(call) {
      calls.push(call);
      return Promise.resolve(call.subject.includes(word) ? verdict : { decision: "pass" });
    },
  };
}

for (const provider of ["codex", "claude_code"] as const) {
  const args = provider === "codex" ? ["--skip-git-repo-check"] : ["--allowedTools", "Bash"];

  Deno.test(`exec, ${provider}: a call that needs no permission is judged before it runs`, async () => {
    const reason = "The policy denies the command pattern.";
    await using project = await setUpHeadlessProject({
      provider,
      respond: () => [shell("touch good"), shell("touch bad"), done],
    });
    const judge = judging("bad", { decision: "deny", reason });
    const result = await runHeadless(project.request("Do it.", { judge, args }));
    const made = (name: string) => exists(`${project.sandbox.project}/${name}`);
    assertEquals([result.outcome, await made("good"), await made("bad")], ["completed", true, false]);
    assertStringIncludes(result.attemptLog, reason);
    assertEquals(judge.calls.map(({ subject, needsPermission }) => [subject, needsPermission]), [
      ["touch good", false],
      ["touch bad", false],
    ]);
  });

  Deno.test(`exec, ${provider}: a call that a person has to decide about stops the agent before it runs`, async () => {
    await using project = await setUpHeadlessProject({
      provider,
      respond: () => [shell("touch good"), shell("touch bad"), done],
    });
    const judge = judging("bad", { decision: "ask", question: "May it?" });
    const error = await askedBy(runHeadless(project.request("Do it.", { judge, args })));
    assertEquals([error.question, error.known.call?.subject], ["May it?", "touch bad"]);
    assertEquals(await exists(`${project.sandbox.project}/bad`), false);
    assertEquals(await processesWith(project.sandbox.root), []);
  });

  Deno.test(`exec, ${provider}: where its hooks tell nothing, an attempt whose calls must be judged is broken off`, async () => {
    await using project = await setUpHeadlessProject({ provider, respond: () => [shell("touch made"), done] });
    const off = provider === "codex" ? ["--disable", "hooks"] : ["--settings", "{}"];
    const judge = judging("bad", { decision: "deny", reason: "No." });
    const attempt = runHeadless(project.request("Do it.", { judge, args: [...args, ...off] }));
    const error = await assertRejects(() => attempt, UsageError, "which need the hooks of");
    assert(error.hint !== undefined);
    assertEquals(judge.calls, []);
  });
}

for (
  const [verdict, isMade, told] of [
    [{ decision: "allow" }, true, "All done."],
    [{ decision: "deny", reason: "Not on a Sunday." }, false, "Not on a Sunday."],
    [{ decision: "pass" }, false, "needs approval"],
  ] as const
) {
  Deno.test(`exec, claude_code: what needs a permission is answered by the judge: ${verdict.decision}`, async () => {
    await using project = await setUpHeadlessProject({
      provider: "claude_code",
      respond: () => [shell("touch made"), done],
    });
    const judge = judging("made", verdict, false);
    const result = await runHeadless(project.request("Do it.", { judge }));
    assertEquals([result.outcome, await exists(`${project.sandbox.project}/made`)], ["completed", isMade]);
    assertStringIncludes(result.attemptLog, told);
    assertEquals(judge.calls.map(({ needsPermission }) => needsPermission), [true]);
  });
}

for (
  const [provider, resume, permissions] of [
    // It asks for all that is not named.
    ["claude_code", "replay", { auto_accept: true, allow: ["ls"], deny: ["git push"] }],
    // It never asks (codex exec): the rules that name a command decide.
    ["codex", "native", { ask: ["touch"], deny: ["git push"] }],
  ] as const
) {
  Deno.test(`permissions of a step, ${provider}: denied, asked, answered, resumed (${resume}), and all of it in the audit log`, async () => {
    await using project = await pipelineProject({
      panewright: (await panewrightCommands()).find(({ name }) => name === "bundle") ?? await panewrightFromSource(),
      provider,
      resume,
      args: [],
      turnFor: () => [shell("ls"), shell("git push"), shell("touch made.txt"), done],
      config: {
        permissions,
        pipelines: { main: [{ name: "build", prompt: "self", check: { type: "fileExists", path: "made.txt" } }] },
      },
    });
    const stopped = await project.run("exec", "task.md");
    assertEquals(stopped.code, 3, stopped.stderr + stopped.stdout);
    assertStringIncludes(stopped.stdout, "The agent asks for permission: the command `touch made.txt`");
    assertStringIncludes(stopped.stderr, `step 1 "build": ${provider}`);
    assertStringIncludes(stopped.stderr, "sandbox: as its CLI's settings say; permissions: by ");
    assertStringIncludes(stopped.stderr, provider === "codex" ? "approvals never" : "permission mode default");
    assertStringIncludes(stopped.stderr, "refused by permissions.deny[0]: command git push");
    assertEquals(await processesWith(project.sandbox.root), []);
    const made = `${project.sandbox.project}/made.txt`;
    assertEquals(await exists(made), false);

    const [run = ""] = [...Deno.readDirSync(`${project.sandbox.project}/.panewright/runs`)].map(({ name }) => name);
    const unclear = await project.run("answer", run, "perhaps");
    assertEquals(unclear.code, 2);
    assertStringIncludes(unclear.stderr, "takes yes or no");
    assertEquals((await project.run("answer", run, "yes")).code, 0);
    const resumed = await project.run("resume", run);
    assertEquals([resumed.code, await exists(made)], [0, true], resumed.stderr + resumed.stdout);

    const verified = await project.run("audit", "verify", run);
    assertEquals(verified.code, 0, verified.stderr);
    const shown = await project.run("audit", "show", run);
    for (const line of ["deny: command of main/build", "ask: command of main/build", "rule    person: "]) {
      assertStringIncludes(shown.stdout, line);
    }
    // The log is outside of the agent's word: what it loses is noticed.
    await Deno.truncate(`${project.sandbox.project}/.panewright/runs/${run}/audit.ndjson`, 300);
    assertEquals((await project.run("audit", "verify", run)).code, 1);
  });
}

Deno.test("permissions of a step, codex: built-in rules and doubts hold for what it would just run", async () => {
  const encoded = btoa("touch by_pipe\n");
  await using project = await pipelineProject({
    turnFor: () => [
      shell(`echo ${encoded} | base64 -d | sh`),
      shell(`eval "$(printf 'touch by_%s' eval)"`),
      shell("sudo -n touch by_sudo"),
      shell("panewright answer --question q1 yes"),
      shell("touch by_itself"),
      shell("env -S 'touch by_env'"),
      done,
    ],
    config: {
      permissions: { deny: ["git push"] },
      pipelines: { main: [{ name: "build", prompt: "self", check: { type: "none" } }] },
    },
  });
  const { code, stdout, stderr } = await project.run("exec", "task.md");
  assertEquals(code, 3, stderr + stdout);
  assertStringIncludes(stdout, "The agent asks for permission: the command `env -S 'touch by_env'`");
  for (const rule of ["pipe_to_shell", "command_substitution", "sudo", "panewright"]) {
    assertStringIncludes(stderr, `refused by builtin:${rule}: command `);
  }
  const made = [...Deno.readDirSync(project.sandbox.project)].map(({ name }) => name);
  assertEquals(made.filter((name) => name.startsWith("by_")), ["by_itself"]);
});

const SESSION = { tty: true, yield_time_ms: 300 };
const TYPED = `const { session_id } = await tools.exec_command(${JSON.stringify({ cmd: "python3 -i", ...SESSION })});
text(await tools.write_stdin({ session_id, chars: "open('typed', 'w').close()\\n", yield_time_ms: 4000 }));`;

Deno.test("exec, codex: nothing is typed into a command where calls are judged", async () => {
  for (const judgesAll of [false, true]) {
    await using project = await setUpHeadlessProject({
      provider: "codex",
      respond: () => [{ do: "call", tool: "exec", input: TYPED }, done],
    });
    const judge = judging("bad", { decision: "deny", reason: "No." }, judgesAll);
    const result = await runHeadless(project.request("Do it.", { judge }));
    assertEquals([result.outcome, await exists(`${project.sandbox.project}/typed`)], ["completed", !judgesAll]);
    assertStringIncludes(result.attemptLog, `Ran: write_stdin "open('typed', 'w').close()\\n"`);
    if (judgesAll) assertStringIncludes(result.attemptLog, "TTY execution is disabled");
  }
});

Deno.test("exec, codex: one that may type into commands is refused, unless the config accepts that by name", async () => {
  const config = (accept_typed_input: boolean) => ({
    permissions: { deny: ["git push"], accept_typed_input },
    providers: { codex: { args: ["--enable", "unified_exec_tty"] } },
    pipelines: { main: [{ name: "build", prompt: "self", check: { type: "none" } }] },
  });
  await using refusing = await pipelineProject({ turnFor: () => [done], config: config(false) });
  const refused = await refusing.run("exec", "task.md");
  assertEquals([refused.code, refusing.prompts], [2, []], refused.stderr);
  assertStringIncludes(refused.stderr, "do not hold what Codex types into running commands: its argument");
  assertStringIncludes(refused.stderr, '"accept_typed_input": true');

  const turnFor = () => [{ do: "call", tool: "exec", input: TYPED } as const, done];
  await using accepting = await pipelineProject({ turnFor, config: config(true) });
  const accepted = await accepting.run("exec", "task.md");
  assertEquals([accepted.code, await exists(`${accepting.sandbox.project}/typed`)], [0, true], accepted.stderr);
  assertStringIncludes(accepted.stderr, "do not hold what Codex types into running commands");
});

const HOOKS_OFF = `mkdir -p .claude && echo '{"disableAllHooks":true}' > .claude/settings.json\n`;

for (
  const [when, before, steps] of [
    ["before", true, [shell("touch bad")]],
    // It would notice that after a while: at one of the calls.
    ["while it works", false, [shell("sh off.sh"), ...Array.from({ length: 20 }, () => shell("sleep 1; touch bad"))]],
  ] as const
) {
  Deno.test(`exec, claude_code: settings of the project that switch hooks off ${when} do so for none of ours`, async () => {
    await using project = await setUpHeadlessProject({ provider: "claude_code", respond: () => [...steps, done] });
    const cwd = project.sandbox.project;
    await Deno.writeTextFile(`${cwd}/off.sh`, HOOKS_OFF);
    if (before) await new Deno.Command("sh", { args: ["off.sh"], cwd }).output();
    const judge = judging("bad", { decision: "deny", reason: "No." });
    const args = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
    const { outcome } = await runHeadless(project.request("Do it.", { judge, args }));
    assertEquals([outcome, judge.calls.length, await exists(`${cwd}/bad`)], ["completed", steps.length, false]);
  });
}
