import type { AgentQuestion } from "../base/question.ts";
import { present } from "../base/schema.ts";
import { awaitAnswer } from "../jobs/pipeline/await_answer.ts";
import { plural } from "../journal/words/words.ts";
import { workName } from "../journal/exec/lane.ts";
import { type LaneState, nextQuestionId, type QuestionState } from "../journal/exec/state.ts";
import { readSaid } from "../turn/desk/person_answer.ts";
import { changedPaths } from "../workspace/result.ts";
import { type Attempts, inOrderOfBegin, sizeOf } from "./attempts.ts";
import type { Lanes } from "./context.ts";
import { workOf } from "./schedule.ts";

/** What a person has said: which attempt, or that none of them is any good. */
export type Choice = { readonly lane: LaneState } | { readonly none: string };

/**
 * Has a person choose one of several attempts.
 *
 * @returns undefined where nobody has answered yet
 */
export async function choose(passed: Attempts, lanes: Lanes): Promise<Choice | undefined> {
  const [first] = passed;
  const { options, plan, run } = lanes;
  const name = workName(first);
  // What was chosen before may have been merged in vain.
  const asked = run.state().questions.filter(({ step, task }) => step === name && task === first.file);
  const last = asked.at(-1);
  const given = run.state().interactions.find(({ question }) => question === last?.id);
  const before = given && read(given.answer, { passed, question: last });
  if (before !== undefined) return before;
  const question = last?.open === true ? last : await ask(passed, lanes);
  const told = run.notify({
    ...{ kind: "needed", title: `panewright: ${name}: which attempt?`, text: question.text, priority: 5 },
    question: { id: question.id, fingerprint: question.id, choices: buttonsOf(question) },
  });
  const { clock, folder, mail, signal, wallClock } = run;
  const left = await awaitAnswer(question, {
    ...{ clock, folder, mail, wallClock, person: options.person, isPatient: options.isPatient ?? false },
    // Nobody answers in a person's place.
    ...{ settings: present({ answerTimeoutSeconds: plan.settings.answerTimeoutSeconds }), modelAnswers: "none" },
    answersFrom: plan.permissions.answersFrom,
    onWarning: (message) => run.record({ type: "warning", message }),
    signal: AbortSignal.any([signal, lanes.signal]),
  });
  if (left === undefined) return undefined;
  told.withdraw();
  const { answer, answeredAt, by, giver, who } = left;
  run.record({ type: "question_answered", question: question.id, answer, by, ...present({ who, giver }), answeredAt });
  return read(answer, { passed, question });
}

async function ask(passed: Attempts, { run, signal, target }: Lanes): Promise<QuestionState> {
  const work = workOf(passed[0]);
  const sized = await Promise.all(
    inOrderOfBegin(passed).map(async (lane) => {
      const { base, commit = base, workspace } = lane;
      const lines = await sizeOf(lane, { signal, target });
      const files = await changedPaths([base, commit], { store: target.store, signal });
      const description = `${plural(lines, "line")} in ${plural(files.length, "file")}; panewright diff ${workspace}`;
      return { label: labelOf(lane), description };
    }),
  );
  const choice: AgentQuestion = {
    question: `Which attempt of ${workName(work)} is to be landed?`,
    multiSelect: false,
    options: [...sized, { label: NONE, description: "all of them stay under their refs" }],
  };
  const rows = choice.options.map(({ label, description }, at) => `${at + 1}. ${label}: ${description}`);
  const text = [`${choice.question} ${passed.length} have passed.`, ...rows, HOW].join("\n");
  const question = nextQuestionId(run.state());
  run.record({
    type: "choice_asked",
    task: passed[0].number,
    ...work,
    question,
    text,
    choice,
    askedAt: run.wallClock().toISOString(),
  });
  return run.state().questions.find(({ id }) => id === question)!;
}

const NONE = "none";

const HOW = 'Answer with a number. To refuse all of them, answer "text:" followed by the reason.';

function buttonsOf({ choice }: QuestionState) {
  return choice?.options.map(({ label }, at) => ({ label, answer: `#${at + 1}` })) ?? [];
}

/** What an answer says of these; undefined where it chooses one that is not among them any more. */
function read(
  answer: string,
  { passed, question }: { readonly passed: Attempts; readonly question: QuestionState | undefined },
): Choice | undefined {
  const choice = question?.choice;
  const said = choice === undefined ? undefined : readSaid(answer, [choice]);
  if (choice === undefined || said === undefined || !("replies" in said)) return undefined;
  const [{ choices: [at = -1], text } = { choices: [] }] = said.replies;
  const label = choice.options[at]?.label ?? NONE;
  if (label === NONE) return { none: text ?? "a person has chosen none of them" };
  const lane = passed.find((one) => labelOf(one) === label);
  return lane && { lane };
}

function labelOf({ attempt = 1 }: LaneState): string {
  return `attempt ${attempt}`;
}
