import { type Scene, WAITING_COMMAND } from "./scene.ts";
import { LONG_ANSWER, QUOTING_ANSWER } from "./answers.ts";

/**
 * The states of Codex CLI (0.53.0 to 0.169.0). Older versions know no `apply_patch` tool or no questions; what a
 * version cannot play is reported and left out.
 */
export const CODEX_SCENES: readonly Scene[] = [
  {
    name: "first-turn",
    turns: [
      [
        { do: "hold" },
        { do: "think", text: "**Reading the cart module**\n\nThe total is off by one.", holdMs: 2000 },
        { do: "say", text: "I will look at the files first.", phase: "commentary" },
        { do: "hold" },
        { do: "shell", command: WAITING_COMMAND, args: { yield_time_ms: 20_000 } },
        { do: "hold" },
        { do: "say", text: "The total was added up before the last item " },
        { do: "hold" },
        { do: "say", text: "came in. It is right now." },
      ],
      [{ do: "hold" }, { do: "say", text: "Nothing else is wrong." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.capture("idle-fresh", "idle", { turn: "none", note: "composer ready, nothing was asked" });
      await stage.paste("Why is the total");
      await stage.capture("draft-typed", "idle", { turn: "none", note: "draft in the composer, nothing was asked" });
      await stage.press("C-u");
      await stage.submit("Why is the total of the cart wrong?");
      await stage.held();
      await stage.capture("processing-waiting", "processing", { turn: "busy", note: "before the first token" });
      await stage.release();
      await stage.pause(800);
      await stage.capture("processing-reasoning", "processing", {
        turn: "busy",
        note: "reasoning, the item is not done",
      });
      await stage.held();
      await stage.capture("processing-commentary", "processing", { turn: "busy", note: "after a commentary message" });
      await stage.release();
      await stage.file("started");
      await stage.capture("processing-shell-running", "processing", { turn: "tool", note: "a command runs" });
      await stage.paste("And the tax?");
      await stage.capture("processing-draft-while-shell", "processing", {
        turn: "tool",
        note: "a command runs, draft",
      });
      await stage.press("C-u");
      await stage.touch("go");
      await stage.held();
      await stage.capture("processing-after-shell", "processing", { turn: "busy", note: "the command's output is in" });
      await stage.release();
      await stage.pause(300);
      await stage.held();
      await stage.capture("processing-streaming", "processing", {
        turn: "busy",
        note: "the final answer streams and stands still in the middle",
        alone: false,
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-short", "completed", { turn: "over", note: "a turn with a command is over" });
      await stage.submit("Is anything else wrong?");
      await stage.held();
      await stage.capture("processing-second-turn", "processing", { turn: "busy", note: "the old answer is above" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-second-turn", "completed", { turn: "over", note: "the second turn is over" });
      await stage.press("C-c");
      await stage.pause(300);
      await stage.press("C-c");
      await stage.gone();
      await stage.capture("error-after-ctrl-c", "error", { turn: "over", note: "the agent was left with Ctrl-C" });
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
      await stage.capture("processing-tricky-streaming", "processing", {
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
      await stage.interrupt();
      await stage.interrupted();
      await stage.capture("idle-interrupted", "idle", { turn: ["abandoned", "busy"], note: "interrupted with Esc" });
    },
  },
  {
    name: "long-answer",
    turns: [[{ do: "say", text: LONG_ANSWER }, { do: "hold" }, { do: "say", text: "The end." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("List all runs.");
      await stage.held();
      await stage.capture("processing-long-streaming", "processing", {
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
      await stage.paste("/quit");
      await stage.press("Enter");
      await stage.gone();
      await stage.capture("error-after-quit", "error", { turn: "over", note: "the agent was left with /quit" });
    },
  },
  {
    name: "background",
    turns: [[
      { do: "shell", command: WAITING_COMMAND, args: { yield_time_ms: 500 } },
      { do: "say", text: "The server runs in the background." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Start the server.");
      await stage.turn("over");
      await stage.capture("completed-background-process", "completed", {
        turn: "over",
        note: "the turn is over, a command of it still runs",
      });
      await stage.touch("go");
    },
  },
  {
    name: "approval",
    setup: "guarded",
    turns: [
      [
        {
          do: "shell",
          command: WAITING_COMMAND,
          escalate: "May I run the migration?",
          args: { yield_time_ms: 20_000 },
        },
        { do: "hold" },
        { do: "say", text: "The migration is done." },
      ],
      [{ do: "shell", command: "touch declined", escalate: "May I create a file?" }, { do: "say", text: "Created." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Run the migration.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-command", "waiting_user_answer", {
        turn: "tool",
        note: "a command needs approval, it has not started",
      });
      await stage.press("y");
      await stage.file("started");
      await stage.capture("processing-after-approve", "processing", {
        turn: "tool",
        note: "the approved command runs",
      });
      await stage.touch("go");
      await stage.held();
      await stage.capture("processing-after-approved-command", "processing", {
        turn: "busy",
        note: "the approved command is done",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-after-approval", "completed", {
        turn: "over",
        note: "a turn with an approval is over",
      });
      await stage.submit("Create a file.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-command-2", "waiting_user_answer", {
        turn: "tool",
        note: "a command needs approval, the first dialog was answered",
      });
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-declined", "idle", {
        turn: "tool",
        note: "declined with Esc, no request came after it",
      });
    },
  },
  {
    name: "patch",
    setup: "guarded",
    turns: [[
      {
        do: "call",
        tool: "apply_patch",
        input: "*** Begin Patch\n*** Add File: added.txt\n+hello\n*** End Patch\n",
      },
      { do: "hold" },
      { do: "say", text: "The file is there." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Add a file.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-patch", "waiting_user_answer", {
        turn: "tool",
        note: "a patch needs approval, the file is not there",
      });
      await stage.press("y");
      await stage.file("added.txt");
      await stage.held();
      await stage.capture("processing-after-patch", "processing", { turn: "busy", note: "the patch was approved" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-after-patch", "completed", { turn: "over", note: "a turn with a patch is over" });
    },
  },
  {
    name: "question",
    turns: [[
      {
        do: "call",
        tool: "request_user_input",
        input: {
          questions: [{
            id: "database",
            header: "Database",
            question: "Which database should the service use?",
            options: [
              { label: "PostgreSQL (Recommended)", description: "A server with everything" },
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
      // Codex asks questions in plan mode only.
      await stage.press("BTab");
      await stage.settle();
      await stage.submit("Choose a database.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-question", "waiting_user_answer", {
        turn: "tool",
        note: "a question with two answers",
      });
      await stage.press("Enter");
      await stage.held();
      await stage.capture("processing-after-question", "processing", {
        turn: "busy",
        note: "the question is answered",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-after-question", "completed", {
        turn: "over",
        note: "a turn with a question is over",
      });
    },
  },
  {
    name: "pasted",
    turns: [[{ do: "shell", command: "cat notes.txt" }, { do: "hold" }, { do: "say", text: "Read." }]],
    async play(stage) {
      await stage.settle();
      await stage.touch("notes.txt");
      await stage.paste("A long text.\n".repeat(200));
      await stage.capture("draft-pasted", "idle", { turn: "none", note: "a long text was pasted, nothing was asked" });
      await stage.press("Enter");
      await stage.held();
      await stage.capture("processing-after-read", "processing", { turn: "busy", note: "a file was read" });
      await stage.paste("And then?");
      await stage.press("Tab");
      await stage.capture("processing-queued", "processing", {
        turn: "busy",
        note: "a further prompt is queued with Tab",
      });
    },
  },
  {
    name: "errors",
    turns: [
      [{ do: "refuse", status: 500, times: 2 }, { do: "hold" }, { do: "say", text: "Recovered." }],
      [{ do: "say", text: "Half an answ" }, { do: "break" }, { do: "hold" }, { do: "say", text: "A whole answer." }],
      [{ do: "refuse", status: 400, message: "This request cannot be served" }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Try.");
      await stage.refusals(2);
      await stage.held();
      await stage.capture("processing-reconnecting", "processing", { turn: "busy", note: "after two HTTP 500" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-after-reconnect", "completed", {
        turn: "over",
        note: "recovered from two HTTP 500",
      });
      await stage.submit("And again.");
      await stage.refusals(3);
      await stage.held();
      await stage.capture("processing-stream-cut", "processing", { turn: "busy", note: "after a stream that was cut" });
      await stage.release();
      await stage.turn("over");
      await stage.submit("Once more.");
      await stage.turn("refused");
      await stage.pause(3000);
      await stage.capture("error-final", "error", { turn: "refused", note: "HTTP 400, no request for 3 s after it" });
    },
  },
  {
    name: "killed",
    turns: [[{ do: "hold" }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Work for a while.");
      await stage.held();
      await stage.kill();
      await stage.gone();
      await stage.turn("abandoned");
      await stage.capture("error-killed", "error", { turn: "abandoned", note: "killed while a request was open" });
    },
  },
  {
    name: "trust",
    setup: "untrusted",
    turns: [],
    async play(stage) {
      await stage.settle();
      await stage.capture("waiting-trust", "waiting_user_answer", {
        turn: "none",
        note: "asks whether to trust the folder",
      });
      await stage.press("Enter");
      await stage.stored("codex-home/config.toml", 'trust_level = "trusted"');
    },
  },
  {
    name: "login",
    setup: "logged_out",
    turns: [],
    async play(stage) {
      await stage.settle();
      await stage.capture("waiting-login", "waiting_user_answer", { turn: "none", note: "asks for a login" });
    },
  },
];
