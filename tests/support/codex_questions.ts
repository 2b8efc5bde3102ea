import type { AgentQuestion } from "../../lib/base/question.ts";
import { findPaneProvider } from "../../lib/agents/mod.ts";
import { readScreen } from "../../lib/agents/pane/glance.ts";
import type { PaneLook } from "../../lib/agents/pane/pane_look.ts";
import { parseScreen } from "../../lib/screen/screen.ts";

/** The dialog of Codex' `request_user_input`, with the keys that it knows (seen in 0.169.0). */
export interface FakeCodexQuestions {
  /** Words in the notes, question by question; `undefined` where they are closed. */
  readonly notes: (string | undefined)[];
  /** What is on record once all is handed in. */
  recorded: Readonly<Record<string, string>> | undefined;
  readonly keys: string[];
  look(): PaneLook;
  press(key: string): void;
  paste(text: string): void;
}

/** Opens a dialog with these questions. */
export function fakeCodexQuestions(questions: readonly AgentQuestion[]): FakeCodexQuestions {
  const selected = questions.map(() => 0);
  const answered = new Set<number>();
  let page = 0;
  let isInNotes = false;
  const dialog: FakeCodexQuestions = {
    notes: questions.map(() => undefined),
    recorded: undefined,
    keys: [],
    look: () => readScreen(parseScreen(rowsOf().join("\n"), { cols: 100 }), findPaneProvider("codex").terminal.rules),
    press(key) {
      dialog.keys.push(key);
      if (dialog.recorded !== undefined) return;
      const count = questions[page]!.options.length + 1;
      if (key === "Tab") {
        isInNotes = dialog.notes[page] === undefined;
        dialog.notes[page] = isInNotes ? "" : undefined;
      } else if (key === "Enter") {
        answer();
      } else if (isInNotes) {
        if (/^\d$/.test(key)) dialog.notes[page] += key;
      } else if (key === "Up" || key === "Down") {
        selected[page] = (selected[page]! + count + (key === "Up" ? -1 : 1)) % count;
      } else if (key === "Left" || key === "Right") {
        page = (page + questions.length + (key === "Left" ? -1 : 1)) % questions.length;
      } else if (Number(key) <= count) {
        selected[page] = Number(key) - 1;
        answer();
      }
    },
    paste(text) {
      dialog.keys.push(text);
      if (isInNotes) dialog.notes[page] += text;
    },
  };

  function answer(): void {
    answered.add(page);
    isInNotes = false;
    if (page < questions.length - 1) return void page++;
    if (answered.size < questions.length) throw new Error("handed in although questions are open");
    dialog.recorded = Object.fromEntries(questions.map(({ question, options }, at) => {
      const label = options[selected[at]!]?.label;
      const note = dialog.notes[at] || undefined;
      return [
        question,
        [
          ...(label === undefined && note !== undefined ? [] : [label ?? "None of the above"]),
          ...(note === undefined ? [] : [note]),
        ].join(", "),
      ];
    }));
  }

  function rowsOf(): readonly string[] {
    if (dialog.recorded !== undefined) return ["• Questions answered", "", "› Ask Codex to do anything"];
    const { question, options } = questions[page]!;
    const choices = [...options, { label: "None of the above", description: "Optionally, add details in notes (tab)" }];
    const note = dialog.notes[page];
    return [
      ...[
        "› Ask me.",
        "",
        `  Question ${page + 1}/${questions.length} (${questions.length - answered.size} unanswered)`,
      ],
      ...question.split("\n").map((text) => `  ${text}`),
      "",
      ...choices.map(({ label, description }, at) =>
        `  ${at === selected[page] ? "›" : " "} ${at + 1}. ${label.padEnd(20)}  ${description}`
      ),
      "",
      ...(note === undefined ? [] : [`  › ${note === "" ? "Add notes" : note}`, ""]),
      note === undefined
        ? "  tab to add notes | enter to submit answer | ←/→ to navigate questions | esc to interrupt"
        : "  tab or esc to clear notes | enter to submit answer",
    ];
  }

  return dialog;
}
