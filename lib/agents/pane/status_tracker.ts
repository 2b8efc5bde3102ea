import type { Clock } from "../../base/ports/clock.ts";
import type { Decision } from "../../screen/classify.ts";
import type { RulePack } from "../../screen/rules.ts";
import type { Screen } from "../../screen/screen.ts";
import { combineStatus, LAG_MS } from "./combine_status.ts";
import type { HookWord } from "./hook_witness.ts";
import type { PaneLook } from "./pane_look.ts";
import type { RecordedFailure, StatusReport, StatusSource } from "./status_source.ts";
import { present } from "../../base/schema.ts";

interface StatusTrackerOptions {
  readonly source?: StatusSource;
  readonly hooks?: HookWord;
  readonly rules: RulePack;
  readonly clock: Clock;
  /** How long a doubtful screen must stand still to be believed without a source. */
  readonly quietMs: number;
  readonly seenRules?: readonly string[];
  readonly log: (message: string) => void;
}

type JudgedLook = Pick<PaneLook, "screen" | "classification" | "seenSigns">;

export type JudgedStatus = Decision & {
  readonly record?: string;
  readonly restIsRecorded?: true;
};

export class StatusTracker implements Disposable {
  readonly #options: StatusTrackerOptions;
  #lastRead: Promise<unknown> = Promise.resolve();
  #lastScreen: Screen | undefined;
  #shown: string | undefined;
  #stillSinceMs = 0;
  #submittedMs: number | undefined;
  #disagreeSinceMs: number | undefined;
  readonly #liftingRules: ReadonlySet<string>;
  readonly #unseen: Set<string>;
  #told = false;

  constructor(options: StatusTrackerOptions) {
    this.#options = options;
    const seen = new Set(options.seenRules);
    this.#liftingRules = new Set(options.rules.rules.flatMap(({ doubtful }) => doubtful?.unlessSeen ?? []));
    this.#unseen = new Set([...this.#liftingRules].filter((rule) => !seen.has(rule)));
  }

  /** The rules that lift a doubt once they are seen, and that have not been seen yet: signs for `readScreen`. */
  get unseenRules(): ReadonlySet<string> {
    return this.#unseen;
  }

  async judge(look: JudgedLook, options: { readonly quietMs?: number } = {}): Promise<JudgedStatus> {
    const { classification } = look;
    const { clock, quietMs, source } = { ...this.#options, ...options };
    const report = await this.#readSource();
    const nowMs = clock.now();
    this.#noteScreen(look, nowMs);
    const unlessSeen = classification.doubtful?.unlessSeen;
    const combined = combineStatus(classification, report, {
      nowMs,
      quietMs,
      stillSinceMs: this.#stillSinceMs,
      submittedMs: this.#submittedMs,
      disagreeSinceMs: this.#disagreeSinceMs,
      doubtLifted: unlessSeen !== undefined && !this.#unseen.has(unlessSeen),
    });
    this.#noteDisagreement(combined.disagree, nowMs);
    if (combined.disagree && nowMs - (this.#disagreeSinceMs ?? nowMs) >= LAG_MS && !this.#told) {
      this.#told = true;
      this.#options.log(describeDisagreement(classification, report, { source, decided: combined.status }));
    }
    const restIsRecorded = report?.state === "at_rest" ? true as const : undefined;
    const record = present({ record: report?.evidence, restIsRecorded });
    if (combined.by === "screen") return { ...classification, ...record };
    const rule = combined.by === "quiet" ? "not-quiet-yet" : source?.name.replaceAll(" ", "-") ?? "";
    return { status: combined.status, rule, evidence: [], ...record };
  }

  /** Told right before a prompt is submitted: what was recorded until then is about earlier turns. */
  async noteSubmission(text: string): Promise<void> {
    const { clock, source } = this.#options;
    await this.#readSource();
    this.#options.hooks?.expectPrompt(source?.sessionId);
    source?.expectPrompt(text);
    this.#submittedMs = clock.now();
    this.#disagreeSinceMs = undefined;
    this.#told = false;
  }

  /** The rules that were seen and lift a doubt: what is known of this agent's screens. */
  get seenRules(): readonly string[] {
    return [...this.#liftingRules].filter((rule) => !this.#unseen.has(rule));
  }

  /** The agent's record, as far as it was read; `undefined` where it keeps none. */
  get record(): StatusSource | undefined {
    return this.#options.source;
  }

  async lastAnswer(): Promise<string | undefined> {
    const { source } = this.#options;
    const report = await this.#readSource();
    if (report?.state !== "at_rest" || report.sinceMs < (this.#submittedMs ?? -Infinity)) return undefined;
    return await source?.lastAnswer();
  }

  async lastFailure(): Promise<{ readonly recorded?: RecordedFailure; readonly overBy?: string }> {
    if ((await this.#readSource())?.state !== "at_rest") return {};
    const recorded = await this.#options.source?.lastFailure?.();
    // Asked again: reading how the turn failed may take a while, in which the agent may have begun another.
    const report = await this.#readSource();
    const isOfTurn = recorded?.endsTurn === true || (report?.sinceMs ?? NaN) >= (this.#submittedMs ?? -Infinity);
    if (report?.state !== "at_rest" || !isOfTurn) return {};
    return { overBy: report.evidence, ...present({ recorded }) };
  }

  /** The agent's record, read up to now; `undefined` where it keeps none. */
  async readRecord(): Promise<StatusSource | undefined> {
    await this.#readSource();
    return this.#options.source;
  }

  /** A source reads on from where it stopped: two reads at once would spoil that. */
  #readSource(): Promise<StatusReport | undefined> {
    const { hooks, source } = this.#options;
    const read = this.#lastRead.then(async () => {
      const report = await source?.read();
      return hooks === undefined ? report : hooks.weigh(report, source?.sessionId);
    });
    this.#lastRead = read.catch(() => {});
    return read;
  }

  #noteScreen({ screen, seenSigns }: JudgedLook, nowMs: number): void {
    if (screen === this.#lastScreen) return;
    this.#lastScreen = screen;
    const shown = [screen.title ?? "", ...screen.rows.map((row) => row.text)].join("\n");
    if (shown !== this.#shown) [this.#shown, this.#stillSinceMs] = [shown, nowMs];
    for (const rule of seenSigns) this.#unseen.delete(rule);
  }

  #noteDisagreement(disagree: boolean, nowMs: number): void {
    if (!disagree) this.#disagreeSinceMs = undefined;
    else if (this.#disagreeSinceMs === undefined) {
      this.#disagreeSinceMs = nowMs;
      this.#options.source?.doubt();
    }
  }

  [Symbol.dispose](): void {
    this.#options.source?.[Symbol.dispose]();
  }
}

function describeDisagreement(
  screen: Decision,
  report: StatusReport | undefined,
  { source, decided }: { readonly source: StatusSource | undefined; readonly decided: Decision["status"] },
): string {
  const says = report === undefined ? "nothing" : `${report.state} (${report.evidence})`;
  return `the screen says ${screen.status} (rule ${screen.rule}), the ${source?.name} says ${says}; ` +
    `taken is ${decided}`;
}
