import type { AgentFact } from "../../agents/agent.ts";
import { foldRepeated, type RepeatedCommand } from "../../agents/repeated_command.ts";

interface CommandWatchOptions {
  readonly limit: number | undefined;
  /** A fingerprint of the files; `undefined` where it cannot be told. */
  readonly look: () => Promise<string | undefined>;
  readonly onRepeated: (repeated: RepeatedCommand) => void;
}

/**
 * Watches what an agent does in a turn for one command that it repeats. Files are looked at half way and at the limit:
 * a command that changes some each time gets on with something. A look takes its time, so that what is compared is what
 * has happened from the end of one to the beginning of the next.
 */
export function watchCommands({ limit, look, onRepeated }: CommandWatchOptions): (fact: AgentFact) => void {
  if (limit === undefined) return () => {};
  const half = Math.ceil(limit / 2);
  /** How many must follow a look. */
  const others = Math.max(1, limit - half);
  let repeated: RepeatedCommand | undefined;
  let seen: { readonly files: string | undefined; readonly times: number } | undefined;
  let isLooking = false;

  const consider = () => {
    if (isLooking || repeated === undefined) return;
    const { times } = repeated;
    const isDue = seen === undefined ? times >= half : times >= limit && times - seen.times >= others;
    // What makes a look fail ends the turn by itself: the end of the run, or a disk that is full.
    if (isDue) lookAgain(repeated).catch(() => {});
  };
  const lookAgain = async (reached: RepeatedCommand) => {
    isLooking = true;
    const files = await look().finally(() => isLooking = false);
    // Another command has come in between.
    if (repeated === undefined || repeated.times < reached.times) return;
    if (seen !== undefined && files !== undefined && seen.files === files) onRepeated(reached);
    seen = { files, times: repeated.times };
    consider();
  };
  return (fact) => {
    const before = repeated;
    repeated = foldRepeated(before, fact);
    if (repeated === before) return;
    if (repeated === undefined || repeated.times === 1) seen = undefined;
    consider();
  };
}
