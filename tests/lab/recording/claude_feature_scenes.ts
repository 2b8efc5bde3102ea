import { asArray, asObject, asString } from "../json.ts";
import type { ModelRequest } from "../script.ts";
import type { Turn } from "../steps.ts";
import { SCRIPTS_ANSWER } from "./answers.ts";
import { mcpServer, type Scene, WAITING_COMMAND } from "./scene.ts";

const PLAN = "# Plan\n\n1. Read the cart module\n2. Add the missing item\n3. Test it\n";

/**
 * Screens of what Claude Code can do besides: plans, several questions, queued prompts, background commands, agents,
 * MCP.
 */
export const CLAUDE_FEATURE_SCENES: readonly Scene[] = [
  {
    name: "questions",
    turns: [[
      {
        do: "call",
        tool: "AskUserQuestion",
        input: {
          questions: [
            {
              question: "Which database should the service use?",
              header: "Database",
              multiSelect: false,
              options: [
                { label: "PostgreSQL (Recommended)", description: "A server with everything" },
                { label: "SQLite", description: "A file" },
                { label: "MySQL", description: "Widely deployed" },
              ],
            },
            {
              question: "Which features do you want?",
              header: "Features",
              multiSelect: true,
              options: [{ label: "Logging", description: "As JSON" }, {
                label: "Metrics",
                description: "For dashboards",
              }],
            },
          ],
        },
      },
      { do: "say", text: "Both it is." },
    ]],
    async play(stage) {
      const waits = (note: string) => ({ turn: "tool", note }) as const;
      await stage.settle();
      await stage.submit("Ask me about the service.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("questions", "waiting_user_answer", waits("two questions, the first is shown"));
      await stage.press("Down");
      await stage.settle();
      await stage.capture("questions-down", "waiting_user_answer", waits("the second answer is selected"));
      await stage.press("1");
      await stage.settle();
      await stage.capture("questions-2", "waiting_user_answer", waits("the second question, with several answers"));
      await stage.press("1");
      await stage.pause(300);
      await stage.press("Tab");
      await stage.settle();
      await stage.capture("questions-submit", "waiting_user_answer", waits("all are answered, nothing is submitted"));
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-questions-declined", "idle", waits("declined with Esc, no request came after it"));
    },
  },
  {
    name: "plan",
    args: ["--permission-mode", "plan"],
    turns: ({ body, prompts }: ModelRequest): Turn => {
      if (prompts.length > 1) return [{ do: "hold" }, { do: "say", text: "Nothing else." }];
      const file = JSON.stringify(body).match(/\/[^\s"\\]+\/\.claude\/plans\/[\w-]+\.md/)?.[0];
      return [
        ...file === undefined ? [] : [
          { do: "call", tool: "Write", input: { file_path: file, content: PLAN } },
          { do: "say", text: "The plan is written." },
        ] as const,
        { do: "call", tool: "ExitPlanMode", input: { plan: PLAN } },
        { do: "say", text: "Done as planned." },
      ];
    },
    async play(stage) {
      await stage.settle();
      await stage.capture("idle-plan-mode", "idle", { turn: "none", note: "plan mode, nothing was asked" });
      await stage.submit("Plan the repair of the cart.");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("plan-approval", "waiting_user_answer", { turn: "tool", note: "a plan is to be approved" });
      await stage.press("Down");
      await stage.settle();
      await stage.capture("plan-approval-down", "waiting_user_answer", {
        turn: "tool",
        note: "a plan is to be approved, the second answer is selected",
      });
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-plan-declined", "idle", {
        turn: "tool",
        note: "declined with Esc, no request came after it",
      });
      await stage.submit("Is there anything else?");
      await stage.held();
      await stage.capture("processing-plan-mode", "processing", { turn: "busy", note: "at work in plan mode" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-plan-mode", "completed", { turn: "over", note: "a turn in plan mode is over" });
    },
  },
  {
    name: "queue",
    turns: [[{ do: "hold" }, { do: "say", text: "It is wrong." }], [{ do: "hold" }, {
      do: "say",
      text: "So is the tax.",
    }]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Is the total right?");
      await stage.held();
      await stage.paste("And the tax?");
      await stage.press("Enter");
      await stage.pause(500);
      await stage.capture("processing-queued", "processing", { turn: "busy", note: "a further prompt is queued" });
      await stage.release();
      await stage.pause(500);
      await stage.held();
      await stage.capture("processing-dequeued", "processing", { turn: "busy", note: "the queued prompt is answered" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-queued", "completed", { turn: "over", note: "the queued prompt is answered" });
    },
  },
  {
    name: "background",
    turns: [
      [
        { do: "shell", command: WAITING_COMMAND, args: { run_in_background: true } },
        { do: "hold" },
        { do: "say", text: "The server runs in the background." },
      ],
      [{ do: "hold" }, { do: "say", text: "The server has ended." }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("Start the server.");
      await stage.turn("tool");
      await stage.settle();
      await stage.press("1");
      await stage.file("started");
      await stage.held();
      await stage.capture("processing-background", "processing", {
        turn: "busy",
        note: "a command runs in the background, the model is asked",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-background", "completed", {
        turn: "over",
        note: "the turn is over, a command of it still runs",
      });
      await stage.touch("go");
      await stage.held();
      await stage.capture("processing-self-started", "processing", {
        turn: "busy",
        note: "the command has ended, and a turn began by itself",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-self-started", "completed", {
        turn: "over",
        note: "a turn that began by itself is over",
      });
    },
  },
  {
    name: "subagent",
    turns: (request: ModelRequest): Turn => {
      const prompt = request.prompts.at(-1) ?? "";
      if (prompt.includes("Count the items")) return [{ do: "hold" }, { do: "say", text: "There are three." }];
      if (prompt.includes("task-notification")) {
        return [{ do: "hold" }, { do: "say", text: "The cart has three items." }];
      }
      if (reportsTools(request)) return [{ do: "say", text: "Somebody counts." }];
      const names = asArray(request.body["tools"]).map((tool) => asString(asObject(tool)["name"]));
      const tool = names.includes("Agent") ? "Agent" : "Task";
      const task = { description: "Count items", prompt: "Count the items of the cart." };
      return [{ do: "call", tool, input: { ...task, subagent_type: "general-purpose" } }];
    },
    async play(stage) {
      await stage.settle();
      await stage.submit("Have somebody count.");
      await stage.pause(3000);
      await stage.capture("processing-subagent", "processing", {
        turn: ["busy", "over"],
        note: "a sub-agent's request is open; a turn will begin by itself when it has ended",
      });
      await stage.release();
      await stage.pause(1000);
      await stage.held();
      await stage.capture("processing-after-subagent", "processing", {
        turn: "busy",
        note: "the sub-agent has answered, and a turn began by itself",
      });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-subagent", "completed", { turn: "over", note: "a turn with a sub-agent is over" });
    },
  },
  {
    name: "mcp",
    args: ["--mcp-config", "mcp.json", "--strict-mcp-config"],
    files: { "mcp.json": JSON.stringify({ mcpServers: { shop: mcpServer() } }) },
    turns: [[
      { do: "call", tool: "mcp__shop__price", input: { item: "tea" } },
      { do: "hold" },
      { do: "say", text: "Tea costs 4." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("What does tea cost?");
      await stage.turn("tool");
      await stage.settle();
      await stage.capture("permission-mcp", "waiting_user_answer", {
        turn: "tool",
        note: "a tool of an MCP server needs permission",
      });
      await stage.press("1");
      await stage.held();
      await stage.capture("processing-after-mcp", "processing", { turn: "busy", note: "the MCP tool's result is in" });
      await stage.release();
      await stage.turn("over");
      await stage.capture("completed-mcp", "completed", { turn: "over", note: "a turn with an MCP tool is over" });
    },
  },
  {
    name: "scripts",
    turns: [
      [{ do: "say", text: SCRIPTS_ANSWER }, { do: "hold" }, { do: "say", text: "以上です。 🎉" }],
      [{ do: "shell", command: "touch 'Größe 合計 المجموع 🧾'" }, { do: "say", text: "はい。" }],
    ],
    async play(stage) {
      await stage.settle();
      await stage.submit("合計はなぜ間違っていますか? لماذا؟ 🛒");
      await stage.held();
      await stage.capture("streaming-scripts", "processing", {
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
      await stage.capture("permission-scripts", "waiting_user_answer", {
        turn: "tool",
        note: "a command in several scripts needs permission",
      });
    },
  },
  {
    name: "declined-write",
    turns: [[
      { do: "call", tool: "Write", input: { file_path: "hello.py", content: "print('hello')\n" } },
      { do: "say", text: "Written." },
    ]],
    async play(stage) {
      await stage.settle();
      await stage.submit("Write a program.");
      await stage.turn("tool");
      await stage.settle();
      await stage.press("Escape");
      await stage.pause(1000);
      await stage.capture("idle-declined-write", "idle", {
        turn: "tool",
        note: "a file was declined with Esc, no request came after it",
      });
    },
  },
];

/** Whether the last message of a request brings results of tools. */
function reportsTools({ body }: ModelRequest): boolean {
  const last = asObject(asArray(body["messages"]).at(-1));
  return asArray(last["content"]).some((block) => asObject(block)["type"] === "tool_result");
}
