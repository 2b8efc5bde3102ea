import { shellJoin } from "../shell/quote.ts";

/**
 * A command line about a run, as the person can call it.
 *
 * @param wd the run's working directory as they named it, where they did
 */
export function runCommandLine(words: readonly string[], wd?: string): string {
  return shellJoin(["panewright", ...words, ...(wd === undefined ? [] : ["--wd", wd])]);
}
