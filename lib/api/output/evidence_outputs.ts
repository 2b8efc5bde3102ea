import * as z from "zod";
import { condition } from "./run_outputs.ts";
import { count, flag, output, runId, text, time } from "./shapes.ts";

/** The fields of https://github.com/in-toto/attestation (Statement 1, Test Result 0.1), and those of panewright. */
export const EVIDENCE_OUTPUTS = {
  evidence: output("What a PASS rests on: a statement of in-toto, which can be signed and checked on any clone.", {
    _type: z.literal("https://in-toto.io/Statement/v1"),
    subject: z.array(z.object({
      name: text("The ref that holds it."),
      digest: z.record(z.string(), z.string()).describe("`gitCommit`: what was judged; `gitTree`: its files."),
    })).describe("What the statement is about."),
    predicateType: z.literal("https://in-toto.io/attestation/test-result/v0.1"),
    predicate: z.object({
      result: z.enum(["PASSED", "WARNED", "FAILED"]).describe("WARNED: a PASS with remarks."),
      configuration: z.array(z.object({ name: text("The command.") })).describe("The checks that decided."),
      panewright: z.object({
        version: text("Of panewright."),
        environment: z.object({ os: z.string(), arch: z.string() }).describe("Where it was judged."),
        run: runId,
        state: condition,
        task: text("What the agents were to do."),
        at: time("When it was judged"),
        base: text("The commit that it began with."),
        checks: z.array(z.object({ command: z.string(), timeLimitSeconds: z.number() })),
        setup: text("What made the fresh checkout ready.").optional(),
        trials: z.array(z.object({
          kind: z.string(),
          of: z.string().optional(),
          passed: z.boolean(),
          detail: z.string(),
          failed: z.array(z.string()).optional(),
          notMade: z.boolean().optional(),
        })).describe("Where the checks were made once more, and how they ended: as in `evidence_gathered`."),
        remarks: z.array(z.string()),
        problem: text("Why it is no PASS.").optional(),
        hunks: z.array(
          z.object({ path: z.string(), lines: z.string(), noticed: z.boolean(), by: z.array(z.string()).optional() }),
        ).describe(
          "The places that were changed and then taken back alone: whether a check missed them, and `by` which tests.",
        ),
        tests: z.object({
          total: count("How many tests there are."),
          sha256: text("Of how each has ended, by name: a line each."),
          results: z.record(z.string(), z.string()).optional().describe("How each has ended, by name."),
        }).optional().describe("What the tests have come to, on a fresh checkout of the commit."),
        untried: count("How many were not tried."),
        models: z.array(z.string()),
        tokens: z.object({ input: z.number(), cached: z.number(), output: z.number() }).optional(),
        audit: z.object({ records: z.number(), hash: z.string() }).optional().describe(
          "Where the audit log of what was permitted ended.",
        ),
        answers: z.array(z.object({ asked: z.string(), answer: z.string(), by: z.string() })).describe(
          "What was answered, and by whom.",
        ),
        refused: z.array(z.string()).describe("What the sandbox has refused."),
        journal: z.object({
          lines: count("How many lines of the run's journal there were."),
          sha256: text("Of the last one of these: each line names the hash of the one before."),
        }),
      }),
    }),
  }),
  evidence_verified: output("Whether a statement holds here.", {
    file: text("The statement."),
    holds: flag("Whether nothing of what was looked at speaks against it."),
    found: z.array(z.object({
      what: text("What was looked at."),
      holds: z.boolean().nullable().describe("null: it cannot be told here."),
      detail: text("Why."),
    })),
  }),
};
