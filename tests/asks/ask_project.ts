import { cliProject } from "../e2e/cli_project.ts";
import { type AgentShell, FORMS_ENV, SCRIPT } from "../support/ask_forms.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import type { Sandbox } from "../support/sandbox.ts";

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
  const { provider, bashrc, args } = shell;
  const made = await cliProject({
    panewright,
    provider,
    isRepository: true,
    onPath: provider === "codex" ? "npm" : "itself",
    respond: ({ prompts }) =>
      prompts.some((prompt) => prompt.includes(ANSWER))
        ? [{ do: "shell", command: "touch answered" }, { do: "say", text: "Done, as you said." }]
        : [{ do: "shell", command: form }, { do: "say", text: "Done, without an answer." }],
    files: {
      "ask.sh": SCRIPT,
      "task.md": "Store the users.\n",
      "panewright.jsonc": {
        provider,
        autonomy_level: 3,
        pipelines: { main: [{ name: "only", prompt: "self", args, check: { type: "none" } }] },
      },
    },
    env: FORMS_ENV,
  });
  const { argv, env, sandbox } = made;
  const { home, project: cwd } = sandbox;
  if (bashrc !== undefined) await Deno.writeTextFile(`${home}/.bashrc`, bashrc);
  const runs = `${cwd}/.panewright/runs`;
  const recordsOf = (id: string) => wholeRecords(`${runs}/${id}/journal.ndjson`);
  // One that was killed before it began is none.
  const runId = () => namesIn(runs).findLast((id) => recordsOf(id).some(({ type }) => type === "run_started"));
  return {
    sandbox,
    runId,
    start: (more, ...words) => startProgram([...argv, ...words], { cwd, env: { ...env, ...more } }),
    records() {
      const id = runId();
      return id === undefined ? [] : recordsOf(id);
    },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
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
