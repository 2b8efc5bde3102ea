import { responseFileInstruction } from "../../../turn/instruction.ts";
import { formatTestCommand } from "../../test_command.ts";
import { abridge } from "../../../base/text/abridge.ts";
import { condense } from "../../../base/text/condense.ts";
import { firstRole } from "../loops.ts";
import { readBy, rolesIn, testerIn } from "../shapes.ts";
import { firstApprovalCycle } from "../evidence.ts";
import { REVIEW_VERDICT_FORM } from "../../verdicts.ts";
import type { Role } from "../../../base/roles.ts";
import type { BaseTests } from "../../../journal/loop/state.ts";
import type { LoopContext, LoopState, Turn } from "../state.ts";
import { plainText } from "../../../base/text/sanitize.ts";
import { dataBlock, jobBlock } from "../../../base/text/markdown.ts";

export interface PromptInput {
  readonly context: LoopContext;
  readonly state: LoopState;
  readonly turn: Turn;
  /** What the project's tests had come to before; missing where that is not known. */
  readonly base?: BaseTests;
  /** What a judge has found of the work that is to be reviewed. @default {[]} */
  readonly judged?: readonly string[];
}

/** The parts of a prompt; one that has nothing to say is undefined. */
export type PromptParts = readonly (string | undefined)[];

export function assemble(input: PromptInput, parts: PromptParts): string {
  const all = [...parts, responseFileInstruction(input.context.workdir, input.turn.role)];
  return all.filter((part) => part !== undefined && part !== "").join("\n\n");
}

/**
 * A title and a text of at most `maxLines` lines, or as long as it is; the title says whether anything was left out.
 */
export function condensed(title: string, text: string, maxLines: number | undefined): [string, string] {
  if (maxLines === undefined) return [title, text];
  const plain = plainText(text);
  const short = condense(plain, { maxLines });
  return [short.trim() === plain.trim() ? title : `${title}, condensed`, short];
}

interface Quoted {
  readonly text: string;
  readonly files: readonly string[];
  /** How many lines of it are enough. @default {all} */
  readonly maxLines?: number | undefined;
}

/**
 * A title and what is quoted of a response below it: as many lines as are enough, and in any case no more characters
 * than the settings allow. Of a response that is longer the title names the file, which has all of it.
 */
export function quoted(
  { context: { settings } }: PromptInput,
  title: string,
  { text, files, maxLines, maxChars = settings.maxResponseChars }: Quoted & { readonly maxChars?: number },
): [string, string] {
  const [shortTitle, short] = condensed(title, text, maxLines);
  if (text.length <= settings.maxResponseChars && short.length <= maxChars) return [shortTitle, short];
  const where = files.length === 0 ? "" : `; read what is missing in ${files.join(" and ")}`;
  return [`${title}, condensed${where}`, abridge(plainText(short), { maxChars })];
}

export function heading({ context, turn }: PromptInput, duty: string): string {
  const cycle = turn.cycle === 0 ? "" : `, review cycle ${turn.cycle} of at most ${context.settings.maxReviewCycles}`;
  const words = context.settings.words?.[turn.role];
  return `You are the ${turn.role} of this job. ${duty}\nRound ${turn.round} of at most ${context.settings.maxRounds}${cycle}. Working directory: ${context.workdir}` +
    (words === undefined ? "" : `\n\n${jobBlock(`WHAT THIS PROJECT WANTS OF THE ${turn.role.toUpperCase()}`, words)}`);
}

export function isRepeat({ state, turn }: PromptInput): boolean {
  return state.prompted.includes(turn.role);
}

export function exploreSummary(input: PromptInput): string {
  const { job, settings } = input.context;
  const text = job.introduction === "" ? job.exploreSummary : `${job.introduction}\n\n${job.exploreSummary}`;
  const isShort = isRepeat(input) && settings.condenseExploreOnRepeat;
  return jobBlock(...condensed("EXPLORE SUMMARY", text, isShort ? settings.maxCrossPhaseLines : undefined));
}

export function scenarioTest({ context }: PromptInput, title = "SCENARIO TEST"): string {
  return jobBlock(title, context.job.scenarioTest);
}

/**
 * The last output of another role, condensed on repeat, or a placeholder where that role has not worked; nothing of a
 * role that the loop has not.
 */
export function upstream(
  input: PromptInput,
  options: { readonly role: Role; readonly always?: "full" },
): string | undefined {
  const { role } = options;
  const { settings } = input.context;
  if (!rolesIn(settings).includes(role)) return undefined;
  const output = input.state.outputs[role];
  const title = `OUTPUT OF THE ${role.toUpperCase()}`;
  const files = input.state.sources[role]?.files ?? [];
  if (output === undefined) {
    return `${title}: there is none, because this run was started at ${firstRole(settings)}. ` +
      "Rely on the explore summary and on what is in the working directory.";
  }
  const isShort = isRepeat(input) && settings.condenseUpstreamOnRepeat && options.always !== "full";
  const maxLines = isShort ? settings.maxCrossPhaseLines : undefined;
  return dataBlock(...quoted(input, title, { text: output, files, maxLines }));
}

/** What the tester has made before anybody programs, where the loop begins so. */
export function acceptanceTests(input: PromptInput): string | undefined {
  const { settings } = input.context;
  const writesTests = testerIn(settings) !== "tester" && rolesIn(settings).includes("tester");
  return writesTests ? upstream(input, { role: "tester" }) : undefined;
}

/** What the roles have said that the configuration has this one read. */
export function read(input: PromptInput): PromptParts {
  const { context: { settings }, turn } = input;
  return readBy(turn.role, settings).flatMap((role) => [
    upstream(input, { role }),
    feedback(input, {
      author: role,
      title: `OPEN POINTS OF A REVIEW OF THE ${role.toUpperCase()}, which did not approve`,
    }),
  ]);
}

export function ownOutput(input: PromptInput): string | undefined {
  const output = input.state.outputs[input.turn.role];
  if (output === undefined || isRepeat(input)) return undefined;
  const files = input.state.sources[input.turn.role]?.files ?? [];
  return dataBlock(...quoted(input, "YOUR LAST OUTPUT", { text: output, files }));
}

export function feedback(
  input: PromptInput,
  options: { readonly author: Role; readonly title: string },
): string | undefined {
  const given = input.state.feedback[options.author];
  if (given === undefined) return undefined;
  const { settings } = input.context;
  const maxLines = settings.condenseReviewFeedback ? settings.maxFeedbackLines : undefined;
  const note = given.note === undefined ? "" : `\nNote by panewright: ${given.note}.`;
  return dataBlock(...quoted(input, options.title, { ...given, maxLines })) + note;
}

export function quotedTestCommand({ context }: PromptInput): string | undefined {
  const command = context.settings.projectTestCmd;
  return command === undefined ? undefined : jobBlock("PROJECT TEST COMMAND", formatTestCommand(command));
}

/**
 * How a review is to be written: the parts that the gate asks for, and the verdict, phrased so that an echo of it is
 * not a verdict.
 */
export function reviewForm({ context, state, turn }: PromptInput, author: Role): string {
  const subject = reviewedWork(author);
  const firstApproval = firstApprovalCycle(context.settings);
  const { [author]: given } = state.feedback;
  const note = given?.by === turn.role ? given.note : undefined;
  return `Your review has these parts, each under its own label, and the label in English:
1. Artefacts and judgement: every artefact of ${subject} that you looked at, with its path, and what you found.
2. Traceability and coverage: for each point of the job and the scenario test, where it is dealt with, or that it is missing.
3. Interfaces, files and modules: those that you opened, with their paths. Open at least 2 files that really exist.
4. Action items: one list item each, with what is to be done in which file. Say so where there are none.
5. The label REVIEW_NOTES followed by a colon and your conclusions in full sentences.
${REVIEW_VERDICT_FORM}
The verdict is REVISE unless you have checked everything above yourself and found nothing that must change. \
An approval without the parts above is not accepted${
    turn.cycle < firstApproval ? `, nor is one before review cycle ${firstApproval}: look for what can be better` : ""
  }.${note === undefined ? "" : `\nNote by panewright on your last review: ${note}.`}`;
}

/** What of an author's work is reviewed. */
export function reviewedWork(author: Role): string {
  if (author === "analyst") return "the analysis";
  return author === "programmer" ? "the changes" : `the work of the ${author}`;
}

/** What of the last round passed, and did not hold: whoever looks at what mends it is to know. */
export function unheld({ state: { testEvidence } }: PromptInput): string | undefined {
  const { command, round } = testEvidence ?? {};
  if (command?.problem === undefined) return undefined;
  return dataBlock(`WHAT DID NOT HOLD AFTER ROUND ${round}, which these changes are to mend`, command.output);
}
