import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { Step, Turn } from "../lab/steps.ts";
import { processesWith } from "../agents/process/support.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

/** What one reply of the model servers costs. */
const REPLY = {
  codex: { model: "gpt-6.1-sol", inputTokens: 1200 },
  claude_code: { model: "claude-opus-5-5", inputTokens: 1000 },
} as const;

const shell = (command: string): Step => ({ do: "shell", command });
/** A reply that takes a moment, so that there is time between two. */
const WORK: Turn = [{ do: "wait", ms: 300 }, shell("true")];
const DONE: Turn = [{ do: "say", text: "Done." }];

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`exec, ${provider}: all that a run's attempts use counts once, those that are killed, stopped and answered included`, async () => {
    // A reply is on its way when panewright is killed; it is on record when its command runs.
    await using step = await setUpStep(provider, [...WORK, { do: "hold" }, shell("touch ran"), { do: "hang" }]);
    await using killed = step.start("exec", "task.md");
    await until(() => step.asked(), (count) => count === 2);
    killed.kill("SIGKILL");
    await killed.ended;
    step.release();
    await until(() => Deno.stat(`${step.project}/ran`).catch(() => undefined));

    const before = await step.asked();
    step.answerWith([...WORK, { do: "hang" }]);
    await using stopped = step.start("resume");
    await until(() => step.asked(), (count) => count === before + 2);
    stopped.kill("SIGINT");
    assertEquals((await stopped.ended).code, 130);

    step.answerWith([...WORK, { do: "wait", ms: 100 }, shell("panewright ask 'Which?'")]);
    assertEquals((await step.run("resume")).code, 3);
    step.answerWith([...WORK, ...DONE]);
    assertEquals((await step.run("answer", step.runId(), "This.")).code, 0);
    await step.requireAll(await step.run("resume"), { replies: 7 });
  });
}

/** A project with a pipeline of one step of a real agent, whose model is ours. */
async function setUpStep(
  provider: CliName & keyof typeof REPLY,
  first: Turn,
) {
  await using stack = new AsyncDisposableStack();
  const panewright = await panewrightFromSource();
  const cli = await installCli(provider);
  const sandbox = stack.use(await createSandbox());
  const { project } = sandbox;
  let turn = first;
  const server = stack.use(startCliServer(provider, { respond: () => turn }));
  const env = {
    ...sandbox.env,
    ...panewright.env,
    ...await writeCliHome(sandbox, { provider, version: cli.version, baseUrl: server.baseUrl() }),
    PATH: `${cli.binFolder}:${sandbox.env.PATH}`,
  };
  await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
  await Deno.writeTextFile(`${project}/task.md`, "Do it.");
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider,
      providers: { claude_code: { command: cli.argv, args: ["--allowedTools", "Bash"] } },
      exec: { resume: "native" },
      pipelines: { main: [{ name: "only", prompt: "self", check: { type: "shell", command: "true" } }] },
    }),
  );
  const argvOf = (args: readonly string[]) => [...panewright.argv, ...args, "--json"] as const;
  const count = (event: "busy" | "idle") =>
    server.log.entries.filter((entry) => entry.event === event && (entry.event === "busy" || entry.how === "sent"))
      .length;
  const resources = stack.move();
  return {
    /** How many replies the model was asked for. */
    asked: () => Promise.resolve(count("busy")),
    project,
    release: () => server.release(),
    answerWith: (next: Turn) => void (turn = next),
    runId: () => [...Deno.readDirSync(`${project}/.panewright/runs`)][0]?.name ?? "",
    run: (...args: readonly string[]) => runProgram(argvOf(args), { cwd: project, env, timeoutMs: 120_000 }),
    start: (...args: readonly string[]) => startProgram(argvOf(args), { cwd: project, env }),
    /** The run has passed, and its end tells of all replies that were sent whole. */
    async requireAll(
      { code, stdout, stderr }: { code: number; stdout: string; stderr: string },
      { replies }: { replies: number },
    ) {
      assertEquals(code, 0, stderr);
      assertEquals(count("idle"), replies);
      const { model, inputTokens } = REPLY[provider];
      const end = parseEvents(stdout).find(({ type }) => type === "run_finished") as Finished | undefined;
      const [name, used] = Object.entries(end?.usage ?? {})[0] ?? [];
      assertEquals([name, used?.inputTokens], [model, replies * inputTokens]);
      assertEquals(end?.usageByStep, { "main/only": end?.usage ?? {} });
      const status = await runProgram([...panewright.argv, "status"], { cwd: project, env, timeoutMs: 60_000 });
      assertStringIncludes(status.stdout, `${replies * inputTokens} tokens in`);
      assertEquals(await processesWith(sandbox.root), []);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What of the end of a run is looked at here. */
interface Finished {
  readonly type: string;
  readonly usage?: Tokens;
  readonly usageByStep?: Readonly<Record<string, Tokens>>;
}

type Tokens = Readonly<Record<string, { readonly inputTokens: number; readonly outputTokens: number }>>;
