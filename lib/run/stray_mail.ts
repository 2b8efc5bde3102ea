import { lstatOrUndefined } from "../base/ports/files.ts";
import type { RunFolder } from "./run_folder.ts";
import { listInbox } from "./inbox.ts";

/**
 * What is told of an answer in the run's own folder. Earlier versions left answers there, where an agent in a sandbox
 * can write as well: it does not count.
 */
export function strayAnswerMessage({ path }: Pick<RunFolder, "path">, question: string): string | undefined {
  const stray = `${path}/answers/${question}.json`;
  const isThere = unlessHidden(() => lstatOrUndefined(stray) !== undefined);
  return isThere ? `the answer in ${stray} does not count: agents can write there; the question stays open` : undefined;
}

/** Like {@linkcode strayAnswerMessage}; `known` are the ids of messages that an earlier process has taken. */
export function strayMessagesMessage(
  { path }: Pick<RunFolder, "path">,
  known: ReadonlySet<string>,
): string | undefined {
  const inboxDir = `${path}/inbox`;
  const isThere = unlessHidden(() =>
    // A link in its place leads elsewhere.
    lstatOrUndefined(inboxDir)?.isDirectory === true && listInbox({ inboxDir }).some((id) => !known.has(id))
  );
  return isThere ? `the messages in ${inboxDir} do not count: agents can write there; send them again` : undefined;
}

/** What cannot be looked at is not taken either. */
function unlessHidden(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}
