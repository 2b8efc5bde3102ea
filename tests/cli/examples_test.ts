/**
 * Runs every example of `panewright help` as a person would, in a project for which it was written: in a shell what
 * needs one or starts agents, the others in this process.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import files from "../../fixtures/demo/files.json" with { type: "json" };
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { helpOf } from "../../lib/cli/console/help.ts";
import { generateKeys } from "../../lib/lab/rule_packs/keys.ts";
import type { ReviewFact } from "../../lib/journal/loop/facts.ts";
import { stateFolder } from "../../lib/base/ports/state_folder.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";
import { activityPathOf } from "../../lib/run/activity_file.ts";
import { openActivityWriter } from "../../lib/run/activity_writer.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { shellJoin } from "../../lib/shell/quote.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { killServer } from "../../lib/tmux/server.ts";
import { FAKE_CODEX } from "../support/fake_codex.ts";
import { unpackJournal } from "../support/journal_fixtures.ts";
import { runProgram } from "../support/program.ts";
import {
  agentReady,
  dialogWaiting,
  execWaiting,
  reviewFinished,
  RUN_ID,
  writeReview,
  writeRun,
} from "../support/run_folders.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { useStateHome } from "../support/state_home.ts";
import { holdRun, leaveAnswerFor } from "../support/run_mail.ts";
import { denoDirectory, panewrightArgv, playPanewright } from "../support/run_panewright.ts";
import { startOwner } from "../support/start_owner.ts";
import { fleetServer } from "../fleet/fleet_server.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

/** What an example needs besides the project, and how it ends. */
interface Expected {
  /** The exit code. @default {0} */
  readonly code?: number;
  /** What stderr has in it. @default {nothing in particular} */
  readonly stderr?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
  /** What the person has called before. */
  readonly before?: string;
  /** What is made before, and taken away afterwards. */
  readonly setUp?: (sandbox: Sandbox, stack: AsyncDisposableStack) => Promise<unknown>;
}

const CONFIG = {
  provider: "replay",
  providers: { replay: { args: ["--script", "replay.json"] }, codex: { command: ["./fake-codex"] } },
  prompt_file: "job.md",
  project_test_cmd: ["true"],
  start_agent: "tester",
  limits: { max_rounds: 1 },
  handoff: { poll_seconds: 0.2, idle_grace_seconds: 10, response_timeout: 60 },
  quiet_seconds: 0.2,
  pipelines: {
    default: [{ name: "plan", prompt: "self" }, { name: "build", prompt: "self" }].map(stepOf),
    fix: [{ name: "fix", prompt: "self" }].map(stepOf),
  },
  default_pipeline: "default",
};

function stepOf(step: { readonly name: string; readonly prompt: string }) {
  return { ...step, provider: "codex", check: { type: "none" } };
}

/** The project in which each example is run: a review loop, two pipelines, tasks, and files that examples name. */
const PROJECT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(files).map(([path, lines]) => [path.replace(/^project\//, ""), lines.join("\n")]),
  ),
  "panewright.jsonc": JSON.stringify(CONFIG),
  "ci.jsonc": JSON.stringify(CONFIG),
  "replay.json": JSON.stringify({ roles: { tester: { turns: [[{ respond: ["RESULT: PASS", "It works."] }]] } } }),
  "package.json": '{ "scripts": { "test": "true" } }',
  "add-login.md": "Add a login.",
  "jobs/1-login.md": "Add a login.",
  "tasks/1-login.md": "Add a login.",
  "tasks/2-logout.md": "Add a logout.",
  "answer.md": "PostgreSQL,\nversion 17.\n",
  "order.md": "Look at the order of the fields.\n",
  "screen.ansi": "› Ready\n",
  "commands": "git push origin main\0ls",
  "src/a.ts": "",
};

/** What examples need that does not follow from their command alone. */
const EXPECTED: readonly (readonly [RegExp, Expected])[] = [
  [/^logs .*--role/, { setUp: runOverAcp }],
  [/^(runs|status|show --json|logs|report|clean|questions|explain --run)\b/, { setUp: passedRun }],
  [/^apply .*--hunks/, { code: 2, stderr: /it asks a person at a terminal/, setUp: workspace }],
  [/^diff \S+-1 \S+-2/, { setUp: (sandbox) => workspaces(sandbox, "Fix the rounding 1", "Fix the rounding 2") }],
  [/^(workspaces open|diff|apply|undo|discard)\b/, { env: { SHELL: "/bin/true" }, setUp: workspace }],
  [/^pr\b/, { setUp: remoteWorkspace }],
  [/^(show|evidence) fix/, { setUp: repository, before: 'exec "Fix the rounding" --workspace --no-input' }],
  [/^(approve|deny)\b/, { setUp: (sandbox, stack) => runAtDialog(sandbox, stack) }],
  [/^reply .*--request/, { setUp: remoteWorkspace, before: "pr fix-the-rounding" }],
  [/^(reply|fork)\b/, { setUp: repository, before: 'exec "Fix the rounding" --workspace --no-input' }],
  [/^exec .*--workspace/, { setUp: repository }],
  // The replayed agent is in a pane, and not known to work in a sandbox: tests/e2e/loops_apart_test.ts has real ones.
  [/^run (jobs|.*--attempts)/, { code: 2, stderr: /Cannot work in a workspace/, setUp: repository }],
  [/^resume$/, { code: 3, setUp: askingRun }],
  [/^resume 2/, { setUp: answeredRun }],
  [/^resume --message/, { setUp: failingOnce, before: "exec add-login.md --no-input" }],
  [/^answer ("PostgreSQL"|.*(--question|- <))/, { setUp: askingRun }],
  [/^answer .* no, /, { setUp: (sandbox, stack) => runAtDialog(sandbox, stack) }],
  [/^answer .* "text: /, { setUp: (sandbox, stack) => runAtDialog(sandbox, stack, QUESTIONS) }],
  // A server that starts does not end by itself, nor does a worker.
  [/^fleet up/, { code: 2, stderr: /HOME/, env: { HOME: "", XDG_STATE_HOME: "" } }],
  [/^worker\b/, { code: 2, stderr: /HOME/, env: { HOME: "", XDG_STATE_HOME: "" } }],
  [/^submit\b/, { setUp: onFleet }],
  [/^fleet (ls|cap|clean)/, { setUp: onFleet }],
  // This machine's own fleet is reached by nobody else.
  [/^fleet join/, { code: 2, stderr: /it would look for the fleet's server on itself/, setUp: onFleet }],
  [/^fleet answer/, { setUp: onFleet, before: 'submit "Store it" --id ticket-17' }],
  [/^fleet collect/, {
    code: 2,
    stderr: /no run of it has begun/,
    setUp: onFleet,
    before: 'submit "Store it" --id ticket-17',
  }],
  [/^serve\b/, { code: 2, stderr: /HOME is not set/, env: { HOME: "", XDG_STATE_HOME: "" } }],
  [/^attach\b/, { code: 2, stderr: /this is not a terminal/, setUp: runWithPane }],
  [/^send .*--wait/, { code: 1, stderr: /nobody executes run/, setUp: killedRun }],
  [/^send\b/, { setUp: killedRun }],
  [/^stop\b/, { setUp: executedRun }],
  [/^takeover\b/, { code: 2, stderr: /this is not a terminal/, setUp: killedRun }],
  [/^adopt\b/, { code: 2, stderr: /Cannot adopt the last session: none was begun in/ }],
  [/^notify (test|digest)/, { setUp: someoneToTell }],
  [/^audit\b/, { setUp: auditedRun }],
  [/^init\b/, { setUp: emptyFolder }],
  [/^trust$/, { code: 3, stderr: /trust/, env: { PANEWRIGHT_TRUST: "" } }],
  [/^fixtures check/, { setUp: ownRecordings }],
  [/^fixture add/, { setUp: recording }],
  [/^rules trust/, { code: 3, setUp: teamKey }],
  [/^rules update/, { code: 1, stderr: /example\.com/ }],
  [/^rules rollback/, { code: 2 }],
  [/^update/, { code: 1, stderr: /Cannot look/, env: { npm_config_registry: "http://127.0.0.1:9/" } }],
  [/^record .*--pane/, { setUp: fourPanes }],
  [/^ask\b/, { code: 2, stderr: /step/ }],
  [/^completion fish/, { setUp: ({ home }) => Deno.mkdir(`${home}/.config/fish/completions`, { recursive: true }) }],
];

async function onFleet(sandbox: Sandbox, stack: AsyncDisposableStack): Promise<void> {
  await repository(sandbox);
  const { credentials } = stack.use(await fleetServer(sandbox, { leaseSeconds: 30 }));
  const folder = `${sandbox.home}/.config/panewright`;
  await Deno.mkdir(folder, { recursive: true });
  const { project } = sandbox;
  const copies = [["me", `${folder}/fleet.json`], ["admin", `${project}/admin.json`], [
    "machine",
    `${project}/build1.json`,
  ]];
  for (const [user = "", to = ""] of copies) {
    await Deno.writeTextFile(to, await Deno.readTextFile(credentials[user]!), { mode: 0o600 });
  }
}

async function emptyFolder({ project }: Sandbox): Promise<void> {
  for (const name of ["panewright.jsonc", "job.md"]) await Deno.remove(`${project}/${name}`);
}

async function someoneToTell({ project }: Sandbox): Promise<void> {
  const config = { ...CONFIG, notifications: { command: ["true"] } };
  await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify(config));
}

async function passedRun({ project }: Sandbox): Promise<void> {
  await writeReview({ path: project }, [reviewFinished("pass")]);
}

async function runOverAcp({ project }: Sandbox): Promise<void> {
  const folder = await writeReview({ path: project }, [reviewFinished("pass")]);
  const redactor = createRedactor([]);
  const onProblem = (message: string) => {
    throw new Error(message);
  };
  using writer = openActivityWriter(activityPathOf(folder, "programmer"), { redactor, onProblem });
  writer.write({ type: "message", text: "I look." });
}

async function killedRun({ project }: Sandbox): Promise<void> {
  await writeReview({ path: project }, []);
}

async function executedRun({ project }: Sandbox, stack: AsyncDisposableStack): Promise<void> {
  stack.use(await startOwner(await writeReview({ path: project }, [])));
}

async function askingRun({ project }: Sandbox) {
  return await writeRun({ workdir: project, id: RUN_ID, events: execWaiting(project, RUN_ID) });
}

/** The person's state folder: sandboxes of several examples are there at once. */
function stateOf({ env }: Sandbox): string | undefined {
  return stateFolder((name) => env[name]);
}

/** The check of the only step fails after its first attempt. */
async function failingOnce({ project }: Sandbox): Promise<void> {
  const step = { ...stepOf({ name: "plan", prompt: "self" }), check: { type: "shell", command: "test -e done-2" } };
  const config = { ...CONFIG, pipelines: { default: [step] } };
  await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify(config));
}

async function answeredRun(sandbox: Sandbox): Promise<void> {
  const answer = { question: "q1", answer: "PostgreSQL", by: "command", answeredAt: new Date().toISOString() } as const;
  await leaveAnswerFor(await askingRun(sandbox), answer, stateOf(sandbox));
}

const QUESTIONS = ["Which tests?", "Which port?"].map((question) => ({
  question,
  multiSelect: question === "Which tests?",
  options: ["a", "b", "c"].map((label) => ({ label, description: "" })),
}));

async function runAtDialog(sandbox: Sandbox, stack: AsyncDisposableStack, questions?: typeof QUESTIONS) {
  const dialog = { ...dialogWaiting(RUN_ID, "q1"), ...(questions && { kind: "question", questions }) } as ReviewFact;
  const folder = await writeReview({ path: sandbox.project }, [...agentReady(), dialog]);
  stack.use(await holdRun(folder, stateOf(sandbox)));
}

async function runWithPane({ project, env }: Sandbox, stack: AsyncDisposableStack): Promise<void> {
  const socket = await tmuxServer(env, stack);
  const ready = agentReady({ socket }).map((fact) =>
    fact.type === "agent_ready" ? { ...fact, terminalId: "%0" } : fact
  );
  await writeReview({ path: project }, ready);
}

async function fourPanes({ project, env }: Sandbox, stack: AsyncDisposableStack): Promise<void> {
  const socket = await tmuxServer(env, stack);
  for (let pane = 1; pane <= 3; pane++) {
    const untilRecorded = "until ls | grep -q cast; do sleep 0.1; done; sleep 1";
    const shell = ["-c", project, "--", "sh", "-c", untilRecorded] as const;
    await createTmuxClient({ socket, env }).run(["new-window", "-d", "-t", "panewright:", ...shell]);
  }
}

async function tmuxServer(env: Sandbox["env"], stack: AsyncDisposableStack): Promise<string> {
  const socket = "examples";
  const client = createTmuxClient({ socket, env });
  stack.defer(() => killServer(client));
  await client.run(["new-session", "-d", "-s", "panewright", "--", "sleep", "600"]);
  return socket;
}

async function auditedRun({ project }: Sandbox, stack: AsyncDisposableStack): Promise<void> {
  const { folder, runId } = stack.use(await unpackJournal("passed_after_resume"));
  const target = runFolderAt(project, runId);
  await Deno.mkdir(target.path, { recursive: true });
  for (const name of ["journal.ndjson", "audit.ndjson"]) {
    await Deno.copyFile(`${folder}/${name}`, `${target.path}/${name}`);
  }
}

const FIXTURES = new URL("../../fixtures/", import.meta.url).pathname;

async function ownRecordings({ project }: Sandbox): Promise<void> {
  for (const folder of ["fixtures", "my-screens"]) {
    await Deno.mkdir(`${project}/${folder}/codex`, { recursive: true });
    await Deno.copyFile(`${FIXTURES}screens/codex/0.107.0.ndjson.gz`, `${project}/${folder}/codex/0.107.0.ndjson.gz`);
  }
}

async function teamKey({ project }: Sandbox): Promise<void> {
  await Deno.writeTextFile(`${project}/team-rules.pub`, (await generateKeys()).public);
}

async function recording({ project }: Sandbox): Promise<void> {
  const packed = await Deno.open(`${FIXTURES}timelines/codex-0.169.0-100x30.cast.gz`);
  await Deno.writeFile(`${project}/codex.cast`, packed.readable.pipeThrough(new DecompressionStream("gzip")));
}

/** Runs an example in a project of its own. @returns what is not as expected */
/** The project as a repository, with a commit. */
async function repository({ home, project }: Sandbox): Promise<void> {
  const script = "git init -q && git add . && git -c user.name=Me -c user.email=me@example.com commit -qm first";
  await runProgram(["sh", "-c", script], {
    cwd: project,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: home },
    timeoutMs: 20_000,
  });
}

/** A workspace of it, in which a file was changed. Its state folder is this process': one example at a time. */
async function workspace(sandbox: Sandbox): Promise<void> {
  await workspaces(sandbox, "Fix the rounding");
}

async function workspaces(sandbox: Sandbox, ...tasks: readonly string[]): Promise<void> {
  const { home, project } = sandbox;
  await repository(sandbox);
  using _state = useStateHome(`${home}/.local/state`);
  const { signal } = new AbortController();
  for (const task of tasks) {
    const { tree } = await openWorkspace(project, { task, now: new Date(), signal });
    await Deno.writeTextFile(`${tree}/src/a.ts`, `export const TASK = "${task}";\n`);
  }
}

/** A workspace of a repository with a remote, and the person's `gh`. */
async function remoteWorkspace(sandbox: Sandbox): Promise<void> {
  const { project, root } = sandbox;
  await workspace(sandbox);
  const script =
    `git config user.name Me; git config user.email me@example.com; git init -q --bare ${root}/remote.git && ` +
    `git remote add origin ${root}/remote.git`;
  const gh = `#!/bin/sh
case "$*" in
*number*) echo '{ "number": 1, "url": "https://example.com/pr/1" }';;
"api "*) echo '[]';;
*) echo https://example.com/pr/1;;
esac
`;
  await Deno.mkdir(`${root}/bin`, { recursive: true });
  await Deno.writeTextFile(`${root}/bin/gh`, gh, { mode: 0o755 });
  await runProgram(["sh", "-c", script], {
    cwd: project,
    env: { PATH: Deno.env.get("PATH") ?? "" },
    timeoutMs: 20_000,
  });
}

async function problemOf(example: string): Promise<string | undefined> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await createSandbox());
  const { root, project, env } = sandbox;
  // No example reaches another machine.
  const permissions = ["-R", "-W", "--allow-run", "--allow-env", "--allow-net=127.0.0.1", "--allow-sys=uid,hostname"];
  const programs = {
    panewright: `#!/bin/sh\nexec ${shellJoin(panewrightArgv(permissions))} "$@"\n`,
    claude: "#!/bin/sh\necho Claude Code; sleep 1\n",
    jq: "#!/bin/sh\nexec cat\n",
  };
  await Deno.mkdir(`${root}/bin`);
  for (const [name, text] of Object.entries(programs)) {
    await Deno.writeTextFile(`${root}/bin/${name}`, text, { mode: 0o755 });
  }
  for (const [name, text] of Object.entries(PROJECT)) {
    const path = `${project}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
  await Deno.writeTextFile(`${project}/fake-codex`, FAKE_CODEX, { mode: 0o755 });
  await Deno.mkdir(`${root}/fake`);
  const { before, code = 0, stderr = /(?:)/, env: more, setUp } = EXPECTED.find(([of]) => of.test(example))?.[1] ?? {};
  await setUp?.(sandbox, stack);
  const place = {
    cwd: project,
    env: {
      ...env,
      PATH: `${root}/bin:${env["PATH"]}`,
      DENO_DIR: denoDirectory(),
      TMUX: `${env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}/examples,1,0`,
      CODEX_HOME: `${root}/codex-home`,
      FAKE_FOLDER: `${root}/fake`,
      ...more,
    },
  };
  const inShell = (words: string) =>
    runProgram(["bash", "-o", "pipefail", "-c", `panewright ${words}`], { ...place, timeoutMs: 600_000 });
  if (before !== undefined) await inShell(before);
  const { code: actual, ...output } = needsProgram(example)
    ? await inShell(example)
    : await playPanewright(wordsOf(example), place);
  if (actual === code && stderr.test(output.stderr)) return undefined;
  return `${example}: exit code ${actual}\n${output.stdout.slice(-500)}\n${output.stderr.slice(-900)}`;
}

function needsProgram(example: string): boolean {
  return /^(?:run|exec|reply(?!.* --request)|resume|demo|record|attach|mcp|sandbox run|send .*--wait)\b|[|<>~]/.test(
    example,
  );
}

/** The words of an example that needs no shell. */
function wordsOf(example: string): readonly string[] {
  return (example.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

const examples = (await Promise.all(COMMANDS.map(helpOf))).flatMap((help) =>
  help.examples.map(({ command }) => command)
);

Deno.test("every example in help works in the project that it was written for", async () => {
  // The demo is seen by tests/e2e/demo_test.ts.
  const left = examples.filter((example) => needsProgram(example) && !/^demo\b/.test(example)).toReversed();
  const problems: string[] = [];
  const worker = async () => {
    for (let example = left.pop(); example !== undefined; example = left.pop()) {
      const problem = await problemOf(example);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  // What is played has this process' environment for itself.
  left.push(...examples.filter((example) => !needsProgram(example)));
  await worker();
  assertEquals(problems.join("\n\n"), "");
});

Deno.test("every expectation is one of an example", () => {
  assertEquals(EXPECTED.filter(([of]) => !examples.some((example) => of.test(example))).map(String), []);
});
