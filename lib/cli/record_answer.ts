import { findOpenQuestion, giveAnswer } from "../api/control/give_answer.ts";
import { outputLine } from "../api/output/line.ts";
import { UsageError } from "../base/errors.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { present } from "../base/schema.ts";
import type { Waiting } from "../journal/waiting.ts";
import { runCommandLine } from "../run/command_line.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { type CliIo, defineCommand, type GlobalFlags, textFlag } from "./console/command.ts";
import { findNamedRun, RUN_ARGUMENT, WORKDIR_FLAG } from "./find_named_run.ts";
import { requireTrustOfRun, TRUST_FLAG } from "./trust.ts";

interface Recording {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly question: Waiting & { readonly id: string };
  readonly answer: string;
  readonly trust: boolean;
  readonly wd: string | undefined;
  /** Whether what was asked is told, too: whoever answers has not named the run. */
  readonly tellsQuestion: boolean;
}

/** Records an answer of the person at this terminal, and tells what comes of it. */
export async function recordAnswer(
  folder: RunFolder,
  { answer, global, io, question, tellsQuestion, trust, wd }: Recording,
): Promise<void> {
  const { fingerprint, id } = question;
  // What was looked at is what is answered.
  const said = { question: id, answer, by: "command", ...present({ fingerprint }) } as const;
  const given = await giveAnswer(folder, said, {
    requireTrust: (configFile) => requireTrustOfRun(configFile, { io, trust, mayAsk: !global.json }),
  });
  if (global.json) io.stdout(outputLine("answer_recorded", given));
  else if (!global.quiet) {
    const what = question.dialog === undefined ? "Question" : "Dialog";
    const resume = runCommandLine(["resume", folder.id], wd);
    const problem = given.notResumed === undefined ? "" : `The run could not be resumed: ${given.notResumed}\n`;
    const next = given.goesOn ? "The run continues by itself." : `${problem}Resume with: ${resume}`;
    const asked = tellsQuestion ? `It asked: ${sanitizeLine(question.dialog?.subject ?? question.text)}\n` : "";
    io.stdout(`${what} ${question.id} of run ${folder.id} is answered. ${next}\n${asked}`);
  }
}

export const QUESTION_FLAG = textFlag(
  "ID",
  "the question or dialog that is meant, such as q1; refused if another one is open",
  { completes: ["questions"] },
);

/** A command that says yes, or no, to the permission that a run waits for. */
export function permissionCommand(verb: "approve" | "deny") {
  const reason = { name: "WHY", description: "what the agent is to do instead", text: true, rest: true } as const;
  return defineCommand({
    arguments: [
      { ...RUN_ARGUMENT, required: true, completes: ["asking_runs"] },
      ...(verb === "deny" ? [reason] : []),
    ],
    flags: { question: QUESTION_FLAG, wd: WORKDIR_FLAG, trust: TRUST_FLAG },
    async run({ flags, global, positionals: [run = "", ...words] }, io) {
      const folder = await findNamedRun(io, run, flags.wd);
      const { waiting: question } = await findOpenQuestion(folder, flags.question);
      requirePermission(folder, question, verb);
      const why = words.join(" ").trim();
      const answer = verb === "approve" ? "yes" : why === "" ? "no" : `no, ${why}`;
      await recordAnswer(folder, {
        ...{ answer, global, io, question, wd: flags.wd, trust: flags.trust === true, tellsQuestion: true },
      });
      return 0;
    },
  });
}

function requirePermission({ id }: RunFolder, question: Waiting & { readonly id: string }, verb: string): void {
  const { dialog, isPermission } = question;
  if (dialog === undefined ? isPermission === true : dialog.questions === undefined) return;
  throw new UsageError(`Cannot ${verb} ${question.id} of run ${id}: it is a question, and no permission`, {
    hint: `It asks: ${sanitizeLine(question.text)}\nAnswer with: panewright answer ${id} --question ${question.id} "…"`,
  });
}
