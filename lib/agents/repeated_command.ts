import type { AgentFact } from "./agent.ts";
import { steadyText } from "../base/text/steady_text.ts";

export interface RepeatedCommand {
  readonly command: string;
  readonly output: string;
  readonly times: number;
}

/** A command that has not ended: the agent waits for it, which is no repetition. */
const STILL_RUNS = /^Process running with session ID |<status>running<\/status>/m;

/** What Codex writes above a command's output for its model: an id, the time that it took, the exit code (0.169.0). */
const HEADER =
  /^(?:Chunk ID|Wall time|Exit code|Process exited with code|Original token count|Total output lines)\b.*\n/;

/**
 * What an agent repeats after something that it said or did. The same command with another output is not the same: that
 * is how an agent waits for something.
 */
export function foldRepeated(before: RepeatedCommand | undefined, fact: AgentFact): RepeatedCommand | undefined {
  switch (fact.type) {
    case "ran":
      return before?.command === fact.command ? before : undefined;
    case "saw": {
      const { command, exitCode } = fact;
      if (STILL_RUNS.test(fact.output)) return undefined;
      const output = `${exitCode ?? ""}\n${steadyText(bareOutput(fact.output))}`;
      const isSame = before?.command === command && before.output === output;
      return { command, output, times: isSame ? before.times + 1 : 1 };
    }
    default:
      return before;
  }
}

function bareOutput(output: string): string {
  let bare = output;
  while (HEADER.test(bare)) bare = bare.replace(HEADER, "");
  return bare.replace(/^Output:\n/, "");
}
