import { exists } from "@std/fs";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { type AgentShell, wrongQuestion } from "../support/ask_forms.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { ANSWER, type AskProject, askProject } from "./ask_project.ts";

/** When a command is killed with SIGKILL. */
export type KillMoment =
  /** At a record of the journal that it writes; `fault` as PANEWRIGHT_FAULT has it. */
  | { readonly in: "exec" | "resume"; readonly fault: string }
  /** So long after the journal has its first attempt, or for `answer` after its start. */
  | { readonly in: "exec" | "resume" | "answer"; readonly afterMs: number };

/** An ask to be played. */
export interface AskPlay {
  readonly panewright: PanewrightCommand;
  readonly shell: AgentShell;
  readonly form: string;
  /** @default {nothing is killed} */
  readonly kill?: KillMoment;
}

/** What came of it. */
export interface PlayedAsk {
  /** What is wrong, a sentence each. */
  readonly violations: readonly string[];
  /** Whether the moment of the kill came. */
  readonly wasKilled: boolean;
  /** The commands and how they ended. */
  readonly story: readonly string[];
}

const KILLED = 137;

/** More commands are not needed for one kill. */
const MAX_COMMANDS = 12;

/**
 * Plays an ask by the front door: `exec` asks and exits with 3, `answer`, `resume` passes. What was killed is called
 * again. However that goes, the question is asked once, and nothing is done and passed before its answer.
 */
export async function playAsk(play: AskPlay): Promise<PlayedAsk> {
  await using project = await askProject(play);
  const story: string[] = [];
  const violations: string[] = [];
  let { kill } = play;
  let wasKilled = false;
  const command = async (name: "exec" | "resume" | "answer", ...args: readonly string[]): Promise<number> => {
    const due = kill?.in === name ? kill : undefined;
    if (due !== undefined) kill = undefined;
    const code = await runCommand(project, [name, ...args], due);
    if (due !== undefined && code === KILLED) wasKilled = true;
    story.push(`${name} ${args.join(" ")}${due === undefined ? "" : `, killed ${JSON.stringify(due)}`}: ${code}`);
    return code;
  };
  const isAnswered = () => project.records().some(({ type }) => type === "question_answered");
  let isOver = false;
  let answersGiven = 0;
  for (let count = 0; !isOver && count < MAX_COMMANDS; count++) {
    const id = project.runId();
    const before = answersGiven;
    const code = id === undefined ? await command("exec", "task.md") : await command("resume", id);
    if (await exists(`${project.sandbox.project}/answered`) && before === 0) violations.push("it worked unanswered");
    if (code === 0) {
      isOver = true;
      if (before === 0) violations.push("it passed unanswered");
    } else if (code === 3) {
      if (isAnswered()) violations.push("it asks although it has the answer");
      for (let again = 0; again < 3; again++) {
        const given = await command("answer", project.runId() ?? "", "--question", "q1", ANSWER);
        if (given === 0 || answersGiven > 0 && given === 2) break;
        if (given !== KILLED) violations.push(`answer exited with ${given}`);
        else answersGiven++;
      }
      answersGiven++;
    } else if (code !== KILLED) {
      violations.push(`a command exited with ${code}`);
      break;
    }
  }
  if (!isOver) violations.push("it did not come to its end");
  const records = project.records();
  const asked = records.filter(({ type }) => type === "question_asked");
  const answered = records.filter(({ type }) => type === "question_answered");
  if (asked.length !== 1) violations.push(`${asked.length} questions were asked`);
  if (answered.length !== 1) violations.push(`${answered.length} answers were taken`);
  if (answered.some(({ answer }) => answer !== ANSWER)) violations.push("the answer is another one");
  const wrong = asked.flatMap(({ text = "" }) => wrongQuestion(text, play.form, play.shell) ?? []);
  violations.push(...wrong);
  if (!await exists(`${project.sandbox.project}/answered`)) violations.push("the work was not done");
  if (play.form.includes(" before") && !await exists(`${project.sandbox.project}/before`)) {
    violations.push("what stands before the ask did not run");
  }
  await project.sandbox.assertNothingLeft().catch((error) => violations.push(String(error)));
  return { violations, wasKilled, story };
}

async function runCommand(
  project: AskProject,
  args: readonly string[],
  kill: KillMoment | undefined,
): Promise<number> {
  const env = kill !== undefined && "fault" in kill ? { PANEWRIGHT_FAULT: kill.fault } : {};
  await using running = project.start(env, ...args);
  let isOver = false;
  const ended = running.ended.finally(() => isOver = true);
  if (kill !== undefined && "afterMs" in kill) {
    const known = project.records().length;
    const hasBegun = () =>
      kill.in === "answer" || project.records().slice(known).some(({ type }) => type === "attempt_started");
    while (!isOver && !hasBegun()) await systemClock.sleep(5);
    await systemClock.sleep(kill.afterMs);
    if (!isOver) running.kill("SIGKILL");
  }
  return (await ended).code;
}
