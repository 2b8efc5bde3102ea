import { LONG_ANSWER, QUOTING_ANSWER } from "./answers.ts";
import { type Scene, WAITING_COMMAND } from "./scene.ts";

/** The states of Claude Code, in sessions that each version since 2.0.53 can play. */
export const CLAUDE_SCENES: readonly Scene[] = [
  {
    name: "first-turn",
    turns: [
      [
        { do: "hold" },
        { do: "think", text: "The total is off by one.", holdMs: 2000 },
        { do: "say", text: "I will look at the files first." },
        { do: "shell", command: "ls" },
        { do: "hold" },
        { do: "say", text: "The total was added up\n\nbefore the last item " },
        { do: "hold" },
        { do: "say", text: "came in. It is right now." },
      ],
      [{ do: "hold" }, { do: "say", text: "Nothing else\n\n" }, { do: "hold" }, { do: "say", text: "is wrong." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.capture("idle-fresh", "idle", { turn: "none", note: "composer ready, nothing was asked" });
      await stage.paste("Why is the total");
      await stage.capture("idle-draft", "idle", { turn: "none", note: "draft in the composer, nothing was asked" });
      await stage.press("C-u");
      await stage.submit("Why is the total of the cart wrong?");
      await stage.held();
      await stage.capture("processing-start", "processing", { turn: "busy", note: "before the first token" });
      await stage.release();
      await stage.pause(800);
      await stage.capture("thinking", "processing", { turn: "busy", note: "a thinking block streams" });
      await stage.held();
      await stage.capture("processing-after-tool", "processing", { turn: "busy", note: "the tool's result is in" });
      await stage.release();
      await stage.pause(300);
      await stage.held();
      await stage.capture("streaming", "processing", {
        turn: "busy",
        note: "the answer streams and stands still",
        alone: false,
      });
      await stage.paste("And the tax?");
      await stage.capture("processing-draft", "processing", { turn: "busy", note: "draft while busy", alone: false });
      await stage.press("C-u");
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-short", "completed", { turn: "over", note: "a turn with a tool is over" });
      await stage.submit("Is anything else wrong?");
      await stage.held();
      await stage.capture("processing-second-turn", "processing", { turn: "busy", note: "the old answer is above" });
      // Interrupted before it has said a word, Claude Code takes the prompt back as if nothing had been asked.
      await stage.release();
      await stage.pause(300);
      await stage.held();
      await stage.interrupt();
      await stage.turn("abandoned");
      await stage.capture("idle-interrupted", "idle", { turn: "abandoned", note: "interrupted with Esc" });
    },
  },
  {
    name: "quotes",
    turns: [
      [{ do: "say", text: QUOTING_ANSWER }, { do: "hold" }, { do: "say", text: "That is all." }],
      [{ do: "hold" }, { do: "say", text: "Yes." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Quote what a terminal may show.");
      await stage.held();
      await stage.capture("streaming-tricky", "processing", {
        turn: "busy",
        note: "an answer that quotes status rows and dialogs streams",
        alone: false,
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-tricky", "completed", { turn: "over", note: "an answer that quotes is over" });
      await stage.submit("Is that all?");
      await stage.held();
      await stage.capture("processing-after-tricky", "processing", {
        turn: "busy",
        note: "the quoting answer is above",
      });
      await stage.kill();
      await stage.gone();
      await stage.turn("abandoned");
      await stage.capture("killed-working", "error", { turn: "abandoned", note: "killed while a request was open" });
    },
  },
  {
    name: "long-answer",
    turns: [[{ do: "say", text: LONG_ANSWER }, { do: "hold" }, { do: "say", text: "The end." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("List all runs.");
      await stage.held();
      await stage.capture("streaming-long", "processing", {
        turn: "busy",
        note: "an answer longer than the screen streams",
        alone: false,
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-long", "completed", {
        turn: "over",
        note: "an answer longer than the screen is over",
      });
      await stage.paste("/exit");
      await stage.press("Enter");
      await stage.gone();
      await stage.capture("exited-shell", "error", { turn: "over", note: "the agent was left with /exit" });
    },
  },
  {
    name: "permission",
    turns: [
      [{ do: "shell", command: WAITING_COMMAND }, { do: "hold" }, { do: "say", text: "The migration is done." }],
      [{ do: "shell", command: "touch declined" }, { do: "say", text: "Created." }],
      [
        { do: "call", tool: "Write", input: { file_path: "hello.py", content: "print('hello')\n" } },
        { do: "say", text: "Written." },
      ],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Run the migration.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-bash", "waiting_user_answer", {
        turn: "tool",
        note: "a command needs permission",
      });
      await stage.press("1");
      await stage.file("started");
      await stage.pause(1000);
      await stage.capture("tool-running", "processing", { turn: "tool", note: "the accepted command runs" });
      await stage.touch("go");
      await stage.held();
      await stage.capture("processing-after-accept", "processing", {
        turn: "busy",
        note: "the accepted command is done",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-accepted", "completed", {
        turn: "over",
        note: "a turn with a permission is over",
      });
      await stage.submit("Create a file.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-bash-2", "waiting_user_answer", {
        turn: "tool",
        note: "a command needs permission, the first dialog was answered",
      });
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-declined", "idle", {
        turn: "tool",
        note: "declined with Esc, no request came after it",
      });
      await stage.submit("Write a program.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-write", "waiting_user_answer", { turn: "tool", note: "a file needs permission" });
    },
  },
  {
    name: "errors",
    turns: [
      [{ do: "refuse", status: 529, times: 2 }, { do: "hold" }, { do: "say", text: "Recovered." }],
      [{ do: "refuse", status: 400, message: "This request cannot be served" }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Try.");
      await stage.refusals(1);
      await stage.capture("retry-529", "processing", {
        turn: "refused",
        note: "HTTP 529, the client asks again after it",
      });
      await stage.refusals(2);
      await stage.held();
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-after-retry", "completed", { turn: "over", note: "recovered from two HTTP 529" });
      await stage.submit("And again.");
      await stage.turn("refused");
      await stage.pause(3000);
      await stage.capture("error-400-final", "error", {
        turn: "refused",
        note: "HTTP 400, no request for 2 s after it",
      });
    },
  },
  {
    name: "question",
    turns: [[
      {
        do: "call",
        tool: "AskUserQuestion",
        input: {
          questions: [{
            question: "Which database should the service use?",
            header: "Database",
            multiSelect: false,
            options: [
              { label: "PostgreSQL", description: "A server with everything" },
              { label: "SQLite", description: "A file" },
            ],
          }],
        },
      },
      { do: "hold" },
      { do: "say", text: "PostgreSQL it is." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Choose a database.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("question", "waiting_user_answer", { turn: "tool", note: "a question with two answers" });
      await stage.press("1");
      await stage.held();
      await stage.capture("processing-after-question", "processing", {
        turn: "busy",
        note: "the question is answered",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-question", "completed", { turn: "over", note: "a turn with a question is over" });
    },
  },
  {
    name: "auto-mode",
    args: ["--permission-mode", "auto"],
    turns: [[{ do: "say", text: "Nothing is wrong." }]],
    async play(stage) {
      await stage.settle();
      await stage.capture("idle-auto-mode", "idle", { turn: "none", note: "started with --permission-mode auto" });
      await stage.submit("Is anything wrong?");
      await stage.turn("over");
      await stage.capture("completed-auto-mode", "completed", {
        turn: "over",
        note: "the first turn in auto mode is over",
      });
    },
  },
  {
    name: "auto-mode-panel",
    args: ["--permission-mode", "auto"],
    turns: [[{ do: "shell", command: "curl -s http://127.0.0.1:9/ | sh" }, { do: "say", text: "Made." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Make it.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("panel-auto-mode", "waiting_user_answer", {
        turn: "tool",
        note: "auto mode cannot check commands, and says so in a panel without choices",
      });
    },
  },
  {
    name: "trust",
    setup: "untrusted",
    turns: [],
    async play(stage) {
      await stage.settle();
      await stage.capture("trust-dialog", "waiting_user_answer", {
        turn: "none",
        note: "asks whether to trust the folder",
      });
      await stage.press("Down");
      await stage.pause(300);
      await stage.press("Enter");
      await stage.stored("home/.claude.json", '"hasTrustDialogAccepted": true');
    },
  },
];
