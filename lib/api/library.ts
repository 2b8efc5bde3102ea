import { dirname } from "@std/path/posix";
import { isTrustedForRun } from "../config/trust/examine.ts";
import { HumanInterventionRequiredError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { JOBS } from "../jobs/mod.ts";
import { followJournal } from "../journal/follow_journal.ts";
import { findRun } from "../run/find_run.ts";
import { giveAnswer } from "./control/give_answer.ts";
import { resumeDetached, type RunToStart, startRun } from "./control/start_run.ts";

/** A run, by where it works and its id. */
export interface RunPlace {
  /** Its working directory. */
  readonly workdir: string;
  /** Its id, as `panewright runs` shows it. */
  readonly runId: string;
}

/** A run that has begun; it lives on without the program that has started it. */
export interface StartedRun extends RunPlace {
  /** Absolute path of its folder. */
  readonly folder: string;
  /** Whether this call has begun it; otherwise an earlier one with the same key has. */
  readonly isNew: boolean;
  /**
   * Waits until the process that this call started has ended: some moments after {@linkcode events}, and at once where an
   * earlier call began the run. It need not be called.
   */
  readonly ended: () => Promise<void>;
}

/** How a run is started or resumed. */
export interface StartOptions {
  /** Whether the configuration is used as it is, although no person has said that they trust it. @default {false} */
  readonly trust?: boolean;
  /** Variables of the process besides those of this one. */
  readonly env?: Readonly<Record<string, string>>;
  /** How panewright is called. @default {["deno", "run", "--allow-all", "main.ts"]} */
  readonly panewright?: readonly [string, ...string[]];
  /** Ends the process unless the run has begun. */
  readonly signal?: AbortSignal;
}

/** Options of {@linkcode run} and {@linkcode exec}. */
export interface NewRunOptions extends StartOptions {
  /** The config file, from the working directory. @default {"panewright.jsonc"} */
  readonly config?: string;
  /** Values of flags by their names, such as `{ "max-rounds": 3 }`. */
  readonly overrides?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** A name for this request: whoever calls again with it gets the same run. */
  readonly key?: string;
}

/** A task or a job: its text, or the path of its file from the working directory. */
export type Task = { readonly text: string } | { readonly path: string };

/** A record of a run, with the fields of its type: `docs/events.md` and the schemas of `panewright schema` list them. */
export interface RunRecord {
  /** What has happened: `run_started`, `question_waiting`, `run_finished`, … */
  readonly type: string;
  /** When, as ISO 8601. */
  readonly at: string;
  /** A field of this type of record. */
  readonly [field: string]: unknown;
}

/**
 * Starts the review loop, as `panewright run` does, in a process of its own, and waits until its first record is written.
 *
 * @throws {UsageError} when it cannot be started by its configuration
 * @throws {HumanInterventionRequiredError} when a person has to trust its configuration first
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { events, run } from "../mod.ts";
 *
 * const workdir = await Deno.makeTempDir();
 * const write = (name: string, value: unknown) => Deno.writeTextFile(`${workdir}/${name}`, JSON.stringify(value));
 * await write("replay.json", { roles: { tester: { turns: [[{ respond: "RESULT: PASS" }]] } } });
 * await write("panewright.jsonc", {
 *   provider: "replay",
 *   providers: { replay: { args: ["--script", "replay.json"] } },
 *   start_agent: "tester",
 *   prompt: "*** ORIGINAL EXPLORE SUMMARY ***\nNothing is to do.\n*** SCENARIO TEST ***\nLook.",
 *   handoff: { poll_seconds: 0.5 },
 * });
 *
 * const started = await run(workdir, { trust: true });
 * const told: string[] = [];
 * for await (const record of events(started)) told.push(record.type);
 * assertEquals(told.at(-1), "run_finished");
 *
 * await started.ended();
 * await Deno.remove(workdir, { recursive: true });
 * ```
 */
export async function run(
  workdir: string,
  { job, ...options }: NewRunOptions & { readonly job?: Task } = {},
): Promise<StartedRun> {
  return await start({ kind: "run", workdir, ...present({ task: job }) }, options);
}

/**
 * Starts a pipeline on a task, as `panewright exec` does, in a process of its own, and waits until its first record is
 * written.
 *
 * @throws {UsageError} when it cannot be started by its configuration
 * @throws {HumanInterventionRequiredError} when a person has to trust its configuration first
 */
export async function exec(workdir: string, task: Task, options: NewRunOptions = {}): Promise<StartedRun> {
  return await start({ kind: "exec", workdir, task }, options);
}

async function start(
  what: Pick<RunToStart, "kind" | "workdir" | "task">,
  { config, overrides, key, ...options }: NewRunOptions,
): Promise<StartedRun> {
  const workdir = await Deno.realPath(what.workdir);
  const asked: RunToStart = { ...what, workdir, by: "command", ...present({ config, overrides, key }) };
  let ended = () => Promise.resolve();
  const onStarted = (wait: () => Promise<void>) => ended = wait;
  const { run: runId, ...started } = await startRun(asked, { ...processOf(options), onStarted });
  return { workdir, runId, ...started, ended };
}

/**
 * Continues a run from the state in its journal, as `panewright resume` does.
 *
 * @param options `raise`: caps that are higher from now on, such as `{ max_turns: 40 }`; `message`: what you say to the
 *   agent that it continues with
 * @throws {UsageError} when there is nothing to resume
 */
export async function resume(
  { workdir, runId }: RunPlace,
  { message, raise = {}, ...options }: StartOptions & {
    readonly raise?: Readonly<Record<string, number>>;
    readonly message?: string;
  } = {},
): Promise<RunPlace> {
  await resumeDetached(
    await findRun(workdir, runId),
    { by: "command", raise, ...present({ message }) },
    processOf(options),
  );
  return { workdir, runId };
}

/**
 * Answers what a run waits for: a question of a step, or, with yes or no, a dialog of an agent. The first answer counts.
 *
 * @param options `question`: the question's id, where several are open. `trust` as in {@linkcode StartOptions}
 * @returns whether a process executes the run, which then continues by itself; {@linkcode resume} continues any other
 * @throws {UsageError} when it is not open
 */
export async function answer(
  { workdir, runId }: RunPlace,
  text: string,
  { question, trust = false }: { readonly question?: string; readonly trust?: boolean } = {},
): Promise<boolean> {
  const given = { answer: text, by: "command", ...present({ question }) } as const;
  const requireTrust = (configFile: string | null) => trust ? Promise.resolve() : requireTrusted(configFile);
  return (await giveAnswer(await findRun(workdir, runId), given, { requireTrust })).goesOn;
}

/**
 * The records of a run from its beginning, and as they come, until no process executes it any more.
 *
 * @param options `signal` ends the waiting with its reason
 * @throws {PanewrightError} at a record that cannot be read
 */
export async function* events(
  { workdir, runId }: RunPlace,
  { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<RunRecord, void, void> {
  const folder = await findRun(workdir, runId);
  for await (const entry of followJournal(folder, { jobs: JOBS, signal })) {
    if (entry.kind === "record" && entry.fact !== undefined) yield { ...entry.fact };
    else if (entry.kind === "gap" && entry.problem !== undefined) throw entry.problem;
    else if (entry.kind === "pause" && !entry.executed) return;
  }
}

function processOf({ trust = false, env, panewright = ownCommand(), signal }: StartOptions) {
  return { panewright, env: { ...env, ...(trust ? { PANEWRIGHT_TRUST: "1" } : {}) }, ...present({ signal }) };
}

/** This program's main module is whoever uses the library. */
function ownCommand(): readonly [string, ...string[]] {
  const main = decodeURIComponent(new URL("../../main.ts", import.meta.url).pathname);
  return [Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-all", main];
}

async function requireTrusted(configFile: string | null): Promise<void> {
  if (configFile === null) return;
  if (await isTrustedForRun(configFile, (name) => Deno.env.get(name))) return;
  throw new HumanInterventionRequiredError(`Cannot use ${configFile}: nobody has said that they trust it as it is`, {
    code: "needs_trust",
    hint: `Look at what it does and trust it with: panewright trust ${dirname(configFile)}`,
  });
}
