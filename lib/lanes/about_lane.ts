import { present } from "../base/schema.ts";
import type { LaneState } from "../journal/exec/state.ts";
import { runCommandLine } from "../run/command_line.ts";

/** The fields by which records name a lane. */
export function aboutLane({ attempt, file, number: task, part }: LaneState) {
  return { task, file, ...present({ part, attempt }) };
}

/** What a person types to answer what the run of a lane asks. */
export function answerCommand(
  run: string,
  { question, workdir, isPermission }: {
    readonly question: string;
    readonly workdir: string;
    readonly isPermission: boolean;
  },
): string {
  const words = isPermission ? "yes, or no and why" : "YOUR ANSWER";
  return `${runCommandLine(["answer", run, "--question", question], workdir)} "${words}"`;
}
