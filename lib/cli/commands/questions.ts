import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import { defineCommand } from "../console/command.ts";
import { findListedWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { dialogRequest } from "../../journal/words/lines.ts";
import { openQuestions, type WaitingQuestion } from "../open_questions.ts";
import { CHOICE } from "../../journal/waiting.ts";
import { ago } from "../../journal/words/words.ts";

export const command = defineCommand({
  flags: {
    wd: WORKDIR_FLAG,
  },
  async run({ flags, global }, io) {
    const workdir = await findListedWorkdir(io, flags.wd);
    let count = 0;
    for await (const { next, workdir: _, ...question } of openQuestions(workdir, { io, wd: flags.wd })) {
      count++;
      io.stdout(
        global.json ? outputLine("question", question) : renderQuestion(question, { next, now: new Date() }),
      );
    }
    if (!global.json && !global.quiet && count === 0) {
      io.stdout(`Nothing waits for an answer in ${sanitizeLine(workdir)}.\n`);
    }
    return 0;
  },
});

export function renderQuestion(
  { run, id, step, text, askedAt, dialog }: WaitingQuestion,
  { next, now }: { readonly next: string; readonly now: Date },
): string {
  const asked = `asked ${ago(askedAt, now)} (${id}):`;
  const lines = dialog === undefined || dialog.kind === CHOICE
    ? [`run ${run}, step ${JSON.stringify(sanitizeLine(step))}, ${asked}`, ...indented(text.trim(), "  ")]
    : [
      `run ${run}, the ${sanitizeLine(dialog.role)} ${dialogRequest(dialog)}, ${asked}`,
      ...indented(dialog.subject ?? "", "  | "),
      ...indented(dialog.reason, "  "),
    ];
  return [...lines, `  ${next}`, ""].join("\n");
}

function indented(text: string, indent: string): readonly string[] {
  return text === "" ? [] : sanitizeText(text).split("\n").map((row) => `${indent}${row}`);
}
