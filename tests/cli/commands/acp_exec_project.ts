import { exists, walk } from "@std/fs";
import type { FakeAgentScript } from "../../lab/acp_fake_agent.ts";
import { FAKE_PACK, fakeAgentCommand } from "../../agents/process/acp_support.ts";
import { callCli, type CalledCli } from "../../support/call_cli.ts";
import { panewrightFromSource, parseEvents } from "../../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../../support/program.ts";
import { createSandbox, type Sandbox } from "../../support/sandbox.ts";

/** A project with a pipeline whose agent is the fake one over ACP, and the command line of panewright in it. */
export interface AcpExecProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly path: string;
  /** What the agent does. */
  script(script: FakeAgentScript): Promise<void>;
  /** Calls a command that starts no program of the project, in this process. */
  call(...args: readonly string[]): Promise<CalledCli>;
  /** Runs panewright to its end. */
  run(...args: readonly string[]): Promise<ProgramResult>;
  /** The same with `--json`, for `exec` and `resume`: what it printed. */
  play(...args: readonly string[]): Promise<Played>;
  start(...args: readonly string[]): RunningProgram;
  /** The prompts that agents got, and in which session, in order. */
  prompts(): Promise<readonly { readonly sessionId: string; readonly text: string }[]>;
  /** What is in the logs of all attempts. */
  logs(): Promise<string>;
  /** The lines of a file of the run's folder. */
  records(run: string, name: string): Promise<readonly Row[]>;
}

/** A line of JSON. */
export type Row = Readonly<Record<string, unknown>>;

/** What a run printed, and how it ended. */
export interface Played {
  readonly code: number;
  readonly stderr: string;
  readonly run: string;
  readonly events: readonly Row[];
}

/** What is different in a project. */
export interface AcpExecOptions {
  /** Fields of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Fields of the only step. */
  readonly step?: Readonly<Record<string, unknown>>;
  /** Fields of the agent's pack. */
  readonly pack?: Readonly<Record<string, unknown>>;
}

/** Sets up a project. The only step of its pipeline is `build`, and its agent does as the script says. */
export async function acpExecProject({ config, step, pack }: AcpExecOptions = {}): Promise<AcpExecProject> {
  const sandbox = await createSandbox();
  const panewright = await panewrightFromSource();
  const { project, root } = sandbox;
  const file = `${root}/script.json`;
  const write = (name: string, value: unknown) => Deno.writeTextFile(`${project}/${name}`, JSON.stringify(value));
  await write("fake.jsonc", { ...FAKE_PACK, ...pack });
  await write("panewright.jsonc", {
    provider: "fake",
    agents: { fake: "./fake.jsonc" },
    providers: { fake: { command: fakeAgentCommand(file) } },
    autonomy_level: 3,
    exec: { resume: "native" },
    pipelines: { main: [{ name: "build", prompt: "self", check: { type: "none" }, ...step }] },
    ...config,
  });
  await Deno.writeTextFile(`${project}/task.md`, "Build a login.\n");
  const env = { ...sandbox.env, ...panewright.env };
  const run: AcpExecProject["run"] = (...args) =>
    runProgram([...panewright.argv, ...args], { cwd: project, env, timeoutMs: 600_000 });
  const linesOf = async (path: string): Promise<readonly string[]> => {
    const text = await Deno.readTextFile(path).catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  };
  return {
    sandbox,
    path: project,
    script: (script) => Deno.writeTextFile(file, JSON.stringify(script)),
    call: (...args) => callCli(args, { cwd: project, env }),
    run,
    async play(...args) {
      const { code, stderr, stdout } = await run(...args, "--json");
      const events: readonly Row[] = parseEvents(stdout).map((event) => ({ ...event }));
      const begun = events.find(({ type }) => type === "run_started" || type === "run_resumed");
      return { code, stderr, events, run: String(begun?.["runId"] ?? "") };
    },
    start: (...args) => startProgram([...panewright.argv, ...args], { cwd: project, env }),
    async prompts() {
      const lines = await linesOf(`${file}.state/received.ndjson`);
      const messages = lines.map((line) => JSON.parse(line));
      return messages.filter(({ method }) => method === "session/prompt").map(({ params }) => ({
        sessionId: params.sessionId,
        text: params.prompt.map(({ text }: { readonly text: string }) => text).join(""),
      }));
    },
    async logs() {
      const runs = `${project}/.panewright/runs`;
      if (!await exists(runs)) return "";
      const files = (await Array.fromAsync(walk(runs, { includeDirs: false }))).map(({ path }) => path);
      return (await Promise.all(
        files.filter((path) => path.endsWith("/log.txt")).map((path) => Deno.readTextFile(path)),
      )).join("");
    },
    records: async (run, name) =>
      (await linesOf(`${project}/.panewright/runs/${run}/${name}`)).map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}
