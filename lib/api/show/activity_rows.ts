import type { AcpActivity } from "../../agents/acp/activity.ts";
import type { ToldActivity } from "../../run/activity_file.ts";
import { createCallRows } from "./activity_calls.ts";
import { type ActivityRow, block, fromWorkdir, quoted, type RowStyle, safeRow, safeRows } from "./activity_row.ts";
import { byteSize, duration, plural } from "../../journal/words/words.ts";

interface ActivityViewOptions {
  /** The agent's working directory: paths in it are shown as they are seen from there. */
  readonly workdir: string;
  /** Whether prompts, thoughts and outputs are shown whole. @default {false} */
  readonly verbose?: boolean;
}

/** Rows that are shown of a prompt, and of a thought. */
const PROMPT_ROWS = 3;
const THOUGHT_ROWS = 4;

type Of<Type extends AcpActivity["type"]> = Extract<AcpActivity, { readonly type: Type }>;

export class ActivityView {
  readonly #workdir: string;
  readonly #verbose: boolean;
  readonly #calls: ReturnType<typeof createCallRows>;
  readonly #waiting = new Map<string, string>();
  #before: AcpActivity | undefined;
  #thoughtRows = 0;
  #plan: Of<"plan">["entries"] = [];
  #usage: Of<"usage"> | undefined;
  #turnBegan: string | undefined;
  #isAtWork = false;

  constructor({ workdir, verbose = false }: ActivityViewOptions) {
    this.#workdir = workdir;
    this.#verbose = verbose;
    this.#calls = createCallRows({ workdir, verbose });
  }

  rowsOf(told: ToldActivity): readonly ActivityRow[] {
    const rows = this.#rowsOf(told);
    if (told.activity.type !== "usage") this.#before = told.activity;
    return rows;
  }

  /** What the agent is at, for a line that shows just that; empty where nothing is known of it. Safe, too. */
  doing(): string {
    const [asked] = this.#waiting.values();
    const at = asked === undefined ? this.#calls.running() : `asks: ${asked}`;
    const done = this.#plan.filter(({ status }) => status === "completed").length;
    return [
      this.#isAtWork ? at : "",
      this.#plan.length === 0 ? "" : `plan ${done}/${this.#plan.length}`,
      this.#usage === undefined ? "" : usageText(this.#usage),
    ].filter((part) => part !== "").join(" · ");
  }

  #rowsOf({ at, activity }: ToldActivity): readonly ActivityRow[] {
    switch (activity.type) {
      case "session": {
        const { agent, sessionId, resumed } = activity;
        const text = `${agent}, ${resumed ? "its earlier session" : "session"} ${sessionId}`;
        return block(at, { mark: "", texts: [safeRow(text)], style: "strong" });
      }
      case "mode":
        return quoted(at, { mark: "", texts: [safeRow(`mode: ${activity.mode}`)] });
      case "turn_begun":
        this.#turnBegan = at;
        this.#isAtWork = true;
        return promptRows(at, activity, this.#verbose ? Infinity : PROMPT_ROWS);
      case "message":
        return this.#spoken(at, activity, { mark: "• " });
      case "thought":
        return this.#thought(at, activity);
      case "plan": {
        const isSame = sameEntries(this.#plan, activity.entries);
        this.#plan = activity.entries;
        return isSame ? [] : planRows(at, activity);
      }
      case "tool_call":
        return this.#calls.rowsOf(at, activity);
      case "tool_output":
        return this.#calls.outputOf(at, activity);
      case "permission_asked": {
        const texts = safeRows(activity.text.trim()).map((row) => fromWorkdir(row, this.#workdir));
        this.#waiting.set(activity.id, texts[0] ?? "");
        return block(at, { mark: "? ", texts, style: "caution" });
      }
      case "permission_answered":
        return this.#answered(at, activity);
      case "usage":
        this.#usage = activity;
        return [];
      case "note":
        return activity.isProblem
          ? block(at, { mark: "! ", texts: safeRows(activity.text), style: "bad" })
          : block(at, { mark: "· ", texts: safeRows(activity.text), style: "faint" });
      case "turn_ended": {
        const took = this.#turnBegan === undefined ? "" : ` after ${duration(secondsBetween(this.#turnBegan, at))}`;
        const text = `turn ended${took}: ${safeRow(activity.reason)}`;
        const style = activity.isGood ? "good" : "caution";
        return [...this.#rest(at), { at, mark: "< ", text, style, begins: true, isTimed: true }];
      }
      case "ended":
        return [...this.#rest(at), ...block(at, { mark: "! ", texts: safeRows(activity.text), style: "bad" })];
    }
  }

  #spoken(
    at: string,
    { type, id, text }: Of<"message"> | Of<"thought">,
    shown: { readonly mark: string; readonly style?: RowStyle },
  ): readonly ActivityRow[] {
    const continues = this.#before?.type === type && this.#before.id === id;
    const rows = block(at, { ...shown, texts: safeRows(text.replace(/\n$/, "")) });
    return continues ? rows.map((row) => ({ ...row, mark: "  ", begins: false })) : rows;
  }

  #thought(at: string, activity: Of<"thought">): readonly ActivityRow[] {
    if (this.#before?.type !== "thought" || this.#before.id !== activity.id) this.#thoughtRows = 0;
    const rows = this.#spoken(at, activity, { mark: "~ ", style: "faint" });
    const room = THOUGHT_ROWS - this.#thoughtRows;
    if (this.#verbose || rows.length <= room) {
      this.#thoughtRows += rows.length;
      return rows;
    }
    this.#thoughtRows = THOUGHT_ROWS + 1;
    return room < 0 ? [] : [...rows.slice(0, room), ...quoted(at, { mark: "  ", texts: ["…"] })];
  }

  #answered(at: string, { id, answer, note }: Of<"permission_answered">): readonly ActivityRow[] {
    const which = this.#waiting.size > 1 ? this.#waiting.get(id) : undefined;
    this.#waiting.delete(id);
    const text = [ANSWERS[answer], which, note].filter((part) => part !== undefined).join(": ");
    const style = answer === "reject" ? "bad" : answer === "gone" ? "faint" : "good";
    return quoted(at, { mark: "  ", texts: [safeRow(text)], style });
  }

  #rest(at: string): readonly ActivityRow[] {
    this.#isAtWork = false;
    this.#waiting.clear();
    return this.#calls.end(at);
  }
}

const ANSWERS: Readonly<Record<Of<"permission_answered">["answer"], string>> = {
  allow: "allowed",
  reject: "refused",
  reply: "answered",
  gone: "not asked any more",
};

function promptRows(at: string, { text }: Of<"turn_begun">, maxRows: number): readonly ActivityRow[] {
  const texts = safeRows(text.trim());
  const left = Math.max(0, texts.length - maxRows);
  const shown = left === 0 ? texts : [...texts.slice(0, maxRows), `… ${plural(left, "more row")}`];
  const size = byteSize(new TextEncoder().encode(text).length);
  return [
    { at, mark: "> ", text: `prompt of ${size}`, style: "strong", begins: true, isTimed: true },
    ...quoted(at, { mark: "  | ", texts: shown }),
  ];
}

type PlanEntry = Of<"plan">["entries"][number];

function planRows(at: string, { entries }: Of<"plan">): readonly ActivityRow[] {
  const rows = entries.map(({ text, status }) => ({ at, ...PLAN_MARKS[status], text: safeRow(text), begins: false }));
  return [...block(at, { mark: "", texts: ["plan"], style: "strong" }), ...rows];
}

const PLAN_MARKS: Readonly<Record<PlanEntry["status"], Pick<ActivityRow, "mark" | "style">>> = {
  completed: { mark: "  [x] ", style: "faint" },
  in_progress: { mark: "  [>] ", style: "strong" },
  failed: { mark: "  [!] ", style: "bad" },
  pending: { mark: "  [ ] " },
};

function sameEntries(left: readonly PlanEntry[], right: readonly PlanEntry[]): boolean {
  return left.length === right.length &&
    left.every(({ text, status }, index) => text === right[index]?.text && status === right[index]?.status);
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000) || 0;
}

function usageText({ inputTokens = 0, outputTokens = 0, contextTokens, contextSize, costUsd }: Of<"usage">): string {
  const tokens = inputTokens + outputTokens;
  const isSizeKnown = contextTokens !== undefined && contextSize !== undefined && contextSize > 0;
  return [
    tokens === 0 ? "" : plural(tokens, "token"),
    isSizeKnown ? `context ${Math.round(100 * contextTokens / contextSize)}%` : "",
    costUsd === undefined ? "" : `$${costUsd.toFixed(2)}`,
  ].filter((part) => part !== "").join(", ");
}
