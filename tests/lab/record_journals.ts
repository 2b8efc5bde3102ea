import { parseArgs } from "@std/cli/parse-args";
import { walk } from "@std/fs";
import config from "../../fixtures/demo/config.json" with { type: "json" };
import files from "../../fixtures/demo/files.json" with { type: "json" };
import replay from "../../fixtures/demo/replay.json" with { type: "json" };
import { execProject } from "../cli/commands/exec_project.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { JOURNAL_FIXTURES, ROOT_PLACEHOLDER } from "../support/journal_fixtures.ts";

const USAGE = `Records the fixtures of journals with another version of panewright.

  deno run -P=tests tests/lab/record_journals.ts --main FILE --into FOLDER

  --main FILE    the main.ts of a checkout of that version
  --into FOLDER  where the fixtures go, a folder each
`;

type Json = Readonly<Record<string, unknown>>;

/** Folders of a sandbox that a later process does not need. */
const UNNEEDED = /^(home|tmp|tmux|codex-home|fake)\/|\/(bin|asks)\/|\.(lock|gitignore)$/;

const args: Readonly<Record<string, unknown>> = parseArgs(Deno.args, { string: ["main", "into"] });
if (typeof args["main"] !== "string" || typeof args["into"] !== "string") {
  Deno.stderr.writeSync(new TextEncoder().encode(USAGE));
  Deno.exit(2);
}
const source = await panewrightFromSource();
const argv = [...source.argv.slice(0, -1), await Deno.realPath(args["main"])] as unknown as [string, ...string[]];
const into = args["into"];
for (const name of JOURNAL_FIXTURES) {
  await Deno.remove(`${into}/${name}`, { recursive: true }).catch(() => {});
  await Deno.mkdir(`${into}/${name}`, { recursive: true });
}
await recordKilled();
await recordWaiting();
await recordPassed();

/** A review loop that is killed with its agents while one of them waits for a person. */
async function recordKilled(): Promise<void> {
  await using stage = await setUpDemo();
  await using run = stage.start("run", "panewright.json", "--json");
  await told(run, ({ type }) => type === "dialog_waiting");
  run.kill("SIGKILL");
  await run.ended;
  await stage.killTmux();
  await keep("killed_at_a_dialog", stage);
}

/** Two tasks; an agent of the second one asks. */
async function recordWaiting(): Promise<void> {
  await using project = await execProject();
  const { path } = project;
  await Deno.mkdir(`${path}/tasks`);
  await Deno.writeTextFile(`${path}/tasks/1-logout.md`, "Build a logout.\n");
  await Deno.rename(`${path}/task.md`, `${path}/tasks/2-login.md`);
  const options = { cwd: path, env: project.env, timeoutMs: 60_000 };
  const { code, stderr } = await runProgram([...argv, "exec", "tasks"], options);
  if (code !== 3) throw new Error(`exec ended with ${code}: ${stderr}`);
  await keep("waiting_at_a_question", {
    root: project.sandbox.root,
    run: (...words) => runProgram([...argv, ...words], options),
  });
}

/** A review loop with a reminder and dialogs, killed without its agents, resumed, passed. */
async function recordPassed(): Promise<void> {
  await using stage = await setUpDemo();
  {
    await using run = stage.start("run", "panewright.json", "--json");
    for (const question of ["q1", "q2"]) {
      const { runId } = await told(run, (event) => event.type === "dialog_waiting" && event.question === question);
      await stage.run("answer", String(runId), "--question", question, "yes");
    }
    await told(run, ({ type, turnId }) => type === "message_sent" && turnId === "r1-tester");
    run.kill("SIGKILL");
    await run.ended;
  }
  const { code, stderr } = await stage.run("resume");
  if (code !== 0) throw new Error(`resume ended with ${code}: ${stderr}`);
  await keep("passed_after_resume", stage);
}

interface Recorded {
  readonly root: string;
  run(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

interface Stage extends Recorded, AsyncDisposable {
  start(...words: readonly string[]): RunningProgram;
  killTmux(): Promise<void>;
}

/** The demo's job, faster, with an agent that forgets its response file and two that ask before they run a command. */
async function setUpDemo(): Promise<Stage> {
  const sandbox = await createSandbox();
  const { project, root } = sandbox;
  for (const [path, lines] of Object.entries(files)) {
    await Deno.writeTextFile(`${project}/${path.replace(/^project\//, "")}`, lines.join("\n"));
  }
  await Deno.writeTextFile(`${project}/replay.json`, JSON.stringify(changedReplay(), null, 1));
  const settings = {
    ...config,
    wd: ".",
    quiet_seconds: 1,
    providers: { replay: { args: ["--script", "replay.json"] } },
    handoff: { ...config.handoff, poll_seconds: 0.2, idle_grace_seconds: 2 },
    permissions: { auto_accept: true, ask: ["sh greet.sh 'Ada Lovelace'"], accept_cooldown_seconds: 0 },
  };
  await Deno.writeTextFile(`${project}/panewright.json`, JSON.stringify(settings, null, 2));
  const options = { cwd: project, env: { ...sandbox.env, ...source.env } };
  return {
    root,
    start: (...words) => startProgram([...argv, ...words], options),
    run: (...words) => runProgram([...argv, ...words], { ...options, timeoutMs: 120_000 }),
    async killTmux() {
      const folder = `${sandbox.env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}`;
      for await (const { name } of Deno.readDir(folder)) {
        await runProgram(["tmux", "-S", `${folder}/${name}`, "kill-server"], { ...options, timeoutMs: 5000 });
      }
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

function changedReplay(): unknown {
  const script = JSON.parse(JSON.stringify(replay), (key, value) => {
    if ((key === "think" || key === "ms") && typeof value === "number") return Math.round(value / 4);
    if (key === "run" && String(value.command).startsWith("sh greet.sh")) {
      return { ...value, approval: "May I try it?" };
    }
    return value;
  });
  const [first, ...others] = script.roles.analyst.turns;
  script.roles.analyst.turns = [
    { when: first.when, steps: [{ think: 100 }, { stream: "The analysis is done." }] },
    first.steps,
    ...others,
  ];
  return script;
}

/** Waits for an event that a run prints. */
async function told(run: RunningProgram, accept: (event: Json) => boolean): Promise<Json> {
  for (let attempt = 0; attempt < 2400; attempt++) {
    const lines = run.output.stdout.split("\n").slice(0, -1);
    const found = lines.map((line): Json => JSON.parse(line)).find(accept);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`It was not told: ${accept}\n${run.output.stdout}${run.output.stderr}`);
}

/** Copies a project with its run, and what is shown of it, with a placeholder for the folder that it was in. */
async function keep(name: typeof JOURNAL_FIXTURES[number], { root, run }: Recorded): Promise<void> {
  const lines = async (command: string) =>
    (await run(command, "--json")).stdout.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const shown = {
    runs: await lines("runs"),
    status: (await lines("status"))[0],
    questions: await lines("questions"),
  };
  const neutral = (text: string) => text.replaceAll(root, ROOT_PLACEHOLDER);
  await Deno.writeTextFile(`${into}/${name}/shown.json`, neutral(`${JSON.stringify(shown, null, 2)}\n`));
  for await (const { path } of walk(root, { includeDirs: false })) {
    const relative = path.slice(root.length + 1);
    if (UNNEEDED.test(relative)) continue;
    const target = `${into}/${name}/${relative.replace("project/.panewright/", "panewright/")}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, neutral(await Deno.readTextFile(path)));
  }
}
