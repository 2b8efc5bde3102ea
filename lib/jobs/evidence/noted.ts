import { dirname } from "@std/path/posix";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { parseJsonObject } from "../../base/text/json.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { errorText } from "../../base/text/error_text.ts";
import { named } from "../../evidence/compare_results.ts";
import { namedSince } from "../../workspace/bring.ts";
import type { RunResult } from "../../run/execution.ts";
import { checkoutAsItIs, keepCheckout } from "../../workspace/checkout.ts";
import { readAt, type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import type { TrialRun } from "./trial.ts";

/**
 * Plays a run, and notes what the checkout is in which its agents work: before, if it is new, and when it has ended. What
 * plays it awaits the first before anything is done there.
 */
export async function withNotes(
  about: Pick<TrialRun["run"], "folder" | "signal" | "wallClock">,
  { plan, isNew }: { readonly plan: Pick<TrialRun["plan"], "workdir" | "evidence">; readonly isNew: boolean },
  play: (noted: Promise<void>) => Promise<RunResult>,
): Promise<RunResult> {
  const noted = isNew ? noteCheckout(about, plan) : Deno.remove(endOf(about.folder)).catch(() => {});
  noted.catch(() => {});
  let isJudged = false;
  try {
    const result = await play(noted);
    await noted;
    isJudged = result.outcome === "pass";
    return result;
  } finally {
    await noted.catch(() => {});
    // What is judged is noted.
    if (!isJudged) await noteEnd(about, plan);
  }
}

async function noteEnd({ folder }: Pick<TrialRun["run"], "folder">, plan: Pick<TrialRun["plan"], "workdir">) {
  const checkout = notedCheckout({ folder }, plan);
  if (checkout === undefined || "problem" in checkout) return;
  // It may have been stopped, and its person waits.
  await keptOfCheckout(checkout, { folder, signal: AbortSignal.timeout(END_MS) }).catch(() => {});
}

const END_MS = 5000;

/** Notes what the checkout is that agents are about to work in itself: no commit says it afterwards. */
export async function noteCheckout(
  { folder, signal, wallClock }: Pick<TrialRun["run"], "folder" | "signal" | "wallClock">,
  { evidence, workdir }: Pick<TrialRun["plan"], "workdir" | "evidence">,
): Promise<void> {
  const file = noteOf(folder);
  if (evidence === undefined || file === undefined || workspaceAround(workdir) !== undefined) return;
  try {
    await keepNote(file, await checkoutAsItIs(workdir, { run: folder.id, now: wallClock(), signal }));
  } catch (error) {
    const isNoGit = error instanceof Deno.errors.NotFound;
    if (!isNoGit && !(error instanceof RuntimeError) && !(error instanceof UsageError)) throw error;
    await keepNote(file, { problem: isNoGit ? "git is not there" : error.message });
  }
}

/** Notes what the checkout was when the run began, where that has come from elsewhere: its last commit. */
export async function noteRestored(
  folder: TrialRun["run"]["folder"],
  { signal, workdir }: { readonly workdir: string; readonly signal: AbortSignal },
): Promise<void> {
  const file = noteOf(folder);
  if (file === undefined) return;
  await keepNote(file, await checkoutAsItIs(workdir, { run: folder.id, now: new Date(0), isHead: true, signal }));
}

async function keepNote(file: string, note: Workspace | { readonly problem: string }): Promise<void> {
  await replaceFile(file, `${JSON.stringify(note)}\n`);
  // By its time is told what was changed later, also in the same tick of the clock that file systems go by.
  const noted = new Date((Deno.statSync(file).mtime ?? new Date(0)).getTime() - TICK_MS);
  await Deno.utime(file, noted, noted);
}

const TICK_MS = 20;

/** What the checkout was when the run began, or why that is not known; `undefined` where nothing was noted then. */
export function notedCheckout(
  { folder }: Pick<TrialRun["run"], "folder">,
  { workdir }: Pick<TrialRun["plan"], "workdir">,
): Workspace | { readonly problem: string } | undefined {
  const file = noteOf(folder);
  if (file === undefined || lstatOrUndefined(file) === undefined) return undefined;
  const noted = readAt(file);
  if (noted?.origin === workdir) return noted;
  const { problem } = parseJsonObject(readRegularText(file, { maxBytes: 64 * 1024 })) ?? {};
  return { problem: typeof problem === "string" ? problem : "what was there when the run began was in another place" };
}

/** The commit of what a checkout is now, or why that cannot be told. */
export async function keptOfCheckout(
  checkout: Workspace,
  { folder, signal }: Pick<TrialRun["run"], "folder" | "signal">,
): Promise<{ readonly commit: string } | { readonly problem: string }> {
  try {
    const commit = await keepCheckout(checkout, { signal });
    // Where it cannot be written, what the checkout is later is told in its place.
    await replaceFile(endOf(folder), commit).catch(() => {});
    return { commit };
  } catch (error) {
    signal.throwIfAborted();
    // NotFound: git, or the folder.
    if (![RuntimeError, UsageError, Deno.errors.NotFound].some((kind) => error instanceof kind)) throw error;
    return { problem: errorText(error) };
  }
}

/** What a run in the checkout itself has changed: its base is what was there when it began, its commit what was there when it ended. */
export interface CheckoutWork extends Workspace {
  readonly commit: string;
  /** Whether that was noted; otherwise it is what there is now. */
  readonly isEnded: boolean;
}

/**
 * What a run in the checkout itself has changed. `undefined` where it has worked elsewhere, or what was there is not known.
 *
 * @param orNow whether it is what there is now where no end was noted. @default {false}
 * @throws {RuntimeError} where git cannot take what is there
 */
export async function checkoutWork(
  folder: TrialRun["run"]["folder"],
  { orNow = false, signal }: Pick<TrialRun["run"], "signal"> & { readonly orNow?: boolean },
): Promise<CheckoutWork | undefined> {
  const checkout = readAt(noteOf(folder) ?? "");
  const isEnded = lstatOrUndefined(endOf(folder)) !== undefined;
  if (checkout === undefined || !isEnded && !orNow) return undefined;
  const commit = isEnded
    ? readRegularText(endOf(folder), { maxBytes: 1024 })
    : await keepCheckout(checkout, { signal });
  return { ...checkout, commit, isEnded };
}

/** What the checks are given of what git ignores, and was changed since the run began: agents may have done so. */
export async function remarksOnGiven(
  checkout: Workspace,
  { plan: { workspace }, run: { folder, signal } }: TrialRun,
): Promise<readonly string[]> {
  const than = noteOf(folder) ?? "";
  try {
    const changed = await namedSince(checkout, { patterns: workspace?.share ?? [], than, signal });
    return changed.length === 0
      ? []
      : [`the checks were given what git ignores, and it was changed while agents worked: ${named(changed)}`];
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RuntimeError)) throw error;
    return [error.message];
  }
}

function endOf({ journalPath }: TrialRun["run"]["folder"]): string {
  return `${dirname(journalPath)}/checkout.ended`;
}

/** Beside the journal that is believed: no agent in a sandbox can write there. */
function noteOf({ copyPath, journalPath }: TrialRun["run"]["folder"]): string | undefined {
  return journalPath === copyPath ? undefined : `${dirname(journalPath)}/checkout.json`;
}
