import { resumedIn } from "../../run/command_line.ts";
import { present } from "../../base/schema.ts";
import { lastLines } from "../../base/text/lines.ts";
import { refusedIn } from "../../journal/common.ts";
import type { ReportItem } from "../../journal/items/source.ts";
import type { Progress } from "../../journal/progress.ts";
import type { WorkspaceResult } from "../../workspace/result.ts";
import { nameOf, type Workspace } from "../../workspace/workspace.ts";
// Types only: zod is not loaded for them.
import type { Exact, OutputFields } from "../output/outputs.ts";
import { type Report, type ReportHeader, waitingOf } from "../report/model.ts";

/** A run as a person reads it who comes back: the same on every face. */
export type Card = Exact<OutputFields["card"]>;

export type CardState = Card["state"];

/** What is beside the report of a run. */
interface AroundCard {
  /** The workspace that its agents have worked in, or in which its tasks come together, while it is there. */
  readonly workspace?: Pick<Workspace, "name" | "isTarget"> | undefined;
  readonly result?: WorkspaceResult | undefined;
  /** What has changed in the checkout itself by its end, where that was noted. */
  readonly inCheckout?: WorkspaceResult["files"] | undefined;
  /** Why the result of its workspace is not known. */
  readonly notKept?: string | undefined;
  /** What a person should know of its PASS. @default {[]} */
  readonly remarks?: readonly string[] | undefined;
  /** How the run has ended; missing where it is not over. */
  readonly finished?: Progress["finished"];
  /** The job of a fleet whose run it is. */
  readonly elsewhere?: string | undefined;
  readonly now: Date;
}

const OUTPUT_LINES = 12;

/** What nobody asked for: our own records, caches; and the line that tells of more files. */
const NO_CHANGE = /^$|^and \d+ more$|(?:^|\/)(?:\.panewright|__pycache__|\.pytest_cache)\//;

/** What CLIs and shells try by themselves at each start, and do without; the log has it. */
const EVERYDAY = /^write \/(?:tmp|proc)\//;

/** Makes the card of a run. */
export function cardOf(
  { header, items }: Report,
  { elsewhere, finished, inCheckout, notKept, now, remarks = [], result, workspace }: AroundCard,
): Card {
  const { condition: state, cost, counts, done, job, recovered, runId: run, task, why, workdir, about } = header;
  const rounds = job === "run" ? done.findLast(({ unit }) => unit === "round")?.number : undefined;
  const name = workspace?.name ?? nameOf(about);
  // Several tasks are known by the name of their folder.
  const isOfFolder = [...done, ...header.place].some(({ unit, number }) =>
    unit === "task" && (number > 1 || workspace?.isTarget === true)
  );
  const seconds = finished?.seconds ?? (now.getTime() - Date.parse(header.startedAt)) / 1000;
  const changes = result !== undefined
    ? changesOf(result)
    : inCheckout === undefined
    ? changesIn(items)
    : changesAt(inCheckout);
  const card = {
    ...{ name, run, ...present({ job }), state, workdir, why: saysMore(header) ? why : "" },
    task: isOfFolder ? about : task || about,
    ...{ seconds: Number.isFinite(seconds) ? Math.max(0, seconds) : 0, turns: counts.turns },
    ...{ ...present({ rounds, changes, notKept }), left: finished?.left ?? [] },
    ...{ checks: checksIn(items), remarks: [...remarks] },
    waiting: openIn(header),
    assumptions: header.answers.filter(({ by }) => by === "assume").map(({ asked, answer }) => ({ asked, answer })),
    ...present({ recovered, cost }),
    refused: [...new Set(items.flatMap(({ title }) => refusedIn(title) ?? []))].filter((what) => !EVERYDAY.test(what)),
    ...tokensIn(header),
  };
  return { ...card, next: nextOf(card, { elsewhere, header, workspace }) };
}

/** Whether why a run has ended says more than that it passed: of a single task all steps have. */
function saysMore({ condition, done, job }: ReportHeader): boolean {
  return condition !== "passed" || job !== "exec" || done.filter(({ unit }) => unit === "task").length !== 1;
}

function changesOf({ files, inner, ref }: Omit<WorkspaceResult, "commit">): NonNullable<Card["changes"]> {
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  return {
    files: files.map(({ path, ...lines }) => ({ path, ...present(lines) })),
    added: sum("added"),
    removed: sum("removed"),
    ref,
    inner,
  };
}

function changesAt(all: WorkspaceResult["files"]): Card["changes"] {
  const files = all.filter(({ path }) => !NO_CHANGE.test(path));
  const { ref: _, ...changes } = changesOf({ files, inner: [], ref: "" });
  return files.length === 0 ? undefined : changes;
}

/** What turns, or steps, have changed in the checkout itself; the last line tells of more than are named. */
function changesIn(items: readonly ReportItem[]): Card["changes"] {
  const named = items.filter(({ kind }) => kind === "changes").flatMap(({ text = "" }) => text.split("\n"));
  const files = [...new Set(named)].filter((path) => !NO_CHANGE.test(path)).map((path) => ({
    path,
  }));
  return files.length === 0 ? undefined : { files, inner: [] };
}

/** The checks that were made last, of each lane; what found nothing to check says nothing. */
function checksIn(items: readonly ReportItem[]): Card["checks"] {
  const made = items.filter(({ kind, open, title }) =>
    (kind === "check" || kind === "tests") && open !== true && !title.includes("nothing to check")
  );
  const last = new Map(made.map((item) => [`${item.lane} ${/^check \d+/.exec(item.title)?.[0] ?? ""}`, item]));
  return [...last.values()].map(({ text = "", title, tone }) => {
    const passed = tone === "good";
    const output = passed ? "" : lastLines(text, OUTPUT_LINES).join("\n");
    return { title: title.replace(/^check \d+[,:] /, ""), passed, ...(output === "" ? {} : { output }) };
  });
}

function openIn(header: ReportHeader): Card["waiting"] {
  return waitingOf(header).filter(({ answered }) => !answered).map(({ answer, askedAt, by, dialog, id, text }) => ({
    ...{ by, askedAt, answer, text: dialog?.subject ?? text },
    ...present({ question: id, reason: dialog?.reason }),
  }));
}

function tokensIn({ tokens }: ReportHeader): Pick<Card, "tokens" | "models" | "workers"> {
  const counted = tokens.length === 0 ? {} : { tokens: sumOf(tokens) };
  return { ...counted, models: [...new Set(tokens.map(({ model }) => model))], workers: workersIn(tokens) };
}

function sumOf(rows: ReportHeader["tokens"]): NonNullable<Card["tokens"]> {
  const sum = (of: "inputTokens" | "cachedInputTokens" | "outputTokens") => rows.reduce((all, row) => all + row[of], 0);
  return { input: sum("inputTokens"), cached: sum("cachedInputTokens"), output: sum("outputTokens") };
}

/** What each has used; its cost is that of all its models. */
function workersIn(tokens: ReportHeader["tokens"]): Card["workers"] {
  const names = [...new Set(tokens.map(({ worker }) => worker))];
  if (names.length < 2) return [];
  return names.map((name) => {
    const own = tokens.filter(({ worker }) => worker === name);
    return { name, ...sumOf(own), ...present({ cost: own[0]?.cost }) };
  });
}

type Drafted = Omit<Card, "next">;

interface Doing {
  readonly header: ReportHeader;
  readonly workspace: AroundCard["workspace"];
  readonly elsewhere: AroundCard["elsewhere"];
}

function nextOf(
  { changes, name, run, state, waiting }: Drafted,
  { elsewhere, header, workspace }: Doing,
): Card["next"] {
  // A yes is for one run: the name of a workspace is that of one, and others may share what is made of a task.
  const meant = workspace === undefined ? run : name;
  const own = waiting.flatMap((one) => answersTo(one, { meant, run, isOnly: waiting.length === 1 }));
  // What is done side by side asks in runs of its own.
  const answers = own.length > 0 || state !== "waiting"
    ? own
    : [{ verb: "questions", does: "what waits for you", words: ["questions"] }];
  if (state === "running") return answers;
  const resume = header.resumeCommand === undefined ? [] : [{
    ...(elsewhere === undefined
      ? { verb: "resume", words: ["resume", resumedIn(header.resumeCommand) ?? run] }
      : { verb: "retry", words: ["fleet", "retry", elsewhere] }),
    does: answers.length > 0 ? "then continue it" : "continue where it was",
  }];
  if (waiting.length > 0) return [...answers, ...resume];
  if (workspace === undefined) {
    const isKnown = changes?.added !== undefined;
    return [...resume, ...(isKnown ? [{ verb: "undo", does: "put the files back", words: ["undo", run] }] : [])];
  }
  const hasWork = (changes?.files.length ?? 0) > 0;
  return [
    ...resume,
    ...(hasWork
      ? [
        { verb: "apply", does: "bring it into your checkout", words: ["apply", name] },
        { verb: "pr", does: "a branch and a pull request", words: ["pr", name] },
      ]
      : []),
    ...(hasWork && workspace.isTarget !== true
      ? [{ verb: "reply", does: "another round with your comment", words: ["reply", name, "…"] }]
      : []),
    {
      verb: "discard",
      does: hasWork ? "keep it on a ref, tidy up" : "remove its workspace",
      words: ["discard", name],
    },
  ];
}

function answersTo(
  { answer, question }: Card["waiting"][number],
  { isOnly, meant, run }: Pick<Card, "run"> & { readonly meant: string; readonly isOnly: boolean },
): Card["next"] {
  if (question === undefined) {
    return [{ verb: "attach", does: "answer in its pane", words: ["attach", run] }];
  }
  const which = isOnly ? [] : ["--question", question];
  if (answer === "permission") {
    return [
      { verb: "approve", does: "allow it, once", words: ["approve", meant, ...which] },
      { verb: "deny", does: "refuse it, and say why", words: ["deny", meant, ...which, "…"] },
    ];
  }
  return [{ verb: "answer", does: "say what it asks for", words: ["answer", run, "--question", question, "…"] }];
}
