import { UsageError } from "../../base/errors.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { present } from "../../base/schema.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { VERSION } from "../../base/version.ts";
import { JOBS } from "../../jobs/mod.ts";
import { readJournalText, tryParseFacts } from "../../journal/read_facts.ts";
import type { RunFactOf } from "../../journal/run_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readCard } from "../card/read_card.ts";
import type { Exact, OutputFields } from "../output/outputs.ts";
import { readHeader, readReport } from "../report/read_report.ts";

/** What a PASS rests on, as in-toto has it. */
export type Statement = Exact<OutputFields["evidence"]>;

/** What was looked at of one, and whether it holds; null where it cannot be told here. */
export type Finding = OutputFields["evidence_verified"]["found"][number];

interface Reading {
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/**
 * What is known of the work of a run, of the journal that no agent can write.
 *
 * @throws {UsageError} where nothing was judged, or only a journal that agents can write says so
 */
export async function readStatement(folder: RunFolder, { redactor, signal }: Reading): Promise<Statement> {
  if (folder.journalPath === folder.copyPath) {
    throw new UsageError(`Cannot tell what the work of run ${folder.id} rests on: its journal proves nothing`, {
      hint: "It lies where agents can write: the state folder has none of this run.",
    });
  }
  const text = readJournalText(folder.journalPath);
  const judged = judgedIn(text, folder);
  if (judged === undefined) {
    throw new UsageError(`Cannot tell what the work of run ${folder.id} rests on: nothing of it was judged`, {
      hint: "What has passed is judged where agents have changed something, and git is there. See docs/evidence.md.",
    });
  }
  const card = await readCard(folder, { now: new Date(), redactor, signal });
  const { answers } = await readHeader(folder, readReport(folder, redactor));
  const { commit, tree, ...about } = judged;
  const lines = text.split("\n").slice(0, -1);
  const isPassed = card.state === "passed";
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: card.changes?.ref ?? commit, digest: { gitCommit: commit, gitTree: tree } }],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: !isPassed ? "FAILED" : about.remarks.length > 0 ? "WARNED" : "PASSED",
      configuration: about.checks.map(({ command }) => ({ name: command })),
      panewright: {
        ...{ version: VERSION, run: folder.id, state: card.state },
        environment: { os: Deno.build.os, arch: Deno.build.arch },
        // As it is recorded: without secrets, and comparable.
        ...about,
        ...redactor.value({
          ...{ task: card.task, models: card.models, refused: card.refused, ...present({ tokens: card.tokens }) },
          answers: answers.map(({ answer, asked, by }) => ({ asked, answer, by })),
        }),
        journal: { lines: lines.length, sha256: await sha256Hex(lines.at(-1) ?? "") },
      },
    },
  };
}

/** The last judgement that a journal's text has, with the fields that a statement has of it. */
export function judgedIn(text: string, { journalPath: path, path: folder }: Pick<RunFolder, "journalPath" | "path">) {
  const { facts, problem } = tryParseFacts(text, { path, folder, jobs: JOBS });
  if (problem !== undefined) throw problem;
  const judged = facts.findLast(isGathered);
  if (judged?.commit === undefined || judged.base === undefined) return undefined;
  const audit = facts.findLast(isEnd)?.audit;
  const {
    at,
    base,
    checks = [],
    commit,
    hunks = [],
    problem: why,
    remarks,
    setup,
    tests,
    tree = "",
    trials,
    untried = 0,
  } = judged;
  return {
    ...{ commit, tree, at, base, checks: [...checks], trials: [...trials], remarks: [...remarks], hunks: [...hunks] },
    ...{ untried, ...present({ setup, tests, audit, problem: why }) },
  };
}

function isEnd(fact: { readonly type: string }): fact is RunFactOf<"run_finished"> & { readonly at: string } {
  return fact.type === "run_finished";
}

function isGathered(fact: { readonly type: string }): fact is RunFactOf<"evidence_gathered"> & { readonly at: string } {
  return fact.type === "evidence_gathered";
}
