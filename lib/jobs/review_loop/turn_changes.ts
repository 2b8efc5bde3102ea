import { lstatOrUndefined } from "../../base/ports/files.ts";
import { makeFoldersBelow } from "../../base/ports/own_files.ts";
import type { Run } from "../../run/execution.ts";
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
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { type ChangesDue, findOpenTurn } from "../../journal/loop/state.ts";
import type { RunState, Turn } from "./state.ts";

type TurnChangesOptions =
  & Pick<Run<ReviewFact, RunState>, "folder" | "state" | "record" | "redactor" | "signal">
  & {
    readonly workdir: string;
    /** How long the files are looked at, at most. @default {15} */
    readonly timeoutSeconds?: number;
  };

interface TurnChanges {
  around<T>(turn: Turn, play: () => Promise<T>): Promise<T>;
  /** Does what an earlier process of the run was killed before: tells what the turn has changed that ended last. */
  makeUp(): Promise<void>;
}

const CHANGES_FILES: Role = "programmer";

const TIMEOUT_SECONDS = 15;

/** What a journal says is the name of a folder here: agents can write to both. */
const TURN_NAME = /^[\w-]+$/;

/**
 * Begins to keep what turns change. What cannot be told is recorded as unknown, and the run continues. Where it takes too
 * long, or the files cannot be looked at before a turn, that is not tried again.
 */
export function keepTurnChanges(options: TurnChangesOptions): TurnChanges {
  const { workdir, folder, state, record, redactor, timeoutSeconds = TIMEOUT_SECONDS } = options;
  let givenUp: string | undefined;
  const relative = (turnId: string) => `changes/${turnId}`;
  const own = async (turnId: string) => {
    if (!TURN_NAME.test(turnId)) throw new Error("the journal names a turn that no review loop has");
    return await makeFoldersBelow(folder.path, relative(turnId));
  };
  const tellUnknown = ({ turnId, role }: Pick<ChangesDue, "turnId" | "role">, reason: string) =>
    record({ type: "changes_unknown", turnId, role, reason, passable: true });

  async function attempt(
    turn: Pick<ChangesDue, "turnId" | "role">,
    { look, isLasting }: {
      readonly look: (signal: AbortSignal) => Promise<void>;
      readonly isLasting: boolean;
    },
  ): Promise<void> {
    if (givenUp !== undefined) return tellUnknown(turn, `it is not tried again: ${givenUp}`);
    const controller = new AbortController();
    const tooLong = new Error(`the files could not be looked at in ${timeoutSeconds} s`);
    const timer = setTimeout(() => controller.abort(tooLong), timeoutSeconds * 1000);
    try {
      await look(AbortSignal.any([options.signal, controller.signal]));
    } catch (error) {
      options.signal.throwIfAborted();
      if (isLasting || controller.signal.aborted) givenUp = errorText(error);
      tellUnknown(turn, errorText(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async function begin({ id: turnId, role }: Turn): Promise<void> {
    const open = findOpenTurn(state(), turnId);
    if (open?.filesNote !== undefined || open?.changesUnknown === true) return;
    const turn = { turnId, role };
    // What an agent has changed by now cannot be told any more once it was sent something.
    if (open?.message !== undefined || open?.interrupted === true) {
      return tellUnknown(turn, "it was not noted what the files were before its turn");
    }
    await attempt(turn, {
      isLasting: true,
      async look(signal) {
        const baseline = await noteFilesIn({ workdir, folder: await own(turnId), signal });
        record({ type: "files_noted", ...turn, baseline, passable: true });
      },
    });
  }

  async function leave({ turnId, role, baseline }: ChangesDue, options: { readonly late?: true } = {}): Promise<void> {
    const turn = { turnId, role };
    await attempt(turn, {
      isLasting: false,
      async look(signal) {
        const place = { workdir, folder: await own(turnId), signal };
        const before = await readFilesNote(place.folder, baseline);
        const all = await filesChangedSince(before, place);
        const changed = all.filter((name) => !name.startsWith(`${RESPONSE_FOLDER}/`));
        const hasPatch = await leaveChangesIn(place, { changed, note: before, redactor });
        record({
          ...{ type: "files_changed", ...turn, ...namedFiles(changed), ...options },
          ...{ folder: relative(turnId), hasPatch, passable: true },
        });
      },
    });
    forget(turnId);
  }

  /** Only once it is told what the turn has changed: whoever resumes a run that was killed before needs it. */
  function forget(turnId: string): void {
    const place = `${folder.changesDir}/${turnId}`;
    if (!TURN_NAME.test(turnId)) return;
    // An agent may have put a link in the place of either.
    if ([folder.changesDir, place].every((path) => lstatOrUndefined(path)?.isDirectory === true)) forgetNote(place);
  }

  return {
    async around(turn, play) {
      if (turn.role !== CHANGES_FILES) return await play();
      await begin(turn);
      try {
        return await play();
      } finally {
        const { changesDue } = state();
        if (changesDue?.turnId === turn.id) await leave(changesDue);
      }
    },
    async makeUp() {
      const { changesDue, responses } = state();
      if (changesDue !== undefined) return await leave(changesDue, { late: true });
      const last = responses.findLast(({ role }) => role === CHANGES_FILES);
      if (last !== undefined) forget(last.turnId);
    },
  };
}
