import { leaveAnswer } from "../../dialogs/answers.ts";
import { readSaid } from "../../dialogs/person_answer.ts";
import { UsageError } from "../../errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { isExecuted, readRun, type RunOverview } from "../../run/overview.ts";
import { isAlive, lookAtProcesses } from "../../run/live_agents.ts";
import { type Waiting, workerOf } from "../../run/progress.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { AgentQuestion } from "../../providers/agent_question.ts";
import { jsonLine } from "../../text/sanitize.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { requireTrustOfRun, TRUST_FLAG } from "../trust.ts";
import { findNamedRun, RUN_ARGUMENT, runCommandLine, WORKDIR_FLAG } from "../find_named_run.ts";

/** `panewright answer RUN TEXT…|-` */
export const command = defineCommand({
  description:
    "Answers the question that a run of `panewright exec` waits for or, with yes or no, the dialog at which an agent of " +
    "`panewright run` stands. A question that an agent asks in such a dialog takes a choice by its number or label; where " +
    'several may be chosen, several with commas between them; and "text: WORDS" for words of your own, alone or after ' +
    "several choices. Several questions take an argument each, or a line each from standard input. The first answer " +
    "counts; an answer to a question that is not open is refused. A run that still waits continues by itself; any other " +
    "one is continued with `panewright resume`, and takes the answer to a dialog as long as the agent is alive.",
  arguments: [
    { ...RUN_ARGUMENT, required: true },
    { name: "TEXT", description: "the answer; - reads it from standard input", required: true, rest: true },
  ],
  flags: [
    {
      name: "question",
      type: "string",
      placeholder: "ID",
      description: "the question or dialog that is meant, such as q1; refused if another one is open",
    },
    WORKDIR_FLAG,
    TRUST_FLAG,
  ],
  examples: [
    {
      command: 'answer 20261120-072605-3fa9 --question q1 "PostgreSQL"',
      description: "answer a question; then resume the run",
    },
    {
      command: "answer 20261120-072605-3fa9 no, use the test database",
      description: "decline a dialog, and tell the agent why",
    },
    {
      command: 'answer 20261120-072605-3fa9 "1, 3" "text: port 8443"',
      description: "answer two questions of an agent",
    },
    { command: "answer 20261120-072605-3fa9 - < answer.md", description: "an answer of several lines" },
  ],
  async run({ flags, positionals, global }, io) {
    const [run = "", ...words] = positionals;
    const folder = await findNamedRun(io, run, flags.wd);
    const overview = await readRun(folder, JOBS);
    const question = findWaiting(overview, flags.question);
    const answer = await answerText(words, { io, questions: question.dialog?.questions?.length ?? 1 });
    if (question.dialog !== undefined || question.isPermission === true) {
      requireAnswer(answer, { folder, question, questions: question.dialog?.questions });
    }
    await requireLiveDialog(overview, question, flags.wd);
    const configFile = overview.progress?.configFile ?? null;
    await requireTrustOfRun(configFile, { io, trust: flags.trust === true, mayAsk: !global.json });
    const answeredAt = new Date().toISOString();
    if (!await leaveAnswer(folder, { question: question.id, answer, by: "command", answeredAt })) {
      throw answeredBefore(folder.id, question.id);
    }
    const goesOn = await isExecuted(folder);
    if (global.json) {
      io.stdout(jsonLine({ type: "answer_recorded", run: folder.id, question: question.id, goesOn }));
    } else if (!global.quiet) {
      const what = question.dialog === undefined ? "Question" : "Dialog";
      const resume = runCommandLine(["resume", folder.id], flags.wd);
      const next = goesOn ? "The run continues by itself." : `Resume with: ${resume}`;
      io.stdout(`${what} ${question.id} of run ${folder.id} is answered. ${next}\n`);
    }
    return 0;
  },
});

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

/** @throws {UsageError} saying what is allowed, where a dialog or a permission does not take an answer */
function requireAnswer(
  answer: string,
  { folder, question, questions }: {
    readonly folder: RunFolder;
    readonly question: { readonly id: string };
    readonly questions: readonly AgentQuestion[] | undefined;
  },
): void {
  const said = readSaid(answer, questions);
  if (!("problem" in said)) return;
  const example = questions === undefined ? '"no, use the test database"' : exampleOf(questions);
  throw new UsageError(`Cannot answer ${question.id}: ${said.problem}`, {
    hint: `For example: panewright answer ${folder.id} --question ${question.id} ${example}`,
  });
}

function exampleOf(questions: readonly AgentQuestion[]): string {
  return questions.map(({ multiSelect, options }) => multiSelect && options.length > 1 ? '"1, 2"' : '"1"').join(" ");
}

/** The dialog of a run that nobody executes is gone with its agent: what a new one asks is another question. */
async function requireLiveDialog(
  { folder, executed, progress }: RunOverview,
  { id, by, dialog }: Waiting,
  wd: string | undefined,
): Promise<void> {
  if (dialog === undefined || executed) return;
  const worker = progress === undefined ? undefined : workerOf(progress, by);
  if (worker !== undefined && isAlive(worker, await lookAtProcesses())) return;
  throw new UsageError(`Cannot answer ${id}: run ${folder.id} was killed, and its agent with the dialog is gone`, {
    hint: `Continue with: ${runCommandLine(["resume", folder.id], wd)}. The new agent asks for itself.`,
  });
}

/**
 * What is answered. The dialog of a run that nobody executes counts as well: its agent may still show it when the run
 * is resumed.
 */
function findWaiting(
  { folder, progress, problem }: RunOverview,
  id: string | undefined,
): Waiting & { readonly id: string } {
  if (problem !== undefined) throw problem;
  const { waiting, answers = [] } = progress ?? {};
  if (waiting?.id !== undefined && (id === undefined || id === waiting.id)) return { ...waiting, id: waiting.id };
  if (id !== undefined && answers.some((given) => given.id === id)) throw answeredBefore(folder.id, id);
  const about = id === undefined ? "" : ` ${id}`;
  if (waiting !== undefined && waiting.id === undefined) {
    throw new UsageError(
      `Cannot answer${about}: the dialog of run ${folder.id} can only be answered in its agent's pane`,
      {
        hint: `Go there with: panewright attach ${folder.id} ${waiting.by}`,
      },
    );
  }
  const what = id === undefined ? "nothing" : "no such question";
  throw new UsageError(`Cannot answer${about}: ${what} of run ${folder.id} waits for an answer`, {
    hint: waiting === undefined ? '"panewright questions" lists what waits.' : `${waiting.id} waits for an answer.`,
  });
}

function answeredBefore(run: string, id: string): UsageError {
  return new UsageError(`Cannot answer ${id}: that question of run ${run} was answered before`, {
    hint: "The first answer counts.",
  });
}
