import { LONG_COMMAND } from "./answers.ts";
import { type Scene, WAITING_COMMAND } from "./scene.ts";

const WAITS = "waiting_user_answer";

/** Dialogs of Codex beyond one command's and a new file's, ways to interrupt it, and errors. */
export const CODEX_DIALOG_SCENES: readonly Scene[] = [
  {
    name: "long-command",
    setup: "guarded",
    turns: [[{ do: "shell", command: LONG_COMMAND, escalate: "May I write all prices?" }, {
      do: "say",
      text: "Written.",
    }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Write all prices.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-long", WAITS, { turn: "tool", note: "a command longer than the screen" });
      await stage.press("Down");
      await stage.settle();
      await stage.capture("waiting-approval-long-down", WAITS, {
        turn: "tool",
        note: "a command longer than the screen, the second answer is selected",
      });
    },
  },
  {
    name: "parallel",
    setup: "guarded",
    turns: [[
      { do: "shell", command: "touch first", escalate: "May I create the first?" },
      { do: "shell", command: "touch second", escalate: "May I create the second?" },
      { do: "hold" },
      { do: "say", text: "Both are there." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Create two files.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-parallel", WAITS, { turn: "tool", note: "one of two commands at once" });
      await stage.press("y");
      await stage.settle();
      await stage.capture("waiting-approval-parallel-2", WAITS, { turn: "tool", note: "the other of two commands" });
      await stage.press("y");
      await stage.held();
      await stage.capture("processing-after-parallel", "processing", { turn: "busy", note: "both have run" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-parallel", "completed", {
        turn: "over",
        note: "a turn with two commands is over",
      });
    },
  },
  {
    name: "changes",
    setup: "guarded",
    files: { "cart.txt": "tea 4\nbread 2\n" },
    turns: [[
      {
        do: "call",
        tool: "apply_patch",
        input:
          "*** Begin Patch\n*** Update File: cart.txt\n@@\n-tea 4\n+tea 5\n bread 2\n*** Add File: milk.txt\n+milk 1\n" +
          "*** End Patch\n",
      },
      { do: "say", text: "Changed." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Tea costs 5.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("waiting-approval-changes", WAITS, { turn: "tool", note: "two files are to be changed" });
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-changes-declined", "idle", {
        turn: "tool",
        note: "declined with Esc, no request came after it",
      });
    },
  },
  {
    name: "steered",
    turns: [[
      { do: "shell", command: WAITING_COMMAND, args: { yield_time_ms: 20_000 } },
      { do: "hold" },
      { do: "say", text: "The migration is done." },
    ], [{ do: "hold" }, { do: "say", text: "The tax is right, too." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Run the migration.");
      await stage.file("started");
      await stage.paste("And the tax?");
      await stage.press("Enter");
      await stage.pause(500);
      await stage.capture("processing-steered", "processing", {
        turn: ["tool", "busy"],
        note: "a command runs, a further prompt was sent",
      });
      await stage.touch("go");
      await stage.held();
      await stage.interrupt();
      await stage.interrupted();
      await stage.capture("idle-interrupted-steered", "idle", {
        turn: ["abandoned", "busy"],
        note: "interrupted with Esc before the answer to the further prompt",
      });
    },
  },
  {
    name: "failures",
    turns: [
      [{ do: "refuse", status: 401, message: "The key is not valid" }],
      [{
        do: "refuse",
        status: 429,
        message: "The usage limit has been reached",
        error: { type: "usage_limit_reached", plan_type: "plus", resets_in_seconds: 7200 },
      }],
      [{ do: "say", text: "All is well." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Try.");
      await stage.refusals(1);
      await stage.pause(3000);
      await stage.turn("refused");
      await stage.capture("error-401-final", "error", { turn: "refused", note: "HTTP 401, no request came after it" });
      await stage.submit("And again.");
      await stage.refusals(2);
      await stage.pause(3000);
      await stage.turn("refused");
      await stage.capture("error-usage-limit", "error", { turn: "refused", note: "the usage limit is reached" });
      await stage.submit("And now?");
      await stage.turn("over");
      await stage.capture("completed-after-errors", "completed", { turn: "over", note: "errors are above" });
    },
  },
];
