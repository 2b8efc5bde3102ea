import { giveAnswer } from "../api/control/give_answer.ts";
import { outputLine } from "../api/output/line.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { present } from "../base/schema.ts";
import type { Waiting } from "../journal/waiting.ts";
import { JOBS } from "../jobs/mod.ts";
import { continuedBy } from "../run/command_line.ts";
import { readOverview } from "../run/overview.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { type CliIo, type GlobalFlags, textFlag } from "./console/command.ts";
import { requireTrustOfRun } from "./trust.ts";

interface Recording {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly question: Waiting & { readonly id: string };
  readonly answer: string;
  readonly trust: boolean;
  readonly wd: string | undefined;
  /** Who has given it, where that is not the person at this terminal. */
  readonly who?: string;
  /** Whether what was asked is told, too: whoever answers has not named the run. */
  readonly tellsQuestion: boolean;
}

/** Records a person's answer, and tells what comes of it. */
export async function recordAnswer(
  folder: RunFolder,
  { answer, global, io, question, tellsQuestion, trust, wd, who }: Recording,
): Promise<void> {
  const { fingerprint, id } = question;
  // What was looked at is what is answered.
  const said = { question: id, answer, by: "command", ...present({ fingerprint, who }) } as const;
  const given = await giveAnswer(folder, said, {
    requireTrust: (configFile) => requireTrustOfRun(configFile, { io, trust, mayAsk: !global.json }),
    // What reads comments is not for the agents of a run that is resumed by this.
    ...(who === undefined ? {} : { detach: { env: { GH_TOKEN: "", GITHUB_TOKEN: "", GITLAB_TOKEN: "" } } }),
  });
  if (global.json) io.stdout(outputLine("answer_recorded", given));
  else if (!global.quiet) {
    const what = question.dialog === undefined ? "Question" : "Dialog";
    const resume = continuedBy(await readOverview(folder, JOBS), { wd });
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
