import { lstatOrUndefined } from "../../base/ports/files.ts";
import { makeFoldersBelow } from "../../base/ports/own_files.ts";
import type { Role } from "../../base/roles.ts";
import { RESPONSE_FOLDER } from "../../turn/response_files.ts";
import { errorText } from "../../base/text/error_text.ts";
import {
  filesChangedSince,
  forgetNote,
  leaveChangesIn,
  namedFiles,
  noteFilesIn,
  readFilesNote,
} from "../files/changes.ts";
import { type ChangesDue, findOpenTurn } from "../../journal/loop/state.ts";
import type { RunParts } from "./run_parts.ts";
import type { Turn } from "./state.ts";
import { givenBy } from "./loops.ts";

interface TurnChangesOptions extends Pick<RunParts, "folder" | "state" | "record" | "redactor" | "signal"> {
  readonly workdir: string;
  /** How long the files are looked at, at most. @default {15} */
  readonly timeoutSeconds?: number;
}

interface TurnChanges {
  around<T>(turn: Turn, play: () => Promise<T>): Promise<T>;
  /** Does what an earlier process of the run was killed before: tells what the turn has changed that ended last. */
  makeUp(): Promise<void>;
}

const TIMEOUT_SECONDS = 15;

/** What a journal says is the name of a folder here: agents can write to both. */
const TURN_NAME = /^[\w-]+$/;

interface Keeper extends Omit<TurnChangesOptions, "timeoutSeconds"> {
  readonly timeoutSeconds: number;
  givenUp: string | undefined;
}

type TurnOf = Pick<ChangesDue, "turnId" | "role">;

/**
 * Begins to keep what turns change. What cannot be told is recorded as unknown, and the run continues. Where it takes too
 * long, or the files cannot be looked at before a turn, that is not tried again.
 */
export function keepTurnChanges(options: TurnChangesOptions): TurnChanges {
  const keeper: Keeper = { ...options, timeoutSeconds: options.timeoutSeconds ?? TIMEOUT_SECONDS, givenUp: undefined };
  const { state } = options;
  return {
    async around(turn, play) {
      if (!changesFiles(turn.role, keeper)) return await play();
      await begin(keeper, turn);
      try {
        return await play();
      } finally {
        const { changesDue } = state();
        if (changesDue?.turnId === turn.id) await leave(keeper, changesDue);
      }
    },
    async makeUp() {
      const { changesDue, responses } = state();
      if (changesDue !== undefined) return await leave(keeper, changesDue, { late: true });
      const last = responses.findLast(({ role }) => changesFiles(role, keeper));
      if (last !== undefined) forget(keeper, last.turnId);
    },
  };
}

/** The analyst's work is its response, and who reviews or tests changes nothing. */
function changesFiles(role: Role, { state }: Pick<Keeper, "state">): boolean {
  return role !== "analyst" && givenBy(role, state().head.settings) === "work";
}

async function begin(keeper: Keeper, { id: turnId, role }: Turn): Promise<void> {
  const { workdir, state, record } = keeper;
  const open = findOpenTurn(state(), turnId);
  if (open?.filesNote !== undefined || open?.changesUnknown === true) return;
  const turn = { turnId, role };
  // What an agent has changed by now cannot be told any more once it was sent something.
  if (open?.message !== undefined || open?.interrupted === true) {
    return tellUnknown(keeper, turn, "it was not noted what the files were before its turn");
  }
  await attempt(keeper, turn, {
    isLasting: true,
    async look(signal) {
      const baseline = await noteFilesIn({ workdir, folder: await ownFolder(keeper, turnId), signal });
      record({ type: "files_noted", ...turn, baseline, passable: true });
    },
  });
}

async function leave(
  keeper: Keeper,
  { turnId, role, baseline }: ChangesDue,
  options: { readonly late?: true } = {},
): Promise<void> {
  const { workdir, record, redactor } = keeper;
  const turn = { turnId, role };
  await attempt(keeper, turn, {
    isLasting: false,
    async look(signal) {
      const place = { workdir, folder: await ownFolder(keeper, turnId), signal };
      const before = await readFilesNote(place.folder, baseline);
      const all = await filesChangedSince(before, place);
      const changed = all.filter((name) => !name.startsWith(`${RESPONSE_FOLDER}/`));
      const { hasPatch } = await leaveChangesIn(place, { changed, note: before, redactor });
      record({
        ...{ type: "files_changed", ...turn, ...namedFiles(changed), ...options },
        ...{ folder: relativeFolder(turnId), hasPatch, passable: true },
      });
    },
  });
  forget(keeper, turnId);
}

/** Only once it is told what the turn has changed: whoever resumes a run that was killed before needs it. */
function forget({ folder: { changesDir } }: Keeper, turnId: string): void {
  const place = `${changesDir}/${turnId}`;
  if (!TURN_NAME.test(turnId)) return;
  // An agent may have put a link in the place of either.
  if ([changesDir, place].every((path) => lstatOrUndefined(path)?.isDirectory === true)) forgetNote(place);
}

async function attempt(
  keeper: Keeper,
  turn: TurnOf,
  { look, isLasting }: {
    readonly look: (signal: AbortSignal) => Promise<void>;
    readonly isLasting: boolean;
  },
): Promise<void> {
  const { givenUp, timeoutSeconds, signal } = keeper;
  if (givenUp !== undefined) return tellUnknown(keeper, turn, `it is not tried again: ${givenUp}`);
  const controller = new AbortController();
  const tooLong = new Error(`the files could not be looked at in ${timeoutSeconds} s`);
  const timer = setTimeout(() => controller.abort(tooLong), timeoutSeconds * 1000);
  try {
    await look(AbortSignal.any([signal, controller.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (isLasting || controller.signal.aborted) keeper.givenUp = errorText(error);
    tellUnknown(keeper, turn, errorText(error));
  } finally {
    clearTimeout(timer);
  }
}

function tellUnknown({ record }: Keeper, { turnId, role }: TurnOf, reason: string): void {
  record({ type: "changes_unknown", turnId, role, reason, passable: true });
}

function relativeFolder(turnId: string): string {
  return `changes/${turnId}`;
}

async function ownFolder({ folder }: Keeper, turnId: string): Promise<string> {
  if (!TURN_NAME.test(turnId)) throw new Error("the journal names a turn that no review loop has");
  return await makeFoldersBelow(folder.path, relativeFolder(turnId));
}
