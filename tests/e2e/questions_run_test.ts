import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startAnthropicServer } from "../lab/anthropic_server.ts";
import type { Step } from "../lab/steps.ts";
import { writeClaudeHome } from "../support/claude_home.ts";
import { installCli } from "../support/clis.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { CHECK, JOB } from "./codex_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

const RUN = ["run", "panewright.jsonc", "--start-agent", "tester"] as const;
const TIMEOUT_MS = 300_000;

const choices = (...labels: readonly string[]) => labels.map((label) => ({ label, description: `Takes ${label}` }));
const QUESTIONS = [
  {
    question: "Which database should we use?",
    header: "Database",
    multiSelect: false,
    options: choices("PostgreSQL", "SQLite"),
  },
  {
    question: "Which features do you want?",
    header: "Features",
    multiSelect: true,
    options: choices("Logs", "Metrics", "Traces"),
  },
  { question: "Which port?", header: "Port", multiSelect: false, options: choices("8080", "80") },
];
const ANSWERS = {
  "Which database should we use?": "SQLite",
  "Which features do you want?": "Logs, Traces, a page",
  "Which port?": "8443, please",
};

interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly [string, ...string[]];
  /** Runs panewright to its end. */
  call(...args: readonly string[]): Promise<ProgramResult>;
  start(...args: readonly string[]): RunningProgram;
  /** What the agent's CLI has on record as the answers, call by call. */
  answers(): Promise<readonly unknown[]>;
}

/** A project whose tester, a real Claude Code, asks something before it writes its response. */
async function setUp(...asked: readonly (typeof QUESTIONS)[]): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const [panewright, cli] = await Promise.all([panewrightFromSource(), installCli("claude_code")]);
  const sandbox = stack.use(await createSandbox());
  const { home, project } = sandbox;
  const server = stack.use(startAnthropicServer({
    respond({ prompts }) {
      const target = responseTargetOf(prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      const calls = asked.map((questions): Step => ({ do: "call", tool: "AskUserQuestion", input: { questions } }));
      const response = "I looked at greeting.txt, it is there.\n\nRESULT: PASS";
      return [...calls.flatMap((call): Step[] => [call, { do: "wait", ms: 300 }]), ...workTurn(target, { response })];
    },
  }));
  const claude = await writeClaudeHome({
    home,
    project,
    baseUrl: server.baseUrl(),
    tmp: sandbox.env["TMPDIR"]!,
    version: cli.version,
  });
  const env = { ...sandbox.env, ...panewright.env, ...claude, PATH: `${cli.binFolder}:${sandbox.env.PATH}` };
  const config = {
    provider: "claude_code",
    providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
    prompt_file: "job.md",
    project_test_cmd: ["sh", "check.sh"],
    handoff: { poll_seconds: 0.5 },
    permissions: { dialog_timeout_seconds: 600 },
  };
  const files = {
    "job.md": JOB,
    "check.sh": CHECK,
    "greeting.txt": "hello, world\n",
    "panewright.jsonc": JSON.stringify(config),
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${project}/${name}`, text);
  const { argv } = panewright;
  const options = { cwd: project, env };
  const resources = stack.move();
  return {
    sandbox,
    env,
    argv,
    call: (...args) => runProgram([...argv, ...args], { ...options, timeoutMs: TIMEOUT_MS }),
    start: (...args) => startProgram([...argv, ...args, "--json"], options),
    async answers() {
      const transcripts = `${home}/.claude/projects`;
      const found: unknown[] = [];
      for await (const folder of Deno.readDir(transcripts)) {
        for await (const { name } of Deno.readDir(`${transcripts}/${folder.name}`)) {
          if (!name.endsWith(".jsonl")) continue;
          const lines = (await Deno.readTextFile(`${transcripts}/${folder.name}/${name}`)).split("\n").slice(0, -1);
          found.push(
            ...lines.map((line) => JSON.parse(line).toolUseResult?.answers).filter((one) => one !== undefined),
          );
        }
      }
      return found;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What waits for an answer, once something does. */
async function waitingQuestion(stage: Stage, id: string) {
  const listed = await until(
    async () => (await stage.call("questions", "--json")).stdout,
    (text) => text.includes(`"id":"${id}"`),
  );
  return JSON.parse(listed) as { readonly run: string; readonly id: string; readonly text: string };
}

Deno.test("questions of an agent are answered with panewright answer, and bad answers are refused", async () => {
  await using stage = await setUp([QUESTIONS[0]!], QUESTIONS);
  await using run = stage.start(...RUN);
  const { run: id, text } = await waitingQuestion(stage, "q1");
  assertStringIncludes(
    text,
    "Which database should we use?\n  1. PostgreSQL: Takes PostgreSQL\n  2. SQLite: Takes SQLite\n",
  );
  const status = (await stage.call("status", id)).stdout;
  assertMatch(
    status,
    /dialog +q1: the tester asks a question.*\n +\| Which database should we use\?\n +\| {3}1\. PostgreSQL/,
  );
  for (
    const [words, problem] of [
      [["3"], '"3" is no choice of "Which database should we use?"'],
      [["yes"], "it takes one of 1 to 2 or a label"],
      [["1,2"], "several choices are too many"],
      [["text:"], "no words follow text:"],
    ] as const
  ) {
    const refused = await stage.call("answer", id, ...words);
    assertEquals([refused.code, refused.stderr.includes(problem)], [2, true], refused.stderr);
  }
  assertEquals((await stage.call("answer", id, "--question", "q1", "SQLite")).code, 0);

  await waitingQuestion(stage, "q2");
  const few = await stage.call("answer", id, "--question", "q2", "1", "2");
  assertEquals([few.code, few.stderr.includes("it takes 3 answers")], [2, true], few.stderr);
  const given = await stage.call(
    "answer",
    id,
    "--question",
    "q2",
    "2",
    "1, traces, text: a page",
    "text: 8443, please",
  );
  assertEquals(given.code, 0, given.stderr);
  const { code, stdout, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals(await stage.answers(), [{ "Which database should we use?": "SQLite" }, ANSWERS]);
  const dialogs = parseEvents(stdout).filter(({ type }) => type.startsWith("dialog_")).map(({ type }) => type);
  assertEquals(dialogs, [
    "dialog_waiting",
    "dialog_closed",
    "dialog_answered",
    "dialog_waiting",
    "dialog_closed",
    "dialog_answered",
  ]);
  const audit = await stage.call("audit", "show", id);
  assertStringIncludes(audit.stdout, "Which database should we use? → SQLite");
  assertEquals((await stage.call("audit", "verify", id)).code, 0);
  await stage.sandbox.assertNothingLeft();
});

for (const keys of [1, 3, 6]) {
  Deno.test(`panewright is killed at key ${keys} of an answer: resumed, it gives just this answer`, async () => {
    await using stage = await setUp(QUESTIONS);
    const run = stage.start(...RUN);
    const { run: id } = await waitingQuestion(stage, "q1");
    const given = await stage.call("answer", id, "2", "1,3, text: a page", "text: 8443, please");
    assertEquals(given.code, 0, given.stderr);
    const audit = `${stage.sandbox.project}/.panewright/runs/${id}/audit.ndjson`;
    const keysOf = (text: string) => text.split(/"reason":"(?:A key of the person|The person's own words)/).length - 1;
    await until(() => Deno.readTextFile(audit), (text) => keysOf(text) >= keys);
    run.kill("SIGKILL");
    await run.ended;
    assertEquals(await stage.answers(), []);
    const resumed = await stage.call("resume", id, "--json");
    assertEquals(resumed.code, 0, resumed.stderr);
    assertEquals(await stage.answers(), [ANSWERS]);
    assertEquals((await stage.call("audit", "verify", id)).code, 0);
    await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("a person at the terminal of a run answers an agent's questions there, after a wrong answer", async () => {
  await using stage = await setUp(QUESTIONS);
  const { sandbox, env, argv } = stage;
  const tmux = (...args: string[]) =>
    runProgram(["tmux", "-L", "person", ...args], { cwd: sandbox.project, env, timeoutMs: 20_000 });
  const screen = async () => (await tmux("capture-pane", "-p", "-S", "-100")).stdout;
  const type = async (text: string) => {
    await tmux("send-keys", "-l", text);
    await tmux("send-keys", "Enter");
  };
  const result = `${sandbox.root}/code`;
  await tmux("new-session", "-d", "-x", "120", "-y", "50", "bash", "--norc", "-i");
  await type(`${argv.join(" ")} ${RUN.join(" ")}; echo $? > ${result}.new; mv ${result}.new ${result}`);
  const asked = await until(screen, (text) => text.includes("Your answer: a line for each question"));
  assertMatch(
    asked,
    /Dialog q1: the tester asks a question\n {2}\| Question 1 of 3: Which database should we use\?\n {2}\| {3}1\. PostgreSQL: Takes PostgreSQL\n/,
  );
  await type("2");
  await until(screen, (text) => text.includes("That is no answer: it takes 3 answers"));
  await type("2\\");
  await type("1,3, text: a page\\");
  await type("text: 8443, please");
  const shown = await until(screen, (text) => /\d+:\d+:\d+ PASS|PASS after/.test(text), (text) => text);
  assertMatch(shown, /PASS after/);
  assertEquals(await until(() => Deno.readTextFile(result).catch(() => "")), "0\n");
  assertEquals(await stage.answers(), [ANSWERS]);
  await tmux("kill-server");
  await Deno.remove(`${env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}/person`);
  await sandbox.assertNothingLeft();
});
