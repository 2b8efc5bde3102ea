import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { readRecords } from "../support/journal_records.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { type CodexProject, setUpCodexProject } from "./codex_project.ts";

const RUN = ["run", "panewright.jsonc", "--start-agent", "tester"] as const;
const RUN_TIMEOUT_MS = 120_000;

/** A project whose tester asks before each of its two commands; the work is done already. */
async function setUpGuarded(
  permissions: Readonly<Record<string, unknown>>,
  limits: Readonly<Record<string, unknown>> = {},
): Promise<CodexProject> {
  const project = await setUpCodexProject({ panewright: await panewrightFromSource(), guarded: true });
  const folder = project.sandbox.project;
  await Deno.writeTextFile(`${folder}/greeting.txt`, "hello, world\n");
  const config = {
    provider: "codex",
    prompt_file: "job.md",
    project_test_cmd: ["sh", "check.sh"],
    handoff: { poll_seconds: 0.5 },
    permissions: { accept_cooldown_seconds: 0.5, ...permissions },
    limits,
  };
  await Deno.writeTextFile(`${folder}/panewright.jsonc`, JSON.stringify(config));
  return project;
}

Deno.test("run with the switch off names the dialog, how to attach and how to answer, and stops for a person in time", async () => {
  const panewright = await panewrightFromSource();
  await using project = await setUpGuarded({ dialog_timeout_seconds: 3 });
  const { sandbox, env } = project;
  const options = { cwd: sandbox.project, env, timeoutMs: RUN_TIMEOUT_MS };
  const { code, stderr } = await runProgram([...panewright.argv, ...RUN], options);
  assertEquals(code, 3, stderr);
  assertEquals(
    [...stderr.matchAll(/tester wants to run a command \(terminal %\d+; waits for a person for at most 3 s\)/g)].length,
    1,
  );
  assertStringIncludes(stderr, "| ls");
  assertMatch(stderr, /look at it with: tmux /);
  assertMatch(stderr, /panewright answer \S+ --question q1 yes\|no/);
  assertMatch(stderr, /the dialog waited for 3 s/);
  const audit = await runProgram([...panewright.argv, "audit", "verify"], options);
  assertEquals(audit.code, 0, audit.stderr);
  await sandbox.assertNothingLeft();
});

Deno.test("a person answers the dialogs of a run with panewright answer, and it goes on by itself", async () => {
  const panewright = await panewrightFromSource();
  await using project = await setUpGuarded({ ask: ["ls"], dialog_timeout_seconds: 60 });
  const { sandbox } = project;
  const env = { ...project.env, AUTO_ACCEPT_PERMISSIONS: "1" };
  const options = { cwd: sandbox.project, env, timeoutMs: RUN_TIMEOUT_MS };
  await using run = startProgram([...panewright.argv, ...RUN, "--json"], options);
  const list = async () => (await runProgram([...panewright.argv, "questions", "--json"], options)).stdout;
  const question: Question = JSON.parse(await until(list, (text) => text !== ""));
  assertEquals([question.id, question.step], ["q1", "tester"]);
  assertStringIncludes(question.text, "ls");
  const wrong = await runProgram([...panewright.argv, "answer", question.run, "perhaps"], options);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "a dialog takes yes or no");
  const given = await runProgram([...panewright.argv, "answer", question.run, "--question", "q1", "yes"], options);
  assertEquals(given.code, 0, given.stderr);
  const { code, stdout, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  const dialogs = parseEvents(stdout).filter(({ type }) => type.startsWith("dialog_"));
  assertEquals(dialogs.map(({ type }) => type), [
    "dialog_waiting",
    "dialog_closed",
    "dialog_answered",
    "dialog_answered",
  ]);
  const audit = await runProgram([...panewright.argv, "audit", "show"], options);
  assertEquals(audit.code, 0, audit.stderr);
  assertStringIncludes(audit.stdout, "person");
  assertEquals((await runProgram([...panewright.argv, "questions"], options)).stdout.includes("q1"), false);
  await sandbox.assertNothingLeft();
});

Deno.test("where no hook can be answered, what the policy denies with a key has its screen in the report", async () => {
  const panewright = await panewrightFromSource();
  // It asks again and again.
  await using project = await setUpGuarded({ auto_accept: true, deny: ["ls"] }, { max_same_command: 2 });
  const { sandbox, env } = project;
  // Nobody can listen to hooks in a file.
  const state = `${env["HOME"]}/.local/state/panewright`;
  await Deno.mkdir(state, { recursive: true });
  await Deno.writeTextFile(`${state}/hooks`, "");
  const options = { cwd: sandbox.project, env, timeoutMs: RUN_TIMEOUT_MS };
  const { stderr } = await runProgram([...panewright.argv, ...RUN], options);
  const runs = `${sandbox.project}/.panewright/runs`;
  const folder = `${runs}/${[...Deno.readDirSync(runs)][0]?.name}`;
  const declined = (await readRecords(`${folder}/journal.ndjson`)).filter((record) =>
    record.type === "dialog_answered" && record["answer"] === "decline"
  );
  assert(declined.length > 0, stderr);
  for (const { screen } of declined) {
    const text = await Deno.readTextFile(`${folder}/${screen}`);
    assertStringIncludes(text, "Would you like to run the following command?");
  }
  const report = await runProgram([...panewright.argv, "report", "--format", "json"], options);
  const { items, details } = JSON.parse(report.stdout);
  const shown = items.filter(({ kind }: { kind: string }) => kind === "dialog")
    .flatMap(({ details = [] }: { details?: readonly { kind: string; ref: string }[] }) => details)
    .filter(({ kind }: { kind: string }) => kind === "screen");
  assertEquals(shown.length, declined.length);
  assertStringIncludes(JSON.stringify(details), "Would you like to run the following command?");
  await sandbox.assertNothingLeft();
});

Deno.test("a person at the terminal of a run is asked about a dialog there, and the run goes on with the answer", async () => {
  const panewright = await panewrightFromSource();
  await using project = await setUpGuarded({ auto_accept: true, ask: ["ls"], dialog_timeout_seconds: 60 });
  const { sandbox, env } = project;
  const tmux = (...args: string[]) =>
    runProgram(["tmux", "-L", "person", ...args], { cwd: sandbox.project, env, timeoutMs: 5000 });
  const result = `${sandbox.root}/code`;
  const command = `${panewright.argv.join(" ")} ${RUN.join(" ")}; echo $? > ${result}.new; mv ${result}.new ${result}`;
  await tmux("new-session", "-d", "-x", "120", "-y", "40", "bash", "--norc", "-i");
  await tmux("send-keys", "-l", command);
  await tmux("send-keys", "Enter");
  const screen = await until(
    async () => (await tmux("capture-pane", "-p")).stdout,
    (text) => text.includes("Your answer"),
  );
  assertMatch(screen, /Dialog q1: the tester wants to run a command\n {2}\| ls\n/);
  await tmux("send-keys", "-l", "yes");
  await tmux("send-keys", "Enter");
  assertEquals(await until(() => Deno.readTextFile(result).catch(() => ""), (text) => text !== ""), "0\n");
  await tmux("kill-server");
  await Deno.remove(`${env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}/person`);
  await sandbox.assertNothingLeft();
});

/** Reads something until it is as it should be. */
async function until(read: () => Promise<string>, accept: (text: string) => boolean): Promise<string> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const text = await read();
    if (accept(text)) return text;
    await systemClock.sleep(100);
  }
  assert(false, "nothing fits after 40 seconds");
}

interface Question {
  readonly run: string;
  readonly id: string;
  readonly step: string;
  readonly text: string;
}
