import { parsePersonsAnswer } from "../../../base/terms.ts";
import { condense } from "../../../base/text/condense.ts";
import type { Attempt, StepPlace } from "../machine.ts";
import type { ExecSettings } from "../settings.ts";
import type { ChangedFiles, Interaction } from "../../../journal/exec/state.ts";
import { autonomySection } from "./autonomy.ts";
import { fillReferences, type Reference } from "./references.ts";
import { UsageError } from "../../../base/errors.ts";
import { REVIEW_VERDICT_FORM } from "../../verdicts.ts";
import { plainText, sanitizeLine } from "../../../base/text/sanitize.ts";
import { dataBlock, jobBlock } from "../../../base/text/markdown.ts";

const MAX_FEEDBACK_LINES = 120;
const MAX_LOG_LINES = 200;
const MAX_FINAL_LINES = 400;
const MAX_FINAL_LINE_LENGTH = 4000;

export interface StepPromptInput {
  readonly at: StepPlace;
  readonly attempt: Attempt;
  readonly settings: ExecSettings;
  readonly workdir: string;
  /** What the working directory was before the project was carried elsewhere. @default {[]} */
  readonly carriedFrom?: readonly string[];
  /** The text of the step's prompt file; undefined where the step's prompt is the task itself. */
  readonly stepText: string | undefined;
  readonly interactions: readonly Interaction[];
  /** Absolute path of the folder with the programs that ask: the PATH of the agent's commands may be another one. */
  readonly launcherFolder: string;
}

export function buildStepPrompt(input: StepPromptInput): string {
  const answered = input.attempt.reason === "answered" ? lastAnswers(input.interactions) : undefined;
  if (input.attempt.resumeSessionId !== undefined && input.attempt.restates !== true) {
    const news = input.at.step.said?.isHeard === false ? `${said(input)}\n\n` : "";
    if (answered !== undefined) return news + answered;
    if (input.attempt.reason === "recovered") return news + CONTINUE;
    if (input.attempt.reason === "handed_back") return news + HANDED_BACK;
    if (input.attempt.reason === "told") return news + GO_ON;
  }
  return [
    heading(input),
    ...task(input),
    lastRound(input),
    allowedWrites(input),
    autonomySection(input.at.autonomyLevel, askCommand(input)),
    interactionHistory(input.interactions),
    previousAttempt(input),
    said(input),
    answered === undefined ? undefined : `${answered}\n\nContinue the step from where it stands.`,
    END,
    isReview(input.at) ? REVIEW : undefined,
  ].filter((part) => part !== undefined && part !== "").join("\n\n");
}

function askCommand({ settings, launcherFolder }: StepPromptInput): readonly string[] {
  const [program = "panewright", ...words] = settings.askCommands[0] ?? ["panewright", "ask"];
  return [`${launcherFolder}/${program}`, ...words];
}

const HANDED_BACK =
  `A person has taken over in this session, and now hands it back to you. What they said and did in it holds: look at \
the working directory first, keep what is there, and finish your step.`;

/** What a person has said since the step was begun; what they say holds, like the task. */
function said({ at: { step } }: StepPromptInput): string | undefined {
  return step.said && jobBlock("A PERSON HAS STOPPED YOU TO SAY", step.said.text);
}

const GO_ON =
  "Do what a person asks for, look at the working directory first, keep what is right, and finish your step.";

const CONTINUE =
  `The model server failed while you worked on your step. Continue it. What you had begun may be half done: look \
at the working directory first, keep what is right, and finish the rest.`;

const END =
  "When the step is done, end your turn with a short summary of what you did. Do not start anything that keeps running after that.";

const REVIEW =
  `Your step is a review: change nothing yourself. That last message is all that others will see of it. It says what \
you have checked and, for everything that must change, in which file, what and why.
${REVIEW_VERDICT_FORM}
The verdict is REVISE unless you have checked everything yourself and found nothing that must change.`;

/** The answers to all that the last attempt asked, which has one time. */
function lastAnswers(all: readonly Interaction[]): string | undefined {
  const last = all.at(-1);
  if (last === undefined) return undefined;
  const given = all.filter(({ step, askedAt }) => step === last.step && askedAt === last.askedAt);
  return given.map(answerPrompt).join("\n\n");
}

function answerPrompt({ text, answer, by, isPermission }: Interaction): string {
  if (isPermission === true) return permissionPrompt({ text, answer, by });
  return `${dataBlock("YOUR QUESTION", text)}\n\n${jobBlock(`The answer${OF[by]} to it`, answer)}`;
}

/** Whose an answer is: nobody's where it is the one that was prepared. */
const OF: Readonly<Record<Interaction["by"], string>> = {
  terminal: " of the person",
  command: " of the person",
  http: " of the person",
  notification: " of the person",
  mcp: " of another model, in place of the person,",
  timeout: "",
  level: "",
  cap: "",
  assume: "",
};

function permissionPrompt({ text, answer, by }: Pick<Interaction, "text" | "answer" | "by">): string {
  const permits = by === "mcp" ? "Another model, in place of the person, permits" : "The person permits";
  const said = parsePersonsAnswer(answer)?.answer === "accept"
    ? `${permits} it, once. Make the very same call again, word for word: any other one is asked about anew.`
    : `${
      jobBlock(`The answer${by === "mcp" ? OF.mcp : OF.command} to it`, answer)
    }\n\nIt is refused. Do not do the same thing in another way. ` +
      "Continue without it; if that is impossible, say so, and end your turn.";
  return `${dataBlock("WHAT YOU WANTED TO DO", text)}\n\n${said}`;
}

function heading({ at, attempt, workdir, carriedFrom = [] }: StepPromptInput): string {
  const { task, step, plan } = at;
  const again = (step.round === 1 ? "" : ` You have done it before: this is round ${step.round} of it.`) +
    (attempt.number === 1 ? "" : ` This is attempt ${attempt.number} of it.`);
  return `You carry out one step of a task, without a person watching: step ${step.number} of ${task.steps.length}, ` +
    `"${plan.name}".${again}\nSteps: ${task.steps.join(", ")}. Do this one only. Working directory: ${workdir}` +
    carriedFrom.filter((before) => before !== workdir).map((before) =>
      `\nThe project was in ${before} before. Use nothing of that folder: where a path below it is named, the one below ${workdir} is meant.`
    ).join("");
}

function task({ at, stepText }: StepPromptInput): string[] {
  const text = at.task.text;
  if (stepText === undefined && isReview(at)) return [jobBlock("THE TASK WHOSE RESULT YOU REVIEW", text), ...done(at)];
  return stepText === undefined ? [jobBlock("YOUR STEP IS THE TASK ITSELF", text)] : [
    jobBlock(`YOUR STEP, "${at.plan.name}"`, fillReferences(stepText, (reference) => valueOf(reference, at))),
    jobBlock("THE TASK THAT IT BELONGS TO", text),
  ];
}

function isReview({ plan: { checks } }: StepPlace): boolean {
  return checks.some(({ type }) => type === "review");
}

/** What a reviewer is told of the other steps, where no prompt of its own says it. */
function done({ plan, task }: StepPlace): string[] {
  return task.outputs.filter(({ name }) => name !== plan.name).flatMap(({ files, finalText, name }) => [
    dataBlock(`WHAT STEP "${name}" SAID AT ITS END`, finalOf(finalText)),
    dataBlock(`THE FILES THAT STEP "${name}" HAS CHANGED`, filesText(files)),
  ]);
}

function valueOf({ text, step, field }: Omit<Reference, "line">, { task, plan }: StepPlace): string {
  const output = task.outputs.find(({ name }) => name === step);
  if (output === undefined) {
    throw new UsageError(`Cannot start step "${plan.name}": its prompt has ${text}, and no such step has been done`);
  }
  switch (field) {
    case "final":
      return finalOf(output.finalText);
    case "files":
      return filesText(output.files);
    default:
      throw new UsageError(`Cannot start step "${plan.name}": its prompt has ${text}, which names nothing of a step`);
  }
}

function finalOf(text: string): string {
  if (text.trim() === "") return "(Nothing.)";
  return condense(plainText(text), { maxLines: MAX_FINAL_LINES, maxLineLength: MAX_FINAL_LINE_LENGTH });
}

function filesText(files: ChangedFiles | undefined): string {
  if (files === undefined) return "(It cannot be told which files it has changed.)";
  if (files.names.length === 0) return "(It has changed no file.)";
  return [...files.names.map(sanitizeLine), ...(files.more === 0 ? [] : [`(and ${files.more} more)`])].join("\n");
}

function lastRound({ at: { task, step } }: StepPromptInput): string | undefined {
  const { ledBy, round, number } = step;
  const parts: string[] = [];
  const before = round === 1 ? undefined : task.outputs.find((output) => output.step === number);
  if (before !== undefined) {
    parts.push(dataBlock("WHAT YOU SAID AT THE END OF THE ROUND BEFORE", finalOf(before.finalText)));
  }
  if (ledBy !== undefined) {
    const title = `WHAT STEP "${ledBy.name}" FOUND, WHICH IS WHY IT IS YOUR TURN`;
    parts.push(`${dataBlock(title, finalOf(ledBy.finding))}\nDeal with all of it.`);
  }
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

function allowedWrites({ at }: StepPromptInput): string | undefined {
  const { allowWrite } = at.plan;
  return allowWrite === undefined
    ? undefined
    : jobBlock("THE ONLY FILES THAT YOU MAY CREATE, CHANGE OR DELETE IN THIS STEP (globs)", allowWrite.join("\n"));
}

function interactionHistory(all: readonly Interaction[]): string | undefined {
  const interactions = all.filter(({ isPermission }) => isPermission !== true);
  if (interactions.length === 0) return undefined;
  const entries = interactions.map(({ step, text, answer, by }, index) =>
    `${index + 1}. Step "${step}" asked:\n${indented(text)}\n   ${ANSWERED[by]}:\n${indented(answer)}`
  );
  return jobBlock("QUESTIONS AND ANSWERS SO FAR (they hold; do not ask again)", entries.join("\n"));
}

const ANSWERED: Readonly<Record<Interaction["by"], string>> = {
  terminal: "A person answered",
  command: "A person answered",
  http: "A person answered",
  mcp: "Another model answered",
  notification: "A person answered",
  timeout: "Nobody answered in time; the answer prepared for that",
  level: "Nobody was asked; the answer was",
  cap: "Nobody was asked any more; the answer was",
  assume: "Nobody was asked; the answer was",
};

function previousAttempt({ at, attempt }: StepPromptInput): string | undefined {
  const { attemptLog, feedback } = at.step;
  const parts: string[] = [];
  if (attempt.reason !== "first" && attemptLog.trim() !== "") {
    const log = condense(plainText(attemptLog), { maxLines: MAX_LOG_LINES });
    parts.push(dataBlock(`WHAT YOU DID BEFORE, IN THE ATTEMPT THAT ${ENDED[attempt.reason]}`, log));
  }
  if (feedback !== undefined) {
    const text = condense(plainText(feedback), { maxLines: MAX_FEEDBACK_LINES });
    parts.push(`${dataBlock("WHY THE LAST ATTEMPT IS NOT GOOD ENOUGH", text)}\nRepair that.`);
  }
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

const ENDED: Readonly<Record<Exclude<Attempt["reason"], "first">, string>> = {
  retry: "FAILED",
  answered: "YOUR QUESTION STOPPED",
  interrupted: "WAS INTERRUPTED",
  limit_reset: "THE USAGE LIMIT STOPPED",
  recovered: "A FAILURE STOPPED THAT WAS NOT ITS OWN",
  handed_back: "A PERSON HAS TAKEN OVER",
  told: "A PERSON HAS STOPPED",
};

function indented(text: string): string {
  return plainText(text).trim().split("\n").map((line) => `     ${line}`).join("\n");
}
