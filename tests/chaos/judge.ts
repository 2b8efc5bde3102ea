import { type EndedCommand, KILLED_CODE } from "./command.ts";
import type { Blow } from "./plan.ts";
import type { SeenRecord } from "./run_so_far.ts";

/**
 * What is wrong with how a command has ended, a sentence each. One that nothing was done to has to pass; one whose
 * agents were killed may say so, with the command that resumes the run.
 *
 * @param records what the command has written into the journal
 */
export function judgeCommand(
  { code, stdout, stderr, hits }: EndedCommand,
  { blow, records }: { readonly blow: Blow | undefined; readonly records: readonly SeenRecord[] },
): string[] {
  const problems: string[] = [];
  if (/^\s+at .+:\d+:\d+\)?$/m.test(stderr)) problems.push("a command showed a stack trace");
  if (code === undefined) return [...problems, "a command did not end"];
  const agentsWereHit = hits.some((hit) => !hit.startsWith("panewright"));
  const end = records.find(({ type, outcome }) => type === "run_finished" && outcome !== "pass");
  if (end !== undefined && !agentsWereHit) {
    problems.push(`a command whose agents were left alone came to the outcome "${end.outcome}": ${end.reason}`);
  }
  const mayBeKilled = blow?.strikes.some(({ target }) => target === "panewright") === true;
  if (code === 0 || (code === KILLED_CODE && mayBeKilled)) return problems;
  if (!agentsWereHit) return [...problems, `a command that nothing was done to ended with ${code}`];
  if (code !== 1) problems.push(`a command whose agents were hit ended with ${code}`);
  if (!/panewright\S* resume /.test(`${stdout}${stderr}`)) {
    problems.push("a command whose agents were hit does not say how to resume");
  }
  return problems;
}
