import { assertEquals, AssertionError, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { pauseAfterLook } from "../support/until.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { type PanewrightCommand, panewrightFromSource } from "../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { GREETER_JOB } from "../support/jobs.ts";

/** A step of a replayed agent, as lib/lab/replay/script.ts has it. */
export type ScriptStep = Readonly<Record<string, unknown>>;

/** The steps of a tester that is done with a PASS, after some work. */
export function passAfter(workMs: number): readonly ScriptStep[] {
  return [{ think: workMs }, { respond: ["RESULT: PASS", "All is well."] }, { stream: "It passes." }];
}

/** The steps of an agent that writes its response, and does nothing else. */
function respondWith(response: string): readonly ScriptStep[] {
  return [{ think: 100 }, { respond: response }, { stream: "Done." }];
}

/** A review with what an approval needs. */
const APPROVAL = [
  "REVIEW_RESULT: APPROVED",
  "REVIEW_NOTES:",
  "- The plan is complete and correct for `job.md`.",
  "- The scenario step, that nothing happens, is covered by it.",
  "- Run `true` after the work.",
].join("\n");

/** What differs from a job whose tester works until it is stopped. */
export interface FailureStageOptions {
  /** What the tester does in each of its turns. @default {[{ endless: true }]} */
  readonly tester?: readonly ScriptStep[];
  /** What other roles do in each of their turns. @default {approvals and reports without work} */
  readonly others?: Readonly<Record<string, readonly ScriptStep[]>>;
  /** Keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Where the sandbox is made. */
  readonly root?: string;
}

/** A job of one turn for replayed agents, and panewright in it: what is done to its surroundings shows. */
export interface FailureStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly panewright: PanewrightCommand;
  readonly env: Readonly<Record<string, string>>;
  /** Replaces what the tester does, for the agents that are started from now on. */
  script(tester: readonly ScriptStep[]): Promise<void>;
  /** Changes keys of the configuration. */
  configure(config: Readonly<Record<string, unknown>>): Promise<void>;
  /** Starts `panewright run`. */
  run(): StartedRun;
  /** Starts panewright with other arguments. */
  start(...args: readonly string[]): StartedRun;
  /** Starts `panewright run` through another program, which gets its command line as further arguments. */
  runThrough(...program: readonly [string, ...string[]]): StartedRun;
  /** Runs a program in the project to its end. */
  command(...argv: readonly [string, ...string[]]): Promise<ProgramResult>;
}

/** An event as `--json` prints it. */
export interface PrintedFact {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A panewright that works on the stage's job. */
export interface StartedRun extends AsyncDisposable {
  readonly pid: number;
  readonly program: RunningProgram;
  /** What it has told so far. */
  facts(): readonly PrintedFact[];
  /** Waits for a fact of a type. */
  fact(type: string, accept?: (fact: PrintedFact) => boolean): Promise<PrintedFact>;
  /** Waits until the tester is at work. */
  untilTesterWorks(): Promise<void>;
  /** The run's folder. */
  folder(): Promise<string>;
  /** Talks with the run's tmux server. */
  tmux(...args: readonly string[]): Promise<string>;
  /** The tester's pane. */
  testerPane(): Promise<{ readonly paneId: string; readonly pid: number }>;
  /** Waits for the end. */
  ended(): Promise<ProgramResult>;
}

/** How long something that must come may take on a machine that is busy. */
const PATIENCE_MS = 45_000;

/** Starts a program that a write beyond its limit fails for, instead of a signal that ends it. */
export const REFUSABLE = ["sh", "-c", `trap "" XFSZ; exec "$@"`, "sh"] as const;

/** What a program is started through so that it minds the permissions of files, which root does not. */
export async function mindingPermissions(
  stage: Pick<FailureStage, "command">,
): Promise<readonly [string, ...string[]] | undefined> {
  if (Deno.uid() !== 0) return ["env"];
  const withoutPower = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] as const;
  const { code } = await stage.command(...withoutPower, "true");
  return code === 0 ? withoutPower : undefined;
}

/** Sets the stage. */
export async function setUpFailureStage(options: FailureStageOptions = {}): Promise<FailureStage> {
  const panewright = await panewrightFromSource();
  const sandbox = await createSandbox(options.root === undefined ? {} : { root: options.root });
  const { project, root } = sandbox;
  const env = { ...sandbox.env, ...panewright.env };
  const script = (tester: readonly ScriptStep[]) => {
    const steps: Readonly<Record<string, readonly ScriptStep[]>> = {
      analyst: respondWith("The plan."),
      analyst_review: respondWith(APPROVAL),
      programmer: respondWith("Nothing was to be done."),
      programmer_review: respondWith(APPROVAL),
      ...options.others,
      tester,
    };
    const roles = Object.fromEntries(
      Object.entries(steps).map(([role, turn]) => [role, { turns: [turn], repeatLast: true }]),
    );
    return Deno.writeTextFile(`${root}/replay.json`, JSON.stringify({ roles }));
  };
  await script(options.tester ?? [{ endless: true }]);
  await Deno.writeTextFile(`${project}/job.md`, GREETER_JOB);
  const config = {
    provider: "replay",
    providers: { replay: { args: ["--script", `${root}/replay.json`] } },
    prompt_file: "job.md",
    start_agent: "tester",
    limits: { max_rounds: 1, min_review_cycles_before_approval: 1, max_agent_restarts: 0 },
    handoff: { poll_seconds: 0.5, idle_grace_seconds: 10, response_timeout: 120 },
    tmux: { cols: 120, rows: 40 },
    ...options.config,
  };
  const configure = (changes: Readonly<Record<string, unknown>>) =>
    Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify({ ...config, ...changes }));
  await configure({});
  const started = (argv: readonly [string, ...string[]]) =>
    watchProgram(startProgram(argv, { cwd: project, env }), { env, project });
  const start = (...args: readonly string[]) => started([...panewright.argv, ...args]);
  return {
    sandbox,
    panewright,
    env,
    script,
    configure,
    run: () => start("run", "--json"),
    start,
    runThrough: (...program) => started([...program, ...panewright.argv, "run", "--json"]),
    command: (...argv) => runProgram(argv, { cwd: project, env, timeoutMs: PATIENCE_MS }),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/** Watches a `panewright run --json` of this project. */
export function watchProgram(
  program: RunningProgram,
  { env, project }: { readonly env: Readonly<Record<string, string>>; readonly project: string },
): StartedRun {
  let over = false;
  program.ended.then(() => over = true);
  const facts = () => {
    const lines = program.output.stdout.split("\n").slice(0, -1);
    return lines.map((line): PrintedFact => JSON.parse(line));
  };
  const fact = async (type: string, accept: (fact: PrintedFact) => boolean = () => true) => {
    const limitMs = systemClock.now() + PATIENCE_MS;
    for (;;) {
      const beganMs = performance.now();
      const isOver = over;
      const found = facts().find((one) => one.type === type && accept(one));
      if (found !== undefined) return found;
      if (isOver || systemClock.now() > limitMs) {
        throw new AssertionError(`There is no ${type}:\n${program.output.stdout}\n${program.output.stderr}`);
      }
      await pauseAfterLook(beganMs);
    }
  };
  const text = async (type: string, field: string) => String((await fact(type))[field]);
  const tmux = async (...args: readonly string[]) => {
    const socket = `panewright-${await text("run_started", "runId")}`;
    const options = { cwd: project, env, timeoutMs: 10_000 };
    const { code, stdout, stderr } = await runProgram(["tmux", "-L", socket, ...args], options);
    assertEquals(code, 0, `tmux ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  return {
    pid: program.pid,
    program,
    facts,
    fact,
    untilTesterWorks: async () =>
      void await fact("status_changed", ({ role, status }) => role === "tester" && status === "processing"),
    folder: () => text("run_started", "folder"),
    tmux,
    async testerPane() {
      const { terminalId } = await fact("agent_ready", ({ role }) => role === "tester");
      const pid = await tmux("display-message", "-p", "-t", String(terminalId), "#{pane_pid}");
      // A signal to process 0 would go to everybody here.
      assertMatch(pid, /^[1-9]\d*$/);
      return { paneId: String(terminalId), pid: Number(pid) };
    },
    async ended() {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        program.kill("SIGKILL");
      }, PATIENCE_MS);
      const result = await program.ended;
      clearTimeout(timer);
      if (isLate) throw new AssertionError(`It did not end:\n${result.stdout}\n${result.stderr}`);
      return result;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/**
 * Fails unless a run ended as one should whose surroundings failed: before anybody was reminded or ran out of time,
 * with a message for a person that holds these words, with the command that resumes it, and with nothing left
 * running.
 */
export async function assertEndedInGoodOrder(
  run: StartedRun,
  { stage, code = 1, words }: {
    readonly stage: Pick<FailureStage, "sandbox">;
    readonly code?: number;
    readonly words: readonly string[];
  },
): Promise<void> {
  const result = await run.ended();
  assertEquals(result.code, code, result.stderr);
  assertEquals(run.facts().filter(({ type }) => type === "reminder_sent"), []);
  assertNotMatch(result.stderr, /^\s+at .+:\d+:\d+\)?$/m);
  assertNotMatch(result.stderr, /error is unexpected/);
  for (const word of words) assertStringIncludes(result.stderr, word);
  const goesOnWith = `panewright resume ${(await run.folder()).split("/").at(-1)}`;
  if (code === 1) {
    const finished = run.facts().find(({ type }) => type === "run_finished");
    assertStringIncludes(`${finished?.["resumeCommand"]}\n${result.stderr}`, goesOnWith);
  }
  await stage.sandbox.assertNothingLeft();
}

/**
 * Goes on with a run whose surroundings are in order again, to its end.
 *
 * @returns what the tester was sent, in this process
 */
export async function assertGoesOn(stage: FailureStage, run: StartedRun): Promise<readonly PrintedFact[]> {
  await using resumed = stage.start("resume", (await run.folder()).split("/").at(-1)!, "--json");
  const { code, stderr } = await resumed.ended();
  assertEquals(code, 0, stderr);
  await assertJournalIsWhole(await run.folder());
  await stage.sandbox.assertNothingLeft();
  return resumed.facts().filter(({ type }) => type === "message_sent");
}

/** Fails unless each line of a run's journal is a record, the last one included. */
export async function assertJournalIsWhole(folder: string): Promise<void> {
  const text = await Deno.readTextFile(`${folder}/journal.ndjson`);
  assertEquals(text.at(-1), "\n", "the journal ends in the middle of a record");
  for (const line of text.trimEnd().split("\n")) JSON.parse(line);
}
