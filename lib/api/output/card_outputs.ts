import * as z from "zod";
import { JOB_IDS } from "../../journal/run_facts.ts";
import { condition } from "./run_outputs.ts";
import { count, flag, output, runId, text, time } from "./shapes.ts";

export const CARD_OUTPUTS = {
  card: output("How a run stands, and what a person can do with what came of it.", {
    name: text("What commands know the run by, besides its id: made of its task."),
    run: runId,
    job: z.enum(JOB_IDS).optional(),
    state: condition,
    task: text("What the agents were to do, as it was given."),
    why: text("Why it ended so, or stands still; may be empty."),
    workdir: text("The folder in which the agents work."),
    seconds: z.number().describe("How long it has been executed; where it is not over, since its beginning."),
    turns: count("How many turns agents have had."),
    rounds: count("How many rounds a review loop has had.").optional(),
    changes: z.object({
      files: z.array(z.object({
        path: z.string(),
        added: count("Lines; missing where it is no text, or not counted.").optional(),
        removed: count("Lines; missing where it is no text, or not counted.").optional(),
      })),
      added: count("Lines in all; missing where they were not counted.").optional(),
      removed: count("Lines in all; missing where they were not counted.").optional(),
      ref: text("The ref of the checkout's repository that has them; missing where they are in the checkout.")
        .optional(),
      inner: z.array(z.string()).describe(
        "What is in no commit: repositories that were made there, and what git may not read.",
      ),
    }).describe("What was changed; missing where it is not known yet.").optional(),
    notKept: text("Why what was done in its workspace is in no commit yet.").optional(),
    checks: z.array(z.object({
      title: text("What was checked, and what came of it."),
      passed: flag("Whether it passed."),
      output: text("The end of what it wrote, where it failed.").optional(),
    })).describe("The last checks that were made of the work, or the project's tests; none where nothing was checked."),
    remarks: z.array(z.string()).describe("What a person should know of a PASS: of its tests, above all."),
    waiting: z.array(z.object({
      by: text("The role, or the step, that asks."),
      text: text("The question, or the request, whole."),
      reason: text("Why it is asked.").optional(),
      askedAt: time("When it was asked"),
      question: text("Its id; missing where only the agent's pane takes the answer.").optional(),
      answer: z.enum(["permission", "question", "choices", "none"]),
    })).describe("What waits for a person, and has no answer yet."),
    assumptions: z.array(z.object({ asked: z.string(), answer: z.string() })).describe(
      "What agents have answered themselves, for a person to confirm.",
    ),
    recovered: text("What the run was helped out of; missing where there is nothing.").optional(),
    refused: z.array(z.string()).describe("What the sandbox has refused, each once."),
    tokens: z.object({
      input: count("Those that were read."),
      cached: count("Of these, those that were cached."),
      output: count("Those that were written."),
    }).optional(),
    models: z.array(z.string()),
    workers: z.array(z.object({
      name: text("A role, or a step as its caps are named."),
      input: count("Tokens that it has read."),
      cached: count("Of these, those that were cached."),
      output: count("Tokens that it has written."),
      cost: z.number().optional(),
    })).describe("What each has used, where there are several; else none."),
    left: z.array(z.string()).describe("What agents left running."),
    cost: z.object({ total: z.number(), pricesOf: text("The day of the prices.") }).optional(),
    next: z.array(z.object({
      verb: text("`apply`, `reply`, `approve`, …"),
      does: text("What it does, in a few words."),
      words: z.array(z.string()).describe("The command, word by word, after `panewright`."),
    })).describe("What a person can do."),
  }),
};
