import type { AgentFact } from "../../agents/agent.ts";
import { RESPONSE_FOLDER } from "../../turn/response_files.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import type { Run } from "../../run/execution.ts";
import { noProgressName } from "../../run/no_progress.ts";
import type { Role } from "../../base/roles.ts";
import { watchCommands } from "../files/command_watch.ts";
import { fingerprintFiles } from "../files/fingerprint.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { findOpenTurn } from "../../journal/loop/state.ts";
import type { RunState, Turn } from "./state.ts";
import { evidenceOf } from "./test_evidence.ts";
import { mendsOf } from "./loops.ts";

type WorkWatchOptions =
  & Pick<Run<ReviewFact, RunState>, "folder" | "state" | "record" | "redactor" | "limitOf" | "signal">
  & { readonly workdir: string };

interface WorkWatch {
  around<T>(turn: Turn, play: () => Promise<T>): Promise<T>;
  commandsOf(role: Role, turnId: string): (fact: AgentFact) => void;
  keepEvidence(event: ReviewFact): Promise<void>;
}

export function watchWork(options: WorkWatchOptions): WorkWatch {
  const { workdir, folder, state, record, redactor, limitOf, signal } = options;
  const look = () =>
    fingerprintFiles({
      workdir,
      sinceMs: Date.parse(state().head.startedAt),
      except: [RESPONSE_FOLDER, ".panewright"],
      signal,
    });
  const isCapped = () =>
    [noProgressName("maxTurnsWithoutChange"), noProgressName("maxRoundsWithoutChange")]
      .some((name) => limitOf(name) !== undefined);
  const note = (turn: Turn, moment: "before" | "after", files: string | undefined) => {
    const seen = files === undefined ? {} : { files };
    record({ type: "files_seen", turnId: turn.id, role: turn.role, moment, ...seen, passable: true });
  };
  return {
    commandsOf: (role, turnId) =>
      watchCommands({
        limit: limitOf(noProgressName("maxSameCommand")),
        look,
        onRepeated({ command, times }) {
          // What it repeated does not matter any more once its turn is over.
          if (findOpenTurn(state(), turnId) === undefined) return;
          record({ type: "command_repeated", turnId, role, command: redactor.text(command), times, passable: true });
        },
      }),
    async around(turn, play) {
      if (turn.role !== mendsOf(state().head.settings) || !isCapped()) return await play();
      const open = state().turn;
      // What an agent may have changed by now cannot be told any more once it was sent something.
      const mayHaveBegun = open?.message !== undefined || open?.interrupted === true;
      if (open?.filesSeen !== true) note(turn, "before", mayHaveBegun ? undefined : await look());
      const result = await play();
      note(turn, "after", await look());
      return result;
    },
    async keepEvidence(event) {
      if (event.type !== "round_finished" || event.verdict === "PASS") return;
      const evidence = evidenceOf(state(), event.round);
      if (evidence?.isOfCommand !== true) return;
      // The journal has it, too: that this cannot be written must not end the run.
      await replaceFile(`${folder.path}/${evidence.file}`, redactor.text(evidence.output)).catch(() => {});
    },
  };
}
