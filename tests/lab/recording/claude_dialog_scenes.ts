import { LONG_COMMAND } from "./answers.ts";
import { mcpServer, type Scene } from "./scene.ts";

const WAITS = "waiting_user_answer";

/** Permission dialogs of Claude Code beyond a command's and a new file's, and what is left when they are answered. */
export const CLAUDE_DIALOG_SCENES: readonly Scene[] = [
  {
    name: "edit",
    files: { "cart.txt": "tea 4\nbread 2\n" },
    turns: [
      [
        { do: "call", tool: "Read", input: { file_path: "cart.txt" } },
        { do: "say", text: "I will correct it." },
        { do: "call", tool: "Edit", input: { file_path: "cart.txt", old_string: "tea 4", new_string: "tea 5" } },
        { do: "hold" },
        { do: "say", text: "It is right now." },
      ],
      [
        { do: "call", tool: "Edit", input: { file_path: "cart.txt", old_string: "bread 2", new_string: "bread 3" } },
        { do: "say", text: "Edited." },
      ],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Tea costs 5.");
      await stage.pause(1000);
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-edit", WAITS, { turn: "tool", note: "a change of a file needs permission" });
      await stage.press("1");
      await stage.held();
      await stage.capture("processing-after-edit", "processing", { turn: "busy", note: "the change was accepted" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-edit", "completed", { turn: "over", note: "a turn with a change is over" });
      await stage.submit("And bread 3.");
      await stage.turn("tool");
      await stage.settle();
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-declined-edit", "idle", {
        turn: "tool",
        note: "a change was declined with Esc, no request came after it",
      });
    },
  },
  {
    name: "webfetch",
    turns: [[
      { do: "call", tool: "WebFetch", input: { url: "https://shop.example/prices", prompt: "What does tea cost?" } },
      { do: "say", text: "It costs 4." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Look it up.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-webfetch", WAITS, {
        turn: "tool",
        note: "a look at a web page needs permission",
      });
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-declined-webfetch", "idle", {
        turn: "tool",
        note: "declined with Esc, no request came after it",
      });
    },
  },
  {
    name: "parallel",
    turns: [[
      { do: "shell", command: "touch first" },
      { do: "shell", command: "touch second" },
      { do: "hold" },
      { do: "say", text: "Both are there." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Create two files.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-parallel", WAITS, { turn: "tool", note: "the first of two commands at once" });
      await stage.press("1");
      await stage.settle();
      await stage.capture("permission-parallel-2", WAITS, { turn: "tool", note: "the second of two commands at once" });
      await stage.press("1");
      await stage.file("second");
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
    name: "long-command",
    turns: [[{ do: "shell", command: LONG_COMMAND }, { do: "say", text: "Written." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Write all prices.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-long", WAITS, { turn: "tool", note: "a command longer than the screen" });
      await stage.press("Down");
      await stage.settle();
      await stage.capture("permission-long-down", WAITS, {
        turn: "tool",
        note: "a command longer than the screen, the second answer is selected",
      });
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-declined-long", "idle", {
        turn: "tool",
        note: "declined with Esc, no request came after it",
      });
    },
  },
  {
    name: "elicitation",
    args: ["--mcp-config", "mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__shop__order"],
    files: { "mcp.json": JSON.stringify({ mcpServers: { shop: mcpServer() } }) },
    turns: [[
      { do: "call", tool: "mcp__shop__order", input: { item: "tea" } },
      { do: "hold" },
      { do: "say", text: "It is ordered." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Order tea.");
      await stage.turn("tool");
      // The seconds of the call are counted while the question is open.
      await stage.pause(4000);
      await stage.capture("mcp-elicitation", WAITS, { turn: "tool", note: "an MCP server asks for a number" });
      await stage.press("Escape");
      await stage.held();
      await stage.capture("processing-after-elicitation", "processing", {
        turn: "busy",
        note: "the question was not answered, the model is asked",
      });
    },
  },
  {
    name: "modes",
    turns: [[{ do: "say", text: "Nothing is wrong." }], [{ do: "hold" }, { do: "say", text: "Still nothing." }]],
    async play(stage) {
      await stage.settle();
      await stage.press("BTab");
      await stage.settle();
      await stage.capture("idle-mode-2", "idle", { turn: "none", note: "the next mode, nothing was asked" });
      await stage.submit("Is anything wrong?");
      await stage.turn("over");
      await stage.capture("completed-mode-2", "completed", { turn: "over", note: "a turn in the next mode is over" });
      await stage.press("BTab");
      await stage.settle();
      await stage.capture("completed-mode-3", "completed", {
        turn: "over",
        note: "the mode after it, the turn is over",
      });
      await stage.submit("And now?");
      await stage.held();
      await stage.capture("processing-mode-3", "processing", { turn: "busy", note: "at work in that mode" });
    },
  },
  {
    name: "failures",
    turns: [
      [{ do: "say", text: "Half an answer, and then\n\nnothing mo" }, { do: "break" }, { do: "refuse", status: 400 }],
      [{ do: "hold" }, { do: "say", text: "All is well." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Try.");
      await stage.pause(4000);
      await stage.turn("refused");
      await stage.capture("error-cut-final", "error", {
        turn: "refused",
        note: "a stream that was cut, then HTTP 400",
      });
      await stage.submit("Once more.");
      await stage.held();
      await stage.capture("processing-after-error", "processing", { turn: "busy", note: "errors are above" });
    },
  },
  {
    name: "interrupted-early",
    turns: [[{ do: "hold" }, { do: "say", text: "All is well." }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Is all well?");
      await stage.held();
      await stage.interrupt();
      await stage.turn("abandoned");
      await stage.capture("idle-interrupted-early", "idle", {
        turn: "abandoned",
        note: "interrupted with Esc before the first word, which takes the prompt back",
      });
    },
  },
];
