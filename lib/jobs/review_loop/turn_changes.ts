import { makeFoldersBelow } from "../../ports/own_files.ts";
import type { Run } from "../../run/conduct.ts";
import type { Role } from "../../roles.ts";
import { RESPONSE_FOLDER } from "../../handoff/response_files.ts";
import { errorText } from "../../text/error_text.ts";
import {
  filesChangedSince,
  forgetNote,
  leaveChangesIn,
  namedFiles,
  noteFilesIn,
  readFilesNote,
} from "../file_changes.ts";
import type { ReviewFact } from "./facts.ts";
import { findOpenTurn, type RunState } from "./run_state.ts";
import type { Turn } from "./state.ts";

/** What is kept of the changes of a run. */
export type TurnChangesOptions =
  & Pick<Run<ReviewFact, RunState>, "folder" | "state" | "record" | "redactor" | "signal">
  & {
    readonly workdir: string;
    /** How long the files are looked at, at most. @default {15} */
    readonly timeoutSeconds?: number;
  };

/** Keeps what turns change, for people: no decision rests on it. */
export interface TurnChanges {
  /** Looks at the files before and after a turn that is to change some, and leaves the differences. */
  around<T>(turn: Turn, play: () => Promise<T>): Promise<T>;
}

/** The role whose turns are to change files. */
const CHANGES_FILES: Role = "programmer";

const TIMEOUT_SECONDS = 15;

/**
 * Begins to keep what turns change. What cannot be told, or takes too long, is said once and not tried again: the run
 * continues without.
 */
export function keepTurnChanges(options: TurnChangesOptions): TurnChanges {
  const { workdir, folder, state, record, redactor, timeoutSeconds = TIMEOUT_SECONDS } = options;
  let isGivenUp = false;
  const relative = (turn: Turn) => `changes/${turn.id}`;
  const own = (turn: Turn) => makeFoldersBelow(folder.path, relative(turn));

  async function attempt(role: Role, look: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (isGivenUp) return;
    const controller = new AbortController();
    const tooLong = new Error(`the files could not be looked at in ${timeoutSeconds} s`);
    const timer = setTimeout(() => controller.abort(tooLong), timeoutSeconds * 1000);
    try {
      await look(AbortSignal.any([options.signal, controller.signal]));
    } catch (error) {
      options.signal.throwIfAborted();
      isGivenUp = true;
      record({ type: "note", role, message: `what it changes is not shown: ${errorText(error)}`, passable: true });
    } finally {
      clearTimeout(timer);
    }
  }

  async function note(turn: Turn, signal: AbortSignal): Promise<void> {
    const baseline = await noteFilesIn({ workdir, folder: await own(turn), signal });
    record({ type: "files_noted", turnId: turn.id, role: turn.role, baseline, passable: true });
  }

  async function leave(turn: Turn, { baseline, signal }: {
    readonly baseline: string;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const place = { workdir, folder: await own(turn), signal };
    const before = await readFilesNote(place.folder, baseline);
    const all = await filesChangedSince(before, place);
    const changed = all.filter((name) => !name.startsWith(`${RESPONSE_FOLDER}/`));
    const hasPatch = await leaveChangesIn(place, { changed, note: before, redactor });
    forgetNote(place.folder);
    record({
      ...{ type: "files_changed", turnId: turn.id, role: turn.role, ...namedFiles(changed) },
      ...{ folder: relative(turn), hasPatch, passable: true },
    });
  }

  return {
    async around(turn, play) {
      if (turn.role !== CHANGES_FILES) return await play();
      const open = findOpenTurn(state(), turn.id);
      // What an agent has changed by now cannot be told any more once it was sent something.
      const mayHaveBegun = open?.message !== undefined || open?.interrupted === true;
      if (open?.filesNote === undefined && !mayHaveBegun) await attempt(turn.role, (signal) => note(turn, signal));
      const baseline = findOpenTurn(state(), turn.id)?.filesNote;
      const result = await play();
      if (baseline !== undefined) await attempt(turn.role, (signal) => leave(turn, { baseline, signal }));
      return result;
    },
  };
}
