import { FAKE_CODEX } from "../../support/fake_codex.ts";
import { callCli, type CalledCli } from "../../support/call_cli.ts";
import { type PanewrightCommand, panewrightFromSource } from "../../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../../support/program.ts";
import { createSandbox, type Sandbox } from "../../support/sandbox.ts";

/** A project with a pipeline whose Codex is a script, and the command line of panewright in it. */
export interface ExecProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly path: string;
  /** Calls a command that starts no program of the project, in this process. */
  call(...args: readonly string[]): Promise<CalledCli>;
  /** Runs panewright to its end. */
  run(...args: readonly string[]): Promise<ProgramResult>;
  /** Starts panewright; its standard input is empty. */
  start(...args: readonly string[]): RunningProgram;
  /** Makes the task one without a question, whose agent works until it is stopped, or the project has a file `go`. */
  holdAgent(): Promise<void>;
  /** The prompts that the script got, in the order of its starts. */
  prompts(): Promise<readonly string[]>;
  /** The arguments of each start. */
  args(): Promise<readonly string[]>;
  readonly panewright: PanewrightCommand;
  readonly env: Readonly<Record<string, string>>;
}

/** Sets up a project. The pipeline's steps are `first`, `build` (which may ask) and `last`. */
export async function execProject(
  options: { readonly exec?: Readonly<Record<string, unknown>> } = {},
): Promise<ExecProject> {
  const sandbox = await createSandbox();
  const panewright = await panewrightFromSource();
  const fake = `${sandbox.root}/bin/fake-codex`;
  const folder = `${sandbox.root}/fake`;
  await Deno.mkdir(`${sandbox.root}/bin`);
  await Deno.mkdir(folder);
  await Deno.writeTextFile(fake, FAKE_CODEX, { mode: 0o755 });
  const { project } = sandbox;
  const common = { command: [fake], check: { type: "none" } };
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      autonomy_level: 3,
      exec: options.exec ?? {},
      pipelines: {
        main: [
          { ...common, name: "first", prompt: "first.md", check: { type: "fileExists", path: "done-1" } },
          { ...common, name: "build", prompt: "self" },
          { ...common, name: "last", prompt: "last.md" },
        ],
        single: [{ ...common, name: "only", prompt: "self" }],
      },
    }),
  );
  await Deno.writeTextFile(`${project}/first.md`, "Look around.");
  await Deno.writeTextFile(`${project}/last.md`, "Clean up.");
  await Deno.writeTextFile(`${project}/task.md`, "Build a login.\nASK database\n");
  const env = {
    ...sandbox.env,
    ...panewright.env,
    CODEX_HOME: `${sandbox.root}/codex-home`,
    FAKE_FOLDER: folder,
  };
  const starts = async (name: string) => {
    const texts: string[] = [];
    for (let number = 1;; number++) {
      const text = await Deno.readTextFile(`${folder}/${number}/${name}`).catch(() => undefined);
      if (text === undefined) return texts;
      texts.push(text);
    }
  };
  return {
    sandbox,
    path: project,
    panewright,
    env,
    call: (...args) => callCli(args, { cwd: project, env }),
    run: (...args) => runProgram([...panewright.argv, ...args], { cwd: project, env, timeoutMs: 600_000 }),
    start: (...args) => startProgram([...panewright.argv, ...args], { cwd: project, env }),
    async holdAgent() {
      await Deno.writeTextFile(`${project}/task.md`, "Build.\n");
      const held = FAKE_CODEX.replace('touch "done-$number"', '[ -e go ] || sleep 36000\ntouch "done-$number"');
      await Deno.writeTextFile(fake, held);
    },
    prompts: () => starts("prompt"),
    args: () => starts("args"),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}
