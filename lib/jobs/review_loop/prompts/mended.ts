import type { TestCommandResult } from "../../test_command.ts";
import { condensed, type PromptInput, quoted } from "./shared.ts";
import { dataBlock } from "../../../base/text/markdown.ts";

/** Why the last round failed, for whoever mends it. */
export function testEvidence(input: PromptInput): (string | undefined)[] {
  const evidence = input.state.testEvidence;
  if (evidence === undefined) return [];
  const { round, report: text, files, note, command } = evidence;
  const { settings } = input.context;
  const maxLines = settings.condenseTestEvidence ? settings.maxTestEvidenceLines : undefined;
  return [
    `The test of round ${round} failed${note === undefined ? "" : ` (${note})`}. ` +
    "Find the cause in the evidence below and repair it.",
    text === "" ? undefined : dataBlock(...quoted(input, `TEST REPORT OF ROUND ${round}`, { text, files, maxLines })),
    command === undefined ? undefined : commandOutput(command, maxLines),
  ];
}

function commandOutput(command: TestCommandResult, maxLines: number | undefined): string {
  const end = command.problem !== undefined
    ? "on a fresh checkout"
    : command.timedOut
    ? "killed at its time limit"
    : `exit code ${command.exitCode}`;
  const title = `OUTPUT OF THE PROJECT TEST COMMAND, ${end}${command.truncated ? ", the end of it" : ""}`;
  return dataBlock(...condensed(title, command.output.trim() === "" ? "(no output)" : command.output, maxLines));
}

export function earlierChanges(input: PromptInput): string | undefined {
  const { earlierChanges } = input.state;
  if (earlierChanges.length === 0) return undefined;
  const { settings } = input.context;
  const reports = earlierChanges.map(({ round, report: text, files }, index) => {
    const share = (most: number) => Math.ceil(most / (earlierChanges.length - index));
    const maxLines = settings.condenseCrossPhase ? share(settings.maxCrossPhaseLines) : undefined;
    const maxChars = share(settings.maxResponseChars);
    return quoted(input, `Round ${round}`, { text, files, maxLines, maxChars }).join(":\n");
  });
  return dataBlock("CHANGES THAT YOU REPORTED IN EARLIER ROUNDS", reports.join("\n\n"));
}
