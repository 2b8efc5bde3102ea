import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readRecords } from "../support/journal_records.ts";
import { parseEvents } from "../support/panewright.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { until } from "../support/until.ts";
import { type ReviewProject, reviewProject } from "./review_project.ts";

const RUN = ["run", "panewright.jsonc", "--start-agent", "tester"] as const;

/** A project whose tester asks before each of its two commands; the work is done already. */
function setUpGuarded(
  permissions: Readonly<Record<string, unknown>>,
  limits: Readonly<Record<string, unknown>> = {},
): Promise<ReviewProject> {
  return reviewProject({
    guarded: true,
    files: { "greeting.txt": "hello, world\n" },
    config: { permissions: { accept_cooldown_seconds: 0.5, ...permissions }, limits },
  });
}

Deno.test("run with the switch off names the dialog, how to attach and how to answer, stops for a person in time, and uses the answer that comes later", async () => {
  await using project = await setUpGuarded({ dialog_timeout_seconds: 3 });
  const { code, stderr } = await project.run(...RUN);
  assertEquals(code, 3, stderr);
  assertEquals(
    [...stderr.matchAll(/tester wants to run a command \(terminal %\d+; waits for a person for at most 3 s\)/g)].length,
    1,
  );
  assertStringIncludes(stderr, "| ls");
  assertMatch(stderr, /look at it with: tmux /);
  assertMatch(stderr, /panewright answer \S+ --question q1 yes\|no/);
  assertStringIncludes(stderr, "The question stays open: answer it, then resume the run.");
  const audit = await project.run("audit", "verify");
  assertEquals(audit.code, 0, audit.stderr);
  await project.sandbox.assertNothingLeft();

  const question: Question = JSON.parse((await project.run("questions", "--json")).stdout);
  assertEquals([question.id, question.step], ["q1", "tester"]);
  assertEquals((await project.run("answer", question.run, "--question", "q1", "yes")).code, 0);
  // The next command is another question, which nobody answers.
  const resumed = await project.run("resume", question.run);
  assertEquals(resumed.code, 3, resumed.stderr);
  const told = await readRecords(`${project.sandbox.project}/.panewright/runs/${question.run}/journal.ndjson`);
  const [given] = told.filter(({ type }) => type === "dialog_answered");
  assertEquals([given?.["subject"], given?.["answer"], given?.["question"]], ["ls", "accept", "q1"]);
  const next: Question = JSON.parse((await project.run("questions", "--json")).stdout);
  assertEquals(next.id, "q2");
  await project.sandbox.assertNothingLeft();
});

Deno.test("a person answers the dialogs of a run with panewright answer, and it goes on by itself", async () => {
  await using project = await setUpGuarded({ auto_accept: true, ask: ["ls"], dialog_timeout_seconds: 60 });
  await using run = project.start(...RUN, "--json");
  const question: Question = JSON.parse(await until(async () => (await project.run("questions", "--json")).stdout));
  assertEquals([question.id, question.step], ["q1", "tester"]);
  assertStringIncludes(question.text, "ls");
  const wrong = await project.run("answer", question.run, "perhaps");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "a dialog takes yes or no");
  const given = await project.run("answer", question.run, "--question", "q1", "yes");
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
  const audit = await project.run("audit", "show");
  assertEquals(audit.code, 0, audit.stderr);
  assertStringIncludes(audit.stdout, "person");
  assertEquals((await project.run("questions")).stdout.includes("q1"), false);
  await project.sandbox.assertNothingLeft();
});

Deno.test("where no hook can be answered, what the policy denies with a key has its screen in the report", async () => {
  // It asks again and again.
  await using project = await setUpGuarded({ auto_accept: true, deny: ["ls"] }, { max_same_command: 2 });
  const { sandbox, env } = project;
  // Nobody can listen to hooks in a file.
  const state = `${env["HOME"]}/.local/state/panewright`;
  await Deno.mkdir(state, { recursive: true });
  await Deno.writeTextFile(`${state}/hooks`, "");
  const { stderr } = await project.run(...RUN);
  const folder = `${sandbox.project}/.panewright/runs/${project.runId()}`;
  const declined = (await readRecords(`${folder}/journal.ndjson`)).filter((record) =>
    record.type === "dialog_answered" && record["answer"] === "decline"
  );
  assert(declined.length > 0, stderr);
  for (const { screen } of declined) {
    const text = await Deno.readTextFile(`${folder}/${screen}`);
    assertStringIncludes(text, "Would you like to run the following command?");
  }
  const report = await project.run("report", "--format", "json");
  const { items, details } = JSON.parse(report.stdout);
  const shown = items.filter(({ kind }: { kind: string }) => kind === "dialog")
    .flatMap(({ details = [] }: { details?: readonly { kind: string; ref: string }[] }) => details)
    .filter(({ kind }: { kind: string }) => kind === "screen");
  assertEquals(shown.length, declined.length);
  assertStringIncludes(JSON.stringify(details), "Would you like to run the following command?");
  await sandbox.assertNothingLeft();
});

Deno.test("a person at the terminal of a run is asked about a dialog there, and the run goes on with the answer", async () => {
  await using project = await setUpGuarded({ auto_accept: true, ask: ["ls"], dialog_timeout_seconds: 60 });
  {
    await using terminal = await openPersonTerminal(project);
    await terminal.command(...project.argv, ...RUN);
    assertMatch(await terminal.shows(/Your answer/), /Dialog q1: the tester wants to run a command\n {2}\| ls\n/);
    await terminal.type("yes");
    await terminal.press("Enter");
    await terminal.shows(/^exit code 0/m);
  }
  await project.sandbox.assertNothingLeft();
});

interface Question {
  readonly run: string;
  readonly id: string;
  readonly step: string;
  readonly text: string;
}
