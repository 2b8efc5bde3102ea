import { present } from "../../base/schema.ts";
import type { RunState } from "./state.ts";
import { continuationPrompt, perhapsKnownPrompt, replacementPrompt } from "../../turn/instruction.ts";
import type { BegunTurn } from "../../turn/turn.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readMessage } from "./messages.ts";
import type { OpenTurn } from "../../journal/loop/state.ts";

interface ContinueOptions {
  readonly prompt: string;
  readonly expectsResponse: boolean;
  readonly folder: RunFolder;
  readonly workdir: string;
  readonly agents: RunState["agents"];
}

interface Continuation {
  readonly message: string;
  readonly messageKind: "prompt" | "continuation";
  readonly begun: BegunTurn;
}

/** How a turn is played that an earlier process, or an earlier agent, began: from where that one left it. */
export async function continueTurn(
  open: OpenTurn,
  { prompt, expectsResponse, folder, workdir, agents }: ContinueOptions,
): Promise<Continuation> {
  const begun = await begunTurn(folder, open);
  // The request to continue asks for a response: where none is wanted, the prompt is sent once more.
  const isContinued = open.interrupted && expectsResponse && agents[open.role]?.hasMemory === true;
  const messageKind = isContinued ? "continuation" : "prompt";
  // An agent that lost its prompt in the middle of the work is told so, unless the prompt waits to be sent already.
  if (!open.interrupted || open.message !== undefined) return { message: prompt, messageKind, begun };
  if (!isContinued) return { message: replacementPrompt(prompt), messageKind, begun };
  // Where it was about to be sent when panewright was killed, nobody knows whether the session holds it.
  const message = open.taken ? continuationPrompt(workdir, open.role) : perhapsKnownPrompt(prompt);
  return { message, messageKind, begun };
}

async function begunTurn(folder: RunFolder, open: OpenTurn): Promise<BegunTurn> {
  const { message, dispatchedAtMs, usedSeconds, reminders, tried, acceptedDialogs, declinedDialogs } = open;
  return {
    usedSeconds,
    reminders,
    tried,
    acceptedDialogs,
    declinedDialogs,
    ...present({
      dispatch: dispatchedAtMs === undefined ? undefined : { mtimeMs: dispatchedAtMs },
      message: message && { what: message.what, step: message.step, text: await readMessage(folder, message) },
    }),
  };
}
