import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Fault, faultText } from "../../lib/base/ports/fault.ts";
import type { LoggedPrompt } from "../../lib/lab/replay/prompt_log.ts";
import { listRunIds } from "../../lib/run/find_run.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { ANSWERS, GREETER_JOB } from "../support/jobs.ts";
import { type JournalRecord, readRecords } from "../support/journal_records.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const QUESTION = "Which port does the greeter use?";

/** The programmer's turn ends once the message of the tester is surely under way. */
const SCRIPT = {
  roles: {
    programmer: { turns: [[{ think: 4000 }, { respond: ANSWERS.programmer }, { stream: "Done." }]], repeatLast: true },
    programmer_review: { turns: [[{ respond: ANSWERS.programmer_review }, { stream: "Done." }]], repeatLast: true },
    tester: {
      turns: [
        { when: "A message from outside", steps: [{ think: 300 }, { respond: "It has none." }, { stream: "Done." }] },
        { when: "SCENARIO", steps: [{ respond: ANSWERS.tester }, { stream: "Done." }] },
      ],
      repeatLast: true,
    },
  },
};

const CONFIG = {
  provider: "replay",
  providers: { replay: { args: ["--script", "replay.json", "--log", "prompts.ndjson"] } },
  prompt_file: "job.md",
  start_agent: "programmer",
  quiet_seconds: 1,
  limits: { max_rounds: 1, min_review_cycles_before_approval: 1 },
  handoff: { poll_seconds: 0.2, idle_grace_seconds: 10, response_timeout: 60 },
  tmux: { cols: 100, rows: 30 },
};

interface Played {
  readonly records: readonly JournalRecord[];
  readonly killed: boolean;
  readonly message: string;
}

/** Plays the job with a message; where panewright kills itself, the run is resumed, with agents that are alive. */
async function play(fault?: Fault): Promise<Played> {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  const panewright = await panewrightThatStartsFast();
  const files = {
    "job.md": GREETER_JOB,
    "replay.json": JSON.stringify(SCRIPT),
    "panewright.jsonc": JSON.stringify(CONFIG),
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${project}/${name}`, text);
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    startProgram([...panewright.argv, ...args], { cwd: project, env: { ...sandbox.env, ...panewright.env, ...env } });
  const strikes = fault === undefined ? {} : { PANEWRIGHT_FAULT: faultText(fault) };
  await using run = start(["run"], strikes);
  const folder = await until(async () => {
    const [id] = await listRunIds(project);
    return id === undefined ? undefined : runFolderAt(project, id);
  }) as RunFolder;
  const records = () => readRecords(folder.journalPath).catch(() => []);
  await until(async () => (await records()).some(({ type }) => type === "turn_started"));
  await using sending = start(["send", folder.id, "tester", QUESTION, "--json"]);
  const sent = await sending.ended;
  assertEquals(sent.code, 0, sent.stderr);
  const { message } = JSON.parse(sent.stdout);
  const { code, stdout, stderr } = await run.ended;
  const killed = code !== 0;
  assertEquals(killed, fault !== undefined, stdout + stderr);
  if (killed) {
    await using resumed = start(["resume"]);
    const end = await resumed.ended;
    assertEquals(end.code, 0, `${JSON.stringify(fault)}: ${end.stdout}${end.stderr}`);
  }
  const all = await records();
  const of = (type: string) =>
    all.filter((one) => one.type === type && (one["messageId"] === message || one["turnId"] === message));
  const about = JSON.stringify({ fault, records: all.map(({ type, step = "" }) => `${type} ${step}`) });
  assertEquals([of("message_received").length, of("message_started").length, of("message_answered").length], [
    1,
    1,
    1,
  ], about);
  const prompts = (await Deno.readTextFile(`${project}/prompts.ndjson`)).trimEnd().split("\n")
    .map((line): LoggedPrompt => JSON.parse(line)).filter(({ prompt }) => prompt.includes(QUESTION));
  // The agent in its pane outlives panewright: it was told once, whenever that was killed.
  assertEquals(prompts.length, 1, about);
  assertStringIncludes(prompts[0]!.prompt, "not panewright's");
  await sandbox.assertNothingLeft();
  return { records: all, killed, message };
}

Deno.test("a message reaches an agent in its pane while another works, and once, also where panewright is killed", async () => {
  const { records, message } = await play();
  const numberOf = (accept: (record: JournalRecord) => boolean) => {
    const index = records.findIndex((record) => record["turnId"] === message && accept(record));
    assert(index >= 0, JSON.stringify(records.map(({ type }) => type)));
    return index + 1;
  };
  const answered = records.findIndex(({ type }) => type === "message_answered");
  const taken = records.findIndex(({ type, role }) => type === "response_received" && role === "programmer");
  assert(answered < taken, "the message was not sent while the programmer worked");
  const places = [
    numberOf(({ step }) => step === "enter"),
    numberOf(({ type }) => type === "message_sent"),
  ];
  await Promise.all(places.map((number) => play({ when: "before", what: "record", number })));
});
