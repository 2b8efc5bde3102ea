import { isMessageId } from "../base/terms.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { RunFolder } from "./run_folder.ts";

/**
 * What is told of an answer in the run's own folder. Earlier versions left answers there, where an agent in a sandbox
 * can write as well: it does not count.
 *
 * @param question its id, such as `q1`
 * @returns undefined where there is none
 */
export function strayAnswerMessage({ path }: Pick<RunFolder, "path">, question: string): string | undefined {
  const stray = `${path}/answers/${question}.json`;
  if (!isThere(stray)) return undefined;
  return `the answer in ${stray} does not count: agents can write there; the question stays open`;
}

/**
 * What is told of messages in the run's own folder, like {@linkcode strayAnswerMessage}.
 *
 * @param known the ids of messages that an earlier process has taken
 */
export function strayMessagesMessage(
  { path }: Pick<RunFolder, "path">,
  known: ReadonlySet<string>,
): string | undefined {
  const inbox = `${path}/inbox`;
  for (const id of messageIdsIn(inbox)) {
    if (!known.has(id)) return `the messages in ${inbox} do not count: agents can write there; send them again`;
  }
  return undefined;
}

function* messageIdsIn(inbox: string): Generator<string> {
  try {
    // A link in its place leads elsewhere.
    if (lstatOrUndefined(inbox)?.isDirectory !== true) return;
    for (const { name } of Deno.readDirSync(inbox)) {
      const id = name.replace(/\.json$/, "");
      if (isMessageId(id)) yield id;
    }
  } catch { /* what cannot be looked at is not taken either */ }
}

function isThere(path: string): boolean {
  try {
    return lstatOrUndefined(path) !== undefined;
  } catch {
    return false;
  }
}
