import * as z from "zod";
import { present } from "../../base/schema.ts";
import { claimOf } from "../../run/notify/buttons.ts";
import { machineSecrets } from "../../run/notify/machine_secrets.ts";
import { giveAnswer } from "../control/give_answer.ts";
import { pressButton as press } from "../control/press_button.ts";
import { Problem } from "../control/problem.ts";
import { flag, runId, text } from "../output/shapes.ts";
import { filled, MAX_TEXT_CHARS, next } from "./fields.ts";
import { actorOf, operation, runOperation, runTool } from "./operation.ts";
import { requestedRun } from "./served.ts";

export const answerQuestion = runOperation({
  id: "answerQuestion",
  method: "post",
  path: "/v1/runs/{run}/answer",
  summary: "Answers what a run waits for",
  description:
    "The first answer counts. A permission takes yes or no, and after a no the reason; a dialog with several " +
    "questions, a line for each.",
  body: z.strictObject({
    question: text("The question's id, such as `q1`. Default: the one that is open.").optional(),
    answer: text("The words."),
    fingerprint: text("What was seen when the answer was decided: an answer to anything else is refused.").optional(),
  }),
  replies: {
    200: {
      about: "It is taken.",
      schema: z.object({
        run: runId,
        question: text("What was answered."),
        goesOn: flag("Whether a process executes the run, and continues by itself; otherwise resume it."),
        notResumed: text("Why it could not be resumed, although its answer was to start it.").optional(),
      }),
    },
  },
  problems: ["not_open", "answered_before", "needs_trust", "bad_input"],
  async handle(folder, { context, who, body: { question, answer, fingerprint } }) {
    const given = { ...present({ question, fingerprint, who }), answer, by: "http" } as const;
    return { status: 200, json: await giveAnswer(folder, given, context) };
  },
});

export const answerTool = runTool({
  title: "Answer a question",
  description: "Answers a question of an agent. The first answer counts, and the journal says that a model gave it. " +
    "What the policy reserves for a person is refused: then ask your person.",
  input: {
    question: filled("Its id, such as q1.", 40),
    answer: text("The answer: words, or the number or label of a choice; yes or no to a permission.").min(1).max(
      MAX_TEXT_CHARS,
    ),
  },
  output: z.object({
    run: z.string(),
    question: z.string(),
    continues: flag("Whether the run continues by itself; otherwise call resume."),
    next,
  }),
  isDestructive: true,
  async act(folder, { question, answer }, call) {
    const { requireTrust, detach } = call;
    const options = { requireTrust, ...present({ detach }) };
    const { goesOn, notResumed } = await giveAnswer(folder, { question, answer, ...actorOf(call) }, options);
    const next = goesOn
      ? "The run continues by itself: call wait."
      : notResumed === undefined
      ? "Call resume: no process executes the run."
      : `The answer is kept, but the run could not be resumed: ${notResumed}`;
    return { run: folder.id, question, continues: goesOn, next };
  },
});

export const pressButton = operation({
  id: "pressButton",
  method: "post",
  path: "/v1/buttons/{token}",
  summary: "Gives the answer that a button of a notification stands for",
  description:
    "The token of the button takes the place of the server's: it stands for one answer to one question, and can be used once.",
  isOpen: true,
  params: { token: z.string().describe("The button's.") },
  replies: {
    200: {
      about: "The answer was given.",
      schema: z.object({
        question: text("The question's id."),
        goesOn: flag("Whether the run continues by itself; otherwise it is to be resumed."),
        notResumed: text("Why it could not be resumed, although its answer was to start it.").optional(),
      }),
    },
  },
  problems: ["not_open", "answered_before", "needs_trust", "bad_input"],
  async handle({ context, params: { token = "" } }) {
    const claim = claimOf(token);
    const folder = claim && await requestedRun(claim.run, context).catch(() => undefined);
    // Who has no token is not told which runs there are.
    if (folder === undefined) throw new Problem("not_open", "Cannot answer: this is not a button of a run here");
    const { requireTrust, wallClock, detach, secrets = machineSecrets() } = context;
    const { run: _, ...given } = await press(folder, token, {
      ...{ requireTrust, wallClock, secrets },
      ...present({ detach }),
    });
    return { status: 200, json: given };
  },
});
