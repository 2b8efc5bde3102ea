import type { AnswerBy, Giver, HostAnswer } from "../base/terms.ts";
import { present } from "../base/schema.ts";
import type { ToldCost, Usage } from "../base/usage.ts";
import type { ReportHead, ToldRecord } from "./entry.ts";
import { adds, closes, type ItemChange, opens, QUESTION_KEY } from "./items/item_changes.ts";
import type { NewDetail } from "./items/source.ts";
import type { RulesUsed } from "./loop/fields.ts";
import type { RunCaps } from "./meter_event.ts";
import type { MapPath } from "./paths.ts";
import { type Recovered, recoveredText } from "./recovery.ts";
import type { Progress } from "./progress.ts";
import type { RunEnd } from "./run_facts.ts";
import type { Cost } from "./usage.ts";
import { allWaiting, alsoWaitsFor, HOST, withoutWaiting } from "./waiting.ts";
import {
  costText,
  detail,
  giverDetail,
  line,
  outputOf,
  paragraph,
  shortened,
  type ShownLine,
  tokensOf,
  toldCostText,
  workerTokens,
} from "./words/lines.ts";
import { duration, plural } from "./words/words.ts";

// What the records that both jobs have mean in either of them.

/** What a record of a review loop names, and one of a step does not. */
interface OfRole {
  readonly role?: string;
  readonly turnId?: string;
}

const NAMED_FILES = 5;

interface ChangedFiles extends OfRole {
  readonly files: readonly string[];
  readonly more?: number;
  readonly folder: string;
  readonly hasPatch: boolean;
  readonly late?: boolean;
}

export const CHANGED = {
  words({ role, files, more = 0, late }: ChangedFiles): ShownLine {
    const who = role === undefined ? "" : `${role}: `;
    const when = late === true ? " (seen only when the run was resumed)" : "";
    if (files.length === 0) return detail(`${who}no file was changed${when}`);
    const others = files.length + more - NAMED_FILES;
    return line(
      `${who}changed ${plural(files.length + more, "file")}${when}: ${files.slice(0, NAMED_FILES).join(", ")}` +
        (others > 0 ? ` and ${others} more` : ""),
    );
  },
  items(fact: ChangedFiles, { title, lane }: ToldRecord): readonly ItemChange[] {
    const { files, more = 0, folder, hasPatch, turnId: turn } = fact;
    if (files.length === 0) return [];
    const details: readonly NewDetail[] = hasPatch
      ? [{ kind: "diff", title: "What was changed", from: "file", path: `${folder}/diff.patch` }]
      : [];
    const text = [...files, ...(more === 0 ? [] : [`and ${more} more`])].join("\n");
    return [adds({ kind: "changes", lane, ...present({ turn }), title, text, details })];
  },
};

export const REPEATED = {
  words: ({ role = "the agent", command, times }: OfRole & { readonly command: string; readonly times: number }) =>
    line(`${role} ran one command ${times} times in a row: ${shortened(command)}`, "caution"),
  items: (_fact: object, { title, text, lane }: ToldRecord) =>
    adds({ kind: "limit", lane, title, text, tone: "caution" }),
};

export const GROUND = {
  words: (
    { reason, restart, maxRestarts }: {
      readonly reason: string;
      readonly restart: number;
      readonly maxRestarts: number;
    },
  ) => line(`${reason}; the agents are started again (restart ${restart} of at most ${maxRestarts})`, "caution"),
  recovers: () => ({ recovery: "ground" }) as const,
  items: (_fact: object, { title, lane }: ToldRecord) => adds({ kind: "kill", lane, title, tone: "bad" }),
};

export const COUNTED = {
  words({ role, usage, cost }: OfRole & { readonly usage: Usage; readonly cost?: ToldCost }): ShownLine {
    const whose = role === undefined ? "" : `${role}: `;
    return detail(`${whose}so far${tokensOf(usage)}${toldCostText(cost)}`);
  },
  items: () => [],
};

interface Began {
  readonly runId: string;
  readonly folder: string;
  readonly configFile?: string | null;
  readonly carriedFrom?: string;
  readonly panewright?: string;
  readonly accepted?: { readonly files: readonly string[]; readonly diff: string };
  readonly handedBack?: string;
  readonly said?: string;
  readonly rules?: RulesUsed;
  /** Those before, where they were others. */
  readonly rulesBefore?: RulesUsed;
}

export const STARTED = {
  meter: () => ({ kind: "process_begins" }) as const,
  words(fact: Began & { readonly startAgent?: string }): readonly ShownLine[] {
    const { runId, folder, startAgent } = fact;
    const first = startAgent === undefined ? "" : `, starting with ${startAgent}`;
    return [line(`run ${runId}${first}; its records are in ${folder}`), ...rulesLines(fact)];
  },
  items: ({ runId }: Began) => adds({ kind: "start", title: `run ${runId} starts` }),
};

export const RESUMED = {
  paths: ({ configFile }: { readonly configFile?: string }, map: MapPath) =>
    configFile === undefined ? {} : { configFile: map(configFile) },
  meter: ({ raised }: { readonly raised?: RunCaps }) => ({ kind: "process_begins", raised }) as const,
  head: ({ panewright }: Began): ReportHead => ({ cost: undefined, ...present({ panewright }) }),
  words(fact: Began): readonly ShownLine[] {
    const { runId, folder, carriedFrom, accepted, handedBack, said } = fact;
    const carried = `it was carried here from ${carriedFrom}: agents begin new sessions`;
    return [
      line(`run ${runId} resumed; its records are in ${folder}`),
      ...(carriedFrom === undefined ? [] : [line(carried)]),
      ...(handedBack === undefined
        ? []
        : [line(`a person has worked in the session ${handedBack}, and hands it back`)]),
      ...(said === undefined ? [] : [paragraph(`a person says: ${said.trim()}`)]),
      ...outputOf(accepted?.diff ?? ""),
      ...rulesLines(fact),
    ];
  },
  items({ runId, accepted, handedBack, said }: Began, { progress }: ToldRecord): readonly ItemChange[] {
    const by = handedBack === undefined ? "" : ", after a person has worked in its session";
    const resumed = adds({
      kind: "resume",
      title: `run ${runId} is resumed${by}`,
      ...present({ text: said ?? accepted?.diff }),
    });
    const gone = "the process that executed the run was gone: nothing was recorded until it was resumed";
    if (progress === undefined || progress.finished !== undefined) return [resumed];
    const { lastAt: at } = progress;
    return [{ do: "close_all", at }, { do: "add", item: { kind: "kill", title: gone, tone: "bad" }, at }, resumed];
  },
};

interface Warned {
  readonly role?: string;
  readonly message: string;
}

export const WARNED = {
  words: ({ role, message }: Warned) =>
    paragraph(`warning: ${role === undefined ? "" : `${role}: `}${message}`, "caution", "always"),
  items: ({ role: lane = "run" }: Warned, { title, text }: ToldRecord) =>
    adds({ kind: "warning", lane, title, text, tone: "caution" }),
};

const REFUSED = ": the sandbox refused: ";

/** What the sandbox has refused, and to whom, of the title of a report's item; `undefined` for any other one. */
export function refusedIn(title: string): string | undefined {
  const [by = "", what] = title.split(REFUSED, 2);
  return what === undefined ? undefined : `${what} (${by})`;
}

export const REFUSED_INSIDE = {
  words: ({ by, what }: { readonly by: string; readonly what: string }) =>
    line(`${by}${REFUSED}${what}`, "caution", "log"),
  items: (_fact: object, { title, text }: ToldRecord) => adds({ kind: "warning", lane: "run", title, text }),
};

interface SetUp {
  readonly command: string;
  readonly outcome: "made" | "kept" | "failed";
  readonly seconds: number;
  readonly output: string;
}

export const SET_UP = {
  words({ command, outcome, output, seconds }: SetUp): readonly ShownLine[] {
    const tone = outcome === "failed" ? "bad" : "plain";
    const told = `the workspace ${SET_UP_WORDS[outcome]} ${shortened(command)} (${duration(seconds)})`;
    return [line(told, tone), ...outputOf(output.trim())];
  },
  items({ outcome, output }: SetUp, { title }: ToldRecord): readonly ItemChange[] {
    const tone = outcome === "failed" ? "bad" : "plain";
    const details: readonly NewDetail[] = output.trim() === ""
      ? []
      : [{ kind: "output", title: "What it wrote", from: "record", text: output }];
    return [adds({ kind: "note", lane: "run", title, tone, details })];
  },
};

interface Evidence {
  readonly trials: readonly {
    readonly kind: string;
    readonly of?: string | undefined;
    readonly passed: boolean;
    readonly detail: string;
  }[];
  readonly remarks: readonly string[];
  readonly problem?: string | undefined;
  readonly hunks?: readonly { readonly noticed: boolean }[] | undefined;
  readonly untried?: number | undefined;
}

const TRIAL_WORDS: Readonly<Record<string, string>> = {
  base: "on the code as it was",
  clean: "on a fresh checkout of the result",
  original: "there with the tests as they were",
  red: "on the code as it was, with the tests of the result",
  canary: "with a test that must fail in",
  canary_before: "on the code as it was, with a test that must fail in",
  again: "once more, with",
  again_before: "on the code as it was, with",
  mutation: "with a tool that changes the code on purpose",
  hidden: "with the hidden tests",
};

const MUST_FAIL: ReadonlySet<string> = new Set(["red", "canary", "canary_before"]);

/** What a judge has found, line by line. */
export function evidenceLines(
  { hunks = [], problem, remarks, trials, untried = 0 }: Evidence,
): readonly ShownLine[] {
  const told = trials.map(({ detail, kind, of, passed }) => {
    const mustFail = MUST_FAIL.has(kind);
    const isAsItShould = kind === "base" || kind === "again_before" || passed !== mustFail;
    const how = passed
      ? `the checks pass${mustFail ? ", and must not" : ""}`
      : `a check fails${mustFail ? ", as it must" : ""}: ${shortened(detail)}`;
    const where = `${TRIAL_WORDS[kind]}${of === undefined ? "" : ` ${of},`}`;
    return line(`evidence: ${where} ${how}`, isAsItShould ? "plain" : "caution");
  });
  const noticed = hunks.filter((hunk) => hunk.noticed).length;
  const left = untried === 0 ? "" : `; ${untried} not tried`;
  return [
    ...told,
    ...(hunks.length + untried === 0
      ? []
      : [line(`evidence: the checks miss ${noticed} of ${plural(hunks.length, "place")} that were changed${left}`)]),
    ...remarks.map((remark) => line(`remark: ${remark}`, "caution")),
    ...(problem === undefined ? [] : [line(`no PASS: ${problem}`, "bad")]),
  ];
}

interface BaseTried {
  readonly passed: boolean;
  readonly detail: string;
  readonly total?: number | undefined;
  readonly notMade?: boolean | undefined;
}

export const BASE_TRIED = {
  words: ({ detail, notMade = false, passed, total }: BaseTried) => {
    if (passed) {
      const tests = total === undefined ? "" : ` (${plural(total, "test")})`;
      return line(`evidence: on the code as it was the checks pass${tests}`, "plain", "detail");
    }
    const what = notMade ? "the checks could not be tried" : "the checks fail already";
    return line(`on the code as it was ${what}: ${shortened(detail)}`, notMade ? "caution" : "plain");
  },
  items: ({ notMade = false, passed }: BaseTried, { title }: ToldRecord): readonly ItemChange[] =>
    passed ? [] : [adds({ kind: "note", lane: "run", title, tone: notMade ? "caution" : "plain" })],
};

export const EVIDENCE = {
  progress: (_before: object, { remarks }: Evidence) => ({ remarks }),
  words: evidenceLines,
  items({ remarks }: Evidence, { title, text }: ToldRecord): readonly ItemChange[] {
    return [adds({ kind: "note", lane: "run", title, text, tone: remarks.length === 0 ? "plain" : "caution" })];
  },
};

const SET_UP_WORDS = {
  made: "was set up by",
  kept: "was set up with what was made before by",
  failed: "could not be set up by",
};

/** What has `reached` while records are folded. */
export interface Reaching {
  /** How many hosts a person was asked about. @default {0} */
  readonly hostsAsked?: number;
  /** The hosts that a person has let programs in the sandbox reach until the run ends. @default {[]} */
  readonly reached?: readonly string[];
}

interface HostAsked {
  readonly question: string;
  readonly host: string;
}

/** What a person is asked about a host that is not named. */
export function hostQuestion(host: string) {
  const subject = `reach ${host}`;
  const options = [
    { label: "once", description: "this connection" },
    { label: "run", description: "until the run ends" },
    { label: "no", description: "nor later in this run" },
  ] as const satisfies readonly { readonly label: HostAnswer; readonly description: string }[];
  return { subject, choice: { question: `May it ${subject}?`, multiSelect: false, options } };
}

export const HOST_ASKED = {
  state: <Of extends Reaching>(state: Of): Of => ({ ...state, hostsAsked: (state.hostsAsked ?? 0) + 1 }),
  progress(before: Progress, { question: id, host, at: askedAt }: HostAsked & { readonly at: string }) {
    const { subject, choice } = hostQuestion(host);
    const reason = "sandbox_network does not name it. Say once, run (until the run ends), or no.";
    const dialog = { kind: HOST, subject, reason, terminalId: "", questions: [choice] };
    return alsoWaitsFor(before, {
      ...{ id, by: "sandbox", askedAt, text: hostText(host), isPermission: true, fingerprint: id, dialog },
    });
  },
  words: ({ question, host }: HostAsked) => line(`question ${question}: ${hostText(host)}`, "caution"),
  items: ({ question }: HostAsked, { title, text }: ToldRecord) =>
    opens(`${QUESTION_KEY}${question}`, { kind: "question", lane: "run", title, text, tone: "caution" }),
};

export function hostText(host: string): string {
  return `a program in the sandbox wants to reach ${host}, which sandbox_network does not name`;
}

interface HostDecided {
  readonly host: string;
  readonly answer: HostAnswer;
  readonly question?: string;
  readonly by?: AnswerBy;
  readonly who?: string;
  readonly giver?: Giver;
}

export const HOST_DECIDED = {
  state: <Of extends Reaching>(state: Of, { host, answer }: HostDecided): Of =>
    answer === "run" ? { ...state, reached: [...state.reached ?? [], host] } : state,
  progress(before: Progress, { question: id, answer, by, who, giver, at }: HostDecided & { readonly at: string }) {
    const asked = allWaiting(before).find((one) => one.id === id);
    if (id === undefined || asked === undefined) return {};
    const given = { id, worker: asked.by, asked: asked.text, answer, ...present({ who, giver }), at };
    return {
      ...withoutWaiting(before, { id }),
      ...(by === undefined ? {} : { answers: [...before.answers, { ...given, by }] }),
    };
  },
  words: ({ host, answer, question, by, giver }: HostDecided) => [
    line(
      question !== undefined && by === undefined
        ? `nobody said in time whether programs in the sandbox may reach ${host}: they may not`
        : HOST_WORDS[answer](host),
      answer === "no" ? "caution" : "plain",
    ),
    ...giverDetail(giver),
  ],
  items({ question }: HostDecided, { title, text }: ToldRecord) {
    const answer = adds({ kind: "answer", lane: "run", title, text });
    return question === undefined ? answer : [closes(`${QUESTION_KEY}${question}`), answer];
  },
};

const HOST_WORDS: Readonly<Record<HostAnswer, (host: string) => string>> = {
  once: (host) => `a person let a program in the sandbox reach ${host} once`,
  run: (host) => `a person lets programs in the sandbox reach ${host} until the run ends`,
  no: (host) => `a person does not let programs in the sandbox reach ${host}`,
};

interface Ended {
  readonly outcome: RunEnd;
  readonly reason: string;
  readonly seconds: number;
  readonly cost?: Cost;
  readonly usage?: Usage;
  readonly left?: readonly string[];
  readonly recovered?: readonly Recovered[];
  readonly resumeCommand?: string;
  readonly rounds?: number;
  readonly usageByRole?: Readonly<Record<string, Usage>>;
  readonly usageByStep?: Readonly<Record<string, Usage>>;
}

export const FINISHED = {
  meter: ({ seconds }: Ended) => ({ kind: "process_ends", seconds }) as const,
  head: ({ cost }: Ended): ReportHead => ({ cost }),
  words(fact: Ended): readonly ShownLine[] {
    const { outcome, reason, seconds, usage = {}, cost, resumeCommand, rounds, usageByRole, usageByStep } = fact;
    const { left = [], recovered = [] } = fact;
    const because = rounds === undefined || outcome === "fail" ? `: ${reason}` : "";
    const after = rounds === undefined ? "" : `${plural(rounds, "round")}, `;
    const told = `${OUTCOMES[outcome]} after ${after}${duration(seconds)}${because}`;
    return [
      line(`${told}${tokensOf(usage)}${costText(cost)}`, outcome === "pass" ? "good" : "bad", "result"),
      ...workerTokens(usageByRole ?? usageByStep ?? {}, cost?.byWorker).map((each) => line(each, "plain", "result")),
      ...(recovered.length === 0 ? [] : [line(`Recovered: ${recoveredText(recovered)}`, "plain", "result")]),
      ...left.map((each) => line(`Left running: ${each}`, "caution", "result")),
      ...(resumeCommand === undefined ? [] : [line(`Resume with: ${resumeCommand}`, "plain", "result")]),
    ];
  },
  items({ outcome, reason }: Ended, { title }: ToldRecord): readonly ItemChange[] {
    const tone = outcome === "pass" ? "good" : outcome === "fail" || outcome === "error" ? "bad" : "caution";
    return [{ do: "close_all" }, adds({ kind: "end", title, text: reason, tone })];
  },
};

const OUTCOMES: Readonly<Record<RunEnd, string>> = {
  pass: "PASS",
  fail: "FAIL",
  waiting: "WAITING",
  needs_human: "STOPPED FOR A PERSON",
  error: "ERROR",
  interrupted: "INTERRUPTED",
};

function rulesLines(
  { rules = {}, rulesBefore = {} }: { readonly rules?: RulesUsed; readonly rulesBefore?: RulesUsed },
): readonly ShownLine[] {
  return Object.entries(rules).flatMap(([provider, { version, sha256, key }]) => {
    const before = rulesBefore[provider];
    const changed = before !== undefined && (before.version !== version || before.sha256 !== sha256);
    if (key === undefined && !changed) return [];
    const now = `${provider} is read with ${key === undefined ? "the built-in rules" : "rules"} ${version}`;
    const signed = key === undefined ? "" : `, signed by ${key}`;
    return [line(`${now}${signed}${changed ? `; before, with ${before.version}` : ""}`, changed ? "caution" : "plain")];
  });
}
