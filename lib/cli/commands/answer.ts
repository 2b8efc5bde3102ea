import { UsageError } from "../../errors.ts";
import { leaveAnswer } from "../../dialogs/answers.ts";
import { isLocked } from "../../run/lock_file.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readWaitingDialogs } from "../../jobs/review_loop/waiting_dialogs.ts";
import { answerDialogOf } from "../answer_dialog.ts";
import { readExecRun } from "../../jobs/pipeline/read_run.ts";
import { type ExecState, openQuestion, type QuestionState } from "../../jobs/pipeline/state.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { findNamedRun, RUN_ARGUMENT, runCommandLine, WORKDIR_FLAG } from "../find_named_run.ts";
import { jsonLine } from "../../text/sanitize.ts";

/** `panewright answer RUN TEXT|-` */
export const command = defineCommand({
  description:
    "Answers the question that a run of `panewright exec` waits for, or with yes or no the dialog at which an agent of " +
    "`panewright run` stands. The first answer counts; one to a question that is not open is refused. A run that still waits in its terminal goes on by itself, any other one with `panewright resume`.",
  arguments: [
    { ...RUN_ARGUMENT, required: true },
    { name: "TEXT", description: "the answer; - reads it from standard input", required: true, rest: true },
  ],
  flags: [
    {
      name: "question",
      type: "string",
      placeholder: "ID",
      description: "the question that is meant, such as q1; refused if another one is open",
    },
    WORKDIR_FLAG,
  ],
  examples: [
    { command: 'answer 20261120-072605-3fa9 --question q1 "PostgreSQL"', description: "answer, and go on with resume" },
    {
      command: "answer 20261120-072605-3fa9 no, use the test database",
      description: "a dialog: no, and the agent is told why",
    },
    { command: "answer 20261120-072605-3fa9 - < answer.md", description: "an answer of several lines" },
  ],
  async run({ flags, positionals, global }, io) {
    const [run = "", ...words] = positionals;
    const folder = await findNamedRun(io, run, flags.wd);
    const answer = await answerText(words, io);
    const dialogs = await readWaitingDialogs(folder);
    const question = dialogs === undefined
      ? await answerStep(folder, { text: answer, question: flags.question })
      : await answerDialogOf(folder, dialogs, { text: answer, question: flags.question });
    const goesOn = await isLocked(folder.lockPath);
    const next = goesOn
      ? "The run goes on by itself."
      : `Go on with: ${runCommandLine(["resume", folder.id], flags.wd)}`;
    if (global.json) io.stdout(jsonLine({ type: "answer_recorded", run: folder.id, question, goesOn }));
    else if (!global.quiet) io.stdout(`Question ${question} of run ${folder.id} is answered. ${next}\n`);
    return 0;
  },
});

/** Leaves an answer to the question that a step waits with; the question's id. */
async function answerStep(
  folder: RunFolder,
  given: { readonly text: string; readonly question: string | undefined },
): Promise<string> {
  const { state } = await readExecRun(folder);
  const { id } = findQuestion(state, { folder, id: given.question });
  const answeredAt = new Date().toISOString();
  if (await leaveAnswer(folder, { question: id, answer: given.text, by: "command", answeredAt })) return id;
  throw answeredBefore(folder, id);
}

async function answerText(words: readonly string[], io: CliIo): Promise<string> {
  const given = words.length === 1 && words[0] === "-" ? decode(await io.readStdin()) : words.join(" ");
  const answer = given.trim();
  if (answer === "") throw new UsageError("Cannot record the answer: it is empty");
  return answer;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError("Cannot record the answer: standard input is no UTF-8 text", { cause });
  }
}

function findQuestion(
  state: ExecState,
  { folder, id }: { readonly folder: RunFolder; readonly id: string | undefined },
): QuestionState {
  const open = openQuestion(state);
  if (open !== undefined && (id === undefined || id === open.id)) return open;
  if (id !== undefined && state.interactions.some(({ question }) => question === id)) throw answeredBefore(folder, id);
  const hint = open === undefined
    ? '"panewright questions" lists what waits for an answer.'
    : `Question ${open.id} is open.`;
  if (id === undefined) throw new UsageError(`Cannot answer: no question of run ${folder.id} is open`, { hint });
  throw new UsageError(`Cannot answer ${id}: run ${folder.id} has no such question that is open`, { hint });
}

function answeredBefore(folder: RunFolder, id: string): UsageError {
  return new UsageError(`Cannot answer ${id}: that question of run ${folder.id} was answered before`, {
    hint: "The first answer counts.",
  });
}
