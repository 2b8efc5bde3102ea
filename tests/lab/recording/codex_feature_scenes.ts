import type { ModelRequest } from "../script.ts";
import type { Turn } from "../steps.ts";
import { SCRIPTS_ANSWER } from "./answers.ts";
import type { Scene } from "./scene.ts";

const PROPOSED_PLAN = `<proposed_plan>
# Repair the cart

1. Read the cart module
2. Add the item
</proposed_plan>
`;

/** Screens of what Codex can do besides: plans, several questions, compaction, other scripts. */
export const CODEX_FEATURE_SCENES: readonly Scene[] = [
  {
    name: "questions",
    turns: [[
      {
        do: "call",
        tool: "request_user_input",
        input: {
          questions: [
            {
              id: "database",
              header: "Database",
              question: "Which database should the service use?",
              options: [
                { label: "PostgreSQL (Recommended)", description: "A server with everything" },
                { label: "SQLite", description: "A file" },
              ],
            },
            {
              id: "log",
              header: "Log",
              question: "Where should the log go?",
              options: [{ label: "Files", description: "One a day" }, { label: "Nowhere", description: "No log" }],
            },
          ],
        },
      },
      { do: "hold" },
      { do: "say", text: "Both it is." },
    ]],
    async play(stage) {
      await stage.settle();
      // Codex asks questions in plan mode only.
      await stage.press("BTab");
      await stage.settle();
      await stage.submit("Ask me about the service.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-questions", "waiting_user_answer", {
        turn: "tool",
        note: "two questions, the first is shown",
      });
      await stage.press("Enter");
      await stage.settle();
      await stage.capture("waiting-questions-2", "waiting_user_answer", {
        turn: "tool",
        note: "the first of two questions is answered",
      });
      await stage.press("Tab");
      await stage.settle();
      await stage.capture("waiting-questions-notes", "waiting_user_answer", {
        turn: "tool",
        note: "notes can be added to the answer",
      });
    },
  },
  {
    name: "plan",
    turns: ({ body, prompts }: ModelRequest): Turn => {
      if (prompts.length > 1) return [{ do: "hold" }, { do: "say", text: "Nothing else is wrong." }];
      // In plan mode Codex explains to the model how a plan is proposed; the scene is void without it.
      if (!JSON.stringify(body).includes("<proposed_plan>")) return [{ do: "refuse", status: 400 }];
      return [{ do: "say", text: PROPOSED_PLAN }];
    },
    async play(stage) {
      await stage.settle();
      await stage.press("BTab");
      await stage.capture("idle-plan-mode", "idle", { turn: "none", note: "plan mode, nothing was asked" });
      await stage.submit("Plan the repair of the cart.");
      await stage.turn("over");
      await stage.settle();
      await stage.capture("waiting-plan-decision", "waiting_user_answer", {
        turn: "over",
        note: "a plan was proposed and is to be decided on",
      });
      await stage.press("Escape");
      await stage.capture("completed-plan-left", "completed", {
        turn: "over",
        note: "the decision was put off with Esc",
      });
      await stage.submit("Is anything else wrong?");
      await stage.held();
      await stage.capture("processing-plan-mode", "processing", { turn: "busy", note: "at work in plan mode" });
    },
  },
  {
    name: "compact",
    turns: [[{ do: "say", text: "It is right now." }], [{ do: "hold" }, { do: "say", text: "A cart was repaired." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Is the total right?");
      await stage.turn("over");
      await stage.submit("/compact");
      await stage.held();
      await stage.capture("processing-compact", "processing", { turn: "busy", note: "the history is made shorter" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-compact", "completed", { turn: "over", note: "the history was made shorter" });
    },
  },
  {
    name: "scripts",
    setup: "guarded",
    turns: [
      [{ do: "say", text: SCRIPTS_ANSWER }, { do: "hold" }, { do: "say", text: "以上です。 🎉" }],
      [
        { do: "shell", command: "echo 'Größe: 合計 / المجموع 🧾'", escalate: "実行してもよいですか? 🙏" },
        { do: "say", text: "はい。" },
      ],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("合計はなぜ間違っていますか? لماذا؟ 🛒");
      await stage.held();
      await stage.capture("processing-scripts", "processing", {
        turn: "busy",
        note: "an answer in several scripts, with a table, streams",
        alone: false,
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-scripts", "completed", {
        turn: "over",
        note: "an answer in several scripts, with a table, is over",
      });
      await stage.submit("もう一度。");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-scripts", "waiting_user_answer", {
        turn: "tool",
        note: "a command in several scripts needs approval",
      });
    },
  },
];
