import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startAnthropicServer } from "../lab/anthropic_server.ts";
import { startOpenAiServer } from "../lab/openai_server.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { type AgentShell, FORMS_ENV, SCRIPT } from "../support/ask_forms.ts";
import { writeClaudeHome } from "../support/claude_home.ts";
import { installCli } from "../support/clis.ts";
import { writeCodexHome } from "../support/codex_home.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

/** What the person answers; it is in no prompt before. */
export const ANSWER = "Take the first of the two.";

/** A record of the journal, as far as asks go. */
export interface JournalRecord {
  readonly type: string;
  readonly text?: string;
  readonly answer?: string;
}

/** A project with a step of a real CLI, whose model asks once in a given form, and works when it has the answer. */
export interface AskProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  start(env: Readonly<Record<string, string>>, ...args: readonly string[]): RunningProgram;
  /** The id of the run; `undefined` where there is none yet. */
  runId(): string | undefined;
  /** The whole records of its journal. */
  records(): readonly JournalRecord[];
}

/** Sets up a project whose agent works in a shell. */
export async function askProject(
  { panewright, shell, form }: {
    readonly panewright: PanewrightCommand;
    readonly shell: AgentShell;
    readonly form: string;
  },
): Promise<AskProject> {
  await using stack = new AsyncDisposableStack();
  const { provider, bashrc, args } = shell;
  const cli = await installCli(provider);
  const sandbox = stack.use(await createSandbox());
  const { project, home, root } = sandbox;
  const respond = (request: ModelRequest): Turn =>
    request.prompts.some((prompt) => prompt.includes(ANSWER))
      ? [{ do: "shell", command: "touch answered" }, { do: "say", text: "Done, as you said." }]
      : [{ do: "shell", command: form }, { do: "say", text: "Done, without an answer." }];
  const server = stack.use(provider === "codex" ? startOpenAiServer({ respond }) : startAnthropicServer({ respond }));
  const baseUrl = server.baseUrl();
  const cliEnv = provider === "codex"
    ? await writeCodexHome({ folder: `${root}/codex-home`, project, baseUrl })
    : await writeClaudeHome({ home, project, baseUrl, tmp: `${root}/tmp`, version: cli.version });
  if (bashrc !== undefined) await Deno.writeTextFile(`${home}/.bashrc`, bashrc);
  await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
  await Deno.writeTextFile(`${project}/ask.sh`, SCRIPT);
  await Deno.writeTextFile(`${project}/task.md`, "Store the users.\n");
  const step = { name: "only", prompt: "self", args, check: { type: "none" } };
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider,
      autonomy_level: 3,
      providers: { claude_code: { command: cli.argv } },
      pipelines: { main: [step] },
    }),
  );
  const env = {
    ...sandbox.env,
    ...panewright.env,
    ...cliEnv,
    ...FORMS_ENV,
    PATH: `${cli.binFolder}:${sandbox.env["PATH"]}`,
  };
  const runs = `${project}/.panewright/runs`;
  const recordsOf = (id: string) => wholeRecords(`${runs}/${id}/journal.ndjson`);
  // One that was killed before it began is none.
  const runId = () => namesIn(runs).findLast((id) => recordsOf(id).some(({ type }) => type === "run_started"));
  const resources = stack.move();
  return {
    sandbox,
    runId,
    start: (more, ...words) => startProgram([...panewright.argv, ...words], { cwd: project, env: { ...env, ...more } }),
    records() {
      const id = runId();
      return id === undefined ? [] : recordsOf(id);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

function wholeRecords(path: string): readonly JournalRecord[] {
  try {
    // What follows the last line end was cut by a kill.
    return Deno.readTextFileSync(path).split("\n").slice(0, -1).filter((line) => line !== "").map((line) =>
      JSON.parse(line)
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
