import type { LoopState, RunState } from "./state.ts";

/** What the test of a round has shown, and the file that holds it, below the run's folder. */
interface RoundEvidence {
  readonly output: string;
  readonly file: string;
  readonly isOfCommand: boolean;
}

/**
 * What the test of a round that failed has shown: what the project's test command wrote where that failed, otherwise
 * what the tester reported. `undefined` for a round that came to no test, or whose test wrote nothing.
 */
export function evidenceOf(
  { loop: { testEvidence }, responses }: Pick<RunState, "responses"> & {
    readonly loop: Pick<LoopState, "testEvidence">;
  },
  round: number,
): RoundEvidence | undefined {
  if (testEvidence?.round !== round) return undefined;
  const { command, report } = testEvidence;
  if (command?.passed === false) {
    const { exitCode, output } = command;
    // One that writes nothing does not tell one failure from the next.
    if (output.trim() === "") return undefined;
    return { output: `exit code ${exitCode}\n${output}`, file: `evidence/r${round}-test.txt`, isOfCommand: true };
  }
  const path = responses.findLast(({ role }) => role === "tester")?.path ?? "";
  return { output: report, file: `responses/${path.replace(/^.*\//, "")}`, isOfCommand: false };
}
