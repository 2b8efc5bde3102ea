import { findOpenQuestion, requireSaid } from "../../api/control/give_answer.ts";
import { UsageError } from "../../base/errors.ts";
import type { Waiting } from "../../journal/waiting.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { shellJoin, shellQuote } from "../../shell/quote.ts";
import { type CliIo, defineCommand, integerFlag, textFlag } from "../console/command.ts";
import { QUESTION_FLAG, recordAnswer } from "../record_answer.ts";
import { TRUST_FLAG } from "../trust.ts";
import { findListedWorkdir, findNamedRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { openQuestions, type WaitingQuestion } from "../open_questions.ts";

export const command = defineCommand({
  arguments: [
    { ...RUN_ARGUMENT, completes: ["asking_runs"] },
    { name: "TEXT", description: "the answer; - reads it from standard input", rest: true, text: true },
  ],
  flags: {
    question: QUESTION_FLAG,
    wd: WORKDIR_FLAG,
    trust: TRUST_FLAG,
    "from-comments": textFlag(
      "REQUEST",
      "wait for a comment on this pull request (a number, or a branch) that begins with /answer q1, by one who may write",
    ),
    minutes: integerFlag("N", "with --from-comments: how long it is waited for (default: 60)"),
  },
  async run({ flags, positionals, global }, io) {
    const { "from-comments": request, minutes } = flags;
    if (request !== undefined) {
      const [run = "", ...others] = positionals;
      if (others.length > 0 || flags.question !== undefined) {
        throw new UsageError("Cannot use --from-comments with an answer or a question: name the run only");
      }
      const folder = positionals.length > 0
        ? await findNamedRun(io, run, flags.wd)
        : (await findOnlyQuestion(io, { id: undefined, wd: flags.wd })).folder;
      const { waitForComment } = await import("../requests/comment_answers.ts");
      const answered = await waitForComment(folder, { request, minutes: minutes ?? 60, io });
      const around = { global, io, wd: flags.wd, trust: flags.trust === true };
      await recordAnswer(folder, { ...answered, ...around, tellsQuestion: true });
      return 0;
    }
    if (minutes !== undefined) throw new UsageError("Cannot use --minutes without --from-comments");
    if (positionals.length === 0) {
      throw new UsageError('Cannot run "answer": the argument TEXT is missing', {
        hint: '"panewright help answer" shows the usage.',
      });
    }
    const { run, words } = splitWords(positionals);
    const { folder, id } = run === undefined
      ? await findOnlyQuestion(io, { id: flags.question, wd: flags.wd })
      : { folder: await findNamedRun(io, run, flags.wd), id: flags.question };
    const { waiting: question } = await findOpenQuestion(folder, id);
    const answer = await answerText(words, { io, questions: question.dialog?.questions?.length ?? 1 });
    const isNamed = run !== undefined && !run.startsWith("@");
    if (!isNamed && requireSaid(folder, question, answer)?.answer === "accept") throw namelessYes(folder, question);
    const said = { answer, question, tellsQuestion: run === undefined };
    await recordAnswer(folder, { ...said, global, io, wd: flags.wd, trust: flags.trust === true });
    return 0;
  },
});

/**
 * The run and the words of the answer. Only its form makes the first word a run's name: which runs there are must not
 * decide whether it is a part of the answer.
 */
function splitWords(positionals: readonly string[]): {
  readonly run: string | undefined;
  readonly words: readonly string[];
} {
  const [first = "", ...rest] = positionals;
  if (/^\d{8}$/.test(first) && rest.length > 0) {
    throw new UsageError(`Cannot tell whether ${first} is a run or a part of the answer`, {
      hint: `A run: panewright answer ${first}- ${shellJoin(rest)}\n` +
        `The answer: panewright answer ${shellQuote(positionals.join(" "))}`,
    });
  }
  if (!/^@\d|^\d{6,}-|\/\d{8}-\d{6}-[0-9a-f]{4}\/?$/.test(first)) return { run: undefined, words: positionals };
  if (rest.length > 0) return { run: first, words: rest };
  throw new UsageError(`Cannot answer run "${first}": the argument TEXT is missing`, {
    hint: `If this is the answer, name the run before it: panewright answer @1 ${shellQuote(first)}`,
  });
}

async function findOnlyQuestion(
  io: CliIo,
  { id, wd }: { readonly id: string | undefined; readonly wd: string | undefined },
): Promise<{ readonly folder: RunFolder; readonly id: string }> {
  const workdir = await findListedWorkdir(io, wd);
  const open: (WaitingQuestion & { readonly next: string; readonly workdir: string })[] = [];
  for await (const question of openQuestions(workdir, { io, wd })) {
    if (!question.answered && (id === undefined || id === question.id)) open.push(question);
  }
  const [only, ...others] = open;
  if (only === undefined) {
    const what = id === undefined ? "nothing" : `no question ${id}`;
    throw new UsageError(`Cannot answer: ${what} waits for an answer in ${workdir}`, {
      hint: '"panewright questions" lists what waits.',
    });
  }
  if (others.length > 0) {
    throw new UsageError(`Cannot tell which question is meant: ${open.length} are open`, {
      hint: open.map(({ step, next }) => `${sanitizeLine(step)}: ${next}`).join("\n"),
    });
  }
  return { folder: await findNamedRun(io, only.run, only.workdir), id: only.id };
}

/** A yes permits what is asked now, which need not be what the person has seen. */
function namelessYes({ id }: RunFolder, question: Waiting & { readonly id: string }): UsageError {
  return new UsageError(`Cannot say yes to ${question.id} without the run's id: you may have seen another request`, {
    hint: `${question.id} of run ${id} is: ${question.dialog?.subject ?? question.text}\n` +
      `To permit it: panewright answer ${id} --question ${question.id} yes`,
  });
}

/** Several questions are answered with an argument each; otherwise the arguments are the words of one answer. */
async function answerText(
  words: readonly string[],
  { io, questions }: { readonly io: CliIo; readonly questions: number },
): Promise<string> {
  const isPiped = words.length === 1 && words[0] === "-";
  const given = isPiped ? decode(await io.readStdin()) : words.join(questions > 1 ? "\n" : " ");
  const answer = given.trim();
  if (answer === "") throw new UsageError("Cannot record the answer: it is empty");
  return answer;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError("Cannot record the answer: standard input is not UTF-8 text", { cause });
  }
}
