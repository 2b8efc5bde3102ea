import { TEST_VERDICT_FORM } from "../../verdicts.ts";
import { givenBy } from "../loops.ts";
import { authorOf, mendsIn } from "../shapes.ts";
import { earlierChanges, testEvidence } from "./mended.ts";
import {
  acceptanceTests,
  assemble,
  exploreSummary,
  feedback,
  heading,
  ownOutput,
  type PromptInput,
  type PromptParts,
  quotedTestCommand,
  read,
  reviewedWork,
  reviewForm,
  scenarioTest,
  upstream,
} from "./shared.ts";

/** The prompt of a role that the configuration makes: its task is in the words that stand below its heading. */
export function ownRolePrompt(input: PromptInput): string {
  const { context: { settings }, turn: { role } } = input;
  const author = authorOf(role, settings);
  const gives = givenBy(role, settings);
  const duty = author !== undefined
    ? `You review ${reviewedWork(author)}. You change no file, and you trust no statement that you have not checked.`
    : gives === "test"
    ? "You find out whether the work does what is asked, and report what happened. You do not edit code, and you do not run git."
    : "Your task is what this project wants of you, below.";
  const whose = author === undefined ? undefined : upstream(input, { role: author, always: "full" });
  return assemble(input, [
    heading(input, duty),
    exploreSummary(input),
    scenarioTest(input),
    acceptanceTests(input),
    quotedTestCommand(input),
    ...read(input),
    ...(mendsIn(settings) === role ? [...testEvidence(input), earlierChanges(input)] : []),
    whose,
    ...(author !== undefined
      ? [`Check it against the project's code itself, not only against the report.`, reviewForm(input, author)]
      : gives === "test"
      ? [TEST_FORM]
      : workForm(input)),
  ]);
}

const TEST_FORM = `Do not repair anything: what fails goes back. Your response contains:
- Each check: the command or what you looked at, what came of it, what was expected.
- For each failure, the evidence that is needed to repair it: message, file and line, how to reproduce it.
${TEST_VERDICT_FORM}
What could not be checked counts as failed.`;

function workForm(input: PromptInput): PromptParts {
  const { state: { feedback: { [input.turn.role]: given } }, turn: { role } } = input;
  const form = `Do not weaken, skip or delete a test to get it to pass. Your response contains:
- Each file that you changed, with its path, and what changed in it.
- What you have found out or decided, and why.
- What you checked, and how.
- What you left undone, and why.`;
  return [
    ownOutput(input),
    feedback(input, { author: role, title: "REVIEW OF YOUR LAST WORK" }),
    given === undefined ? form : `${form}\nDeal with every point of the review, and write the whole response again.`,
  ];
}
