import { findOpenQuestion } from "../api/control/give_answer.ts";
import { UsageError } from "../base/errors.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import type { Waiting } from "../journal/waiting.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { defineCommand } from "./console/command.ts";
import { findNamedRun, RUN_ARGUMENT, WORKDIR_FLAG } from "./find_named_run.ts";
import { QUESTION_FLAG, recordAnswer } from "./record_answer.ts";
import { TRUST_FLAG } from "./trust.ts";

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
