import type { AgentQuestion } from "../../lib/base/question.ts";
import { findPaneProvider } from "../../lib/agents/mod.ts";
import { readScreen } from "../../lib/agents/pane/glance.ts";
import type { PaneLook } from "../../lib/agents/pane/pane_look.ts";
import { parseScreen } from "../../lib/screen/screen.ts";

const RULE = "─".repeat(80);

/** A dialog of `AskUserQuestion` that behaves as Claude Code's does (2.1.328). */
export interface FakeQuestions {
  /** What is chosen on each page: places of options, and of the field after them. */
  readonly chosen: Set<number>[];
  /** What stands in each page's field for own words. */
  readonly fields: string[];
  /** The page that is open, from 0; the number of questions for the last one. */
  page: number;
  /** The answers on record; `undefined` while it is open. */
  recorded: Readonly<Record<string, string>> | undefined;
  /** All keys and pastes that it got. */
  readonly keys: string[];
  look(): PaneLook;
  press(key: string): void;
  paste(text: string): void;
}

/** Opens a dialog with these questions. */
export function fakeQuestions(questions: readonly AgentQuestion[]): FakeQuestions {
  const hasReview = questions.length > 1 || questions[0]!.multiSelect;
  let selected = 0;
  const dialog: FakeQuestions = {
    chosen: questions.map(() => new Set<number>()),
    fields: questions.map(() => ""),
    page: 0,
    recorded: undefined,
    keys: [],
    look: () =>
      readScreen(parseScreen(rowsOf().join("\n"), { cols: 80 }), findPaneProvider("claude_code").terminal.rules),
    press(key) {
      dialog.keys.push(key);
      if (dialog.recorded !== undefined) return;
      if (dialog.page === questions.length) return pressOnReview(key);
      pressOnPage(key, questions[dialog.page]!);
    },
    paste(text) {
      dialog.keys.push(text);
      const place = questions[dialog.page]!.options.length;
      if (selected !== place) throw new Error("The selection is not on the field");
      dialog.fields[dialog.page] += text;
      if (questions[dialog.page]!.multiSelect) dialog.chosen[dialog.page]!.add(place);
    },
  };

  function open(page: number): void {
    dialog.page = Math.max(0, page);
    if (dialog.page === questions.length && !hasReview) return submit();
    selected = 0;
  }

  function submit(): void {
    const answers = questions.map((question, at) => [question.question, answerOf(at)] as const);
    dialog.recorded = Object.fromEntries(answers.filter(([, answer]) => answer !== ""));
  }

  function answerOf(at: number): string {
    const { options } = questions[at]!;
    const texts = [...dialog.chosen[at]!].sort().map((place) => options[place]?.label ?? dialog.fields[at]!);
    return texts.map((text) => text.includes(",") ? JSON.stringify(text) : text).join(", ");
  }

  function pressOnReview(key: string): void {
    if (key === "1") submit();
    else if (key === "BTab") open(questions.length - 1);
    else throw new Error(`${key} on the last page`);
  }

  function pressOnPage(key: string, { multiSelect, options: { length: field } }: AgentQuestion): void {
    const chosen = dialog.chosen[dialog.page]!;
    const place = /^\d$/.test(key) ? Number(key) - 1 : undefined;
    if (key === "Down") selected = Math.min(selected + 1, field + 1);
    else if (key === "Up") selected = Math.max(selected - 1, 0);
    else if (selected === field && key !== "Enter") throw new Error(`${key} is typed into the field`);
    else if (key === "Tab" || key === "BTab") open(dialog.page + (key === "Tab" ? 1 : -1));
    else if (key === "Enter" || place !== undefined) {
      const taken = place ?? selected;
      if (multiSelect) chosen.has(taken) ? chosen.delete(taken) : chosen.add(taken);
      else if (taken === field && place !== undefined) selected = field;
      else {
        chosen.clear();
        chosen.add(taken);
        open(dialog.page + 1);
      }
    } else throw new Error(`${key} on a page`);
  }

  function rowsOf(): readonly string[] {
    if (dialog.recorded !== undefined) {
      return ["● Answered Claude's questions:", "", RULE, "❯\u00a0", RULE, "  ⏸ manual mode on"];
    }
    const tabs = questions.map((_, at) => ` ${dialog.chosen[at]!.size > 0 ? "☒" : "☐"} Topic ${at + 1} `).join("");
    const head = ["❯ Ask me", "", RULE, hasReview ? `← ${tabs} ✔ Submit  →` : ` ☐ Topic `, ""];
    const choice = (number: number, text: string, isSelected: boolean) =>
      isSelected ? `\x1b[38;5;153m❯ ${number}. ${text}\x1b[0m` : `  ${number}. ${text}`;
    if (dialog.page === questions.length) {
      const answered = questions.flatMap(({ question }, at) =>
        answerOf(at) === "" ? [] : [` ● ${question}`, `   → ${answerOf(at)}`]
      );
      const isWhole = answered.length === questions.length * 2;
      const note = isWhole ? [] : ["⚠ Some questions are unanswered", ""];
      return [
        ...head,
        "Review your answers",
        "",
        ...note,
        ...answered,
        "",
        choice(1, "Submit answers", true),
        "  2. Cancel",
      ];
    }
    const { question, multiSelect, options } = questions[dialog.page]!;
    const chosen = dialog.chosen[dialog.page]!;
    const text = (label: string, place: number) =>
      multiSelect ? `[${chosen.has(place) ? "✔" : " "}] ${label}` : `${label}${chosen.has(place) ? " ✔" : ""}`;
    const field = dialog.fields[dialog.page] || `Type something${multiSelect ? "" : "."}`;
    return [
      ...head,
      question,
      "",
      ...options.flatMap(({ label, description }, place) => [
        choice(place + 1, text(label, place), selected === place),
        ...(description === "" ? [] : [`         ${description}`]),
      ]),
      choice(options.length + 1, text(field, options.length), selected === options.length),
      ...(multiSelect ? [`     ${dialog.page + 1 < questions.length ? "Next" : "Submit"}`] : []),
      RULE,
      choice(options.length + 2, "Chat about this", selected === options.length + 1),
      "",
      "Enter to select · Tab/Arrow keys to navigate · Esc to cancel",
    ];
  }

  return dialog;
}
