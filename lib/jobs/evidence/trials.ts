import { present } from "../../base/schema.ts";
import { filesForCanaries, saidBy, withCanary } from "../../evidence/canaries.ts";
import { partsBy } from "../../evidence/test_files.ts";
import type { ChangedTestFile } from "../../evidence/remarks.ts";
import { guardedIn, newTestsIn } from "../../evidence/verdict.ts";
import { contractKey } from "../../run/contract.ts";
import { changedPaths } from "../../workspace/result.ts";
import { commitWith, commitWithText, filesIn, textIn } from "../../workspace/trees.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { SandboxPlan } from "../whole_sandbox.ts";
import { elsewhere } from "./elsewhere.ts";
import { bringHidden } from "./hidden.ts";
import type { BaseTrial } from "./base_trial.ts";
import { namingOf } from "./listing.ts";
import { type DecidingCheck, trialOf, type TrialRun, type Tried } from "./trial.ts";

/** The work that is judged. */
export interface Work extends TrialRun {
  readonly workspace: Workspace;
  readonly settings: NonNullable<TrialRun["plan"]["evidence"]>;
  readonly commit: string;
  readonly tree: string;
  readonly checks: readonly DecidingCheck[];
  /** What was tried on the code as it was while agents worked. */
  readonly early?: BaseTrial | undefined;
}

type Trying = Work & {
  /** Variables by which runners name their tests. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  /** `evidence.junit`. */
  readonly junit?: string | undefined;
  /** How many trials are made at a time. */
  readonly width: number;
};

/** A trial that is not made yet. */
type Attempt = () => Promise<readonly Tried[]>;

const MOST_AT_A_TIME = 4;

/**
 * How many trials may be made at a time: outside of a sandbox, which has ports of its own, they could meet. With two cores
 * each, checks do not come to their time limits by it.
 */
export function widthOf(sandbox: SandboxPlan | undefined): number {
  return sandbox?.whole === undefined
    ? 1
    : Math.max(2, Math.min(MOST_AT_A_TIME, Math.floor(navigator.hardwareConcurrency / 2)));
}

/** Does things in their order, some at a time. */
export async function inParallel<Made>(
  acts: readonly (() => Promise<Made>)[],
  width: number,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const queue = [...acts.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) made[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: width }, work));
  return made;
}

/**
 * Makes the trials that the settings ask for.
 *
 * @returns `env`, `checks`: the variables and the commands by which runners name their tests here
 */
export async function trialsOf(
  given: Trying,
  files: readonly ChangedTestFile[],
): Promise<Pick<Trying, "env" | "checks"> & { readonly trials: readonly Tried[] }> {
  const { checks, commit, run: { signal }, settings, width, workspace: { store } } = given;
  const trials: Tried[] = [];
  let work = given;
  if (settings.cleanRoom && checks.length > 0) {
    const { isToldMore, ...naming } = await namingOf(checks, { at: commit, store, signal });
    work = { ...given, ...naming };
    let clean = await trialOf("clean", { ...work, at: commit });
    // What has a runner tell more may be what fails.
    if (!clean.passed && isToldMore) {
      work = given;
      clean = await trialOf("clean", { ...work, at: commit });
    }
    trials.push(clean);
    if (!clean.passed) return { trials, checks };
    const attempts = await attemptsOf(work, { files, isNamed: clean.results !== undefined });
    trials.push(...(await inParallel(attempts, width)).flat());
  }
  return { trials: [...trials, ...await tryHidden(work)], checks: work.checks, ...present({ env: work.env }) };
}

/** What is tried on a result that passes on a fresh checkout, the least first. */
async function attemptsOf(
  work: Trying,
  { files, isNamed }: { readonly files: readonly ChangedTestFile[]; readonly isNamed: boolean },
): Promise<readonly Attempt[]> {
  const { checks, commit, env, run: { signal }, settings, workspace: { base, name, store } } = work;
  const swap = { store, signal };
  const attempt =
    (kind: Tried["kind"], more: Omit<Parameters<typeof trialOf>[1], keyof Work> & { at: string }): Attempt =>
    async () => [await trialOf(kind, { ...work, ...more })];
  const [guarded, news] = [guardedIn(files), newTestsIn(files)];
  const { mutationCmd } = settings;
  return [
    ...(isNamed
      ? [
        async () =>
          await work.early?.resultOf(checks, env ?? {}).then(aloneIf) ?? await attempt("base", { at: base })(),
      ]
      : []),
    ...(guarded.length === 0
      ? []
      : [attempt("original", { at: await commitWith({ base, commit, ...swap }, { name, paths: guarded }) })]),
    ...(news.length === 0
      ? []
      : [attempt("red", { at: await commitWith({ base: commit, commit: base, ...swap }, { name, paths: news }) })]),
    ...(settings.canaries ? await canariesOf(work) : []),
    ...Array.from({ length: settings.repeat }, (_, number) => {
      const { env: place, of, commandOf } = elsewhere(number, checks);
      const moved = checks.map((check) => ({ ...check, command: commandOf(check.command) }));
      const tryIn = (kind: "again" | "again_before", at: string) =>
        trialOf(kind, { ...work, at, checks: moved, env: { ...env, ...place }, of });
      return async () => {
        const trial = await tryIn("again", commit);
        // What was so before is nothing that the change has brought.
        return trial.passed ? [trial] : [trial, await tryIn("again_before", base)];
      };
    }),
    ...(mutationCmd === undefined ? [] : [() => {
      const mutating = [{ command: mutationCmd, timeLimitSeconds: MUTATION_SECONDS }];
      return trialOf("mutation", { ...work, at: commit, checks: mutating, junit: undefined }).then(alone);
    }]),
  ];
}

function aloneIf(trial: Tried | undefined): readonly Tried[] | undefined {
  return trial && [trial];
}

function alone(trial: Tried): readonly Tried[] {
  return [trial];
}

const MUTATION_SECONDS = 3600;

/** Puts a test that must fail into test files: if the checks pass all the same, it is tried whether they did before. */
async function canariesOf(work: Trying): Promise<readonly Attempt[]> {
  const { commit, run, settings, workspace: { base, name, store, tree, workdir } } = work;
  const { bound: { contract }, signal } = run;
  const where = { store, signal };
  const changed = await changedPaths([base, commit], where);
  const files = await filesIn(commit, where);
  return filesForCanaries(files, { changed, partOf: partsBy(settings.tests ?? []) }).map((path) => async () => {
    const word = `c${crypto.randomUUID().slice(0, 8)}`;
    const tryIn = async (kind: "canary" | "canary_before", at: string) => {
      const key = contractKey(workdir, `${tree}/${path}`);
      const held = contract[key];
      // What a check names is run as it was when the run began.
      const text = (held?.kind === "script" ? held.text : undefined) ?? await textIn(at, { path, ...where });
      const put = text === undefined ? undefined : withCanary({ path, text }, word);
      if (put === undefined) return undefined;
      const trial = await trialOf(kind, {
        ...work,
        ...{ at: await commitWithText({ commit: at, name, ...where }, { path, text: put }), of: path },
        scripts: held?.kind === "script" ? { [key]: { ...held, text: put } } : {},
      });
      // A check that fails of something else says nothing.
      return trial.passed || trial.output.includes(saidBy(word)) ? trial : { ...trial, notMade: true };
    };
    const now = await tryIn("canary", commit);
    if (now === undefined) return [];
    const isHeard = !now.passed && now.notMade !== true;
    const before = isHeard ? undefined : await tryIn("canary_before", base);
    return before === undefined ? [now] : [now, before];
  });
}

const HIDDEN_SECONDS = 600;

async function tryHidden(work: Trying): Promise<readonly Tried[]> {
  const { checks, commit, run: { signal }, settings: { hidden = [], hiddenCmd: command, hiddenTell }, workspace } =
    work;
  if (hidden.length === 0) return [];
  const own = command === undefined ? checks : [{ command, timeLimitSeconds: HIDDEN_SECONDS }];
  if (own.length === 0) {
    return [{ kind: "hidden", passed: false, detail: "no command runs them", notMade: true, output: "" }];
  }
  let of = "";
  const trial = await trialOf("hidden", {
    ...work,
    ...{
      at: commit,
      checks: own,
      async prepare(into) {
        of = await bringHidden(hidden, { from: workspace, into, signal });
      },
    },
    ...(command === undefined ? {} : { junit: undefined }),
    isNamed: hiddenTell !== "nothing",
  });
  return [{ ...trial, of, ...(hiddenTell === "output" ? {} : { output: "" }) }];
}
