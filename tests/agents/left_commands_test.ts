import { assertEquals } from "@std/assert";
import { type AgentProcesses, findLeftCommands, isNamed, type ProcessFacts } from "../../lib/agents/left_commands.ts";

const CLI = 100;

/** A row of a process table: its id, its parent, its group, its words, and whether it has the variable of commands. */
type Row = readonly [pid: number, parent: number, group: number, argv: readonly string[], isOfCommand?: true];

function tableOf(rows: readonly Row[]): { readonly agent: AgentProcesses; readonly facts: ProcessFacts } {
  return {
    agent: {
      root: CLI,
      own: rows.map(([pid, parentPid, groupId]) => ({
        ...{ pid, parentPid, groupId, startTime: `t${pid}`, zombie: false },
      })),
    },
    facts: {
      ofCommands: new Set(rows.flatMap(([pid, , , , isOfCommand]) => isOfCommand ? [pid] : [])),
      argvOf: new Map(rows.map(([pid, , , argv]) => [pid, argv])),
    },
  };
}

function leftOf(rows: readonly Row[]) {
  const { agent, facts } = tableOf(rows);
  return findLeftCommands(agent, facts).map(({ isCertain, processes, named }) => ({
    isCertain,
    pids: processes.map(({ pid }) => pid),
    named: named.map(({ command }) => command),
  }));
}

Deno.test("left commands: of Claude Code, what is in a shell or has left it, and neither its MCP server nor what that starts", () => {
  assertEquals(
    leftOf([
      [CLI, 1, CLI, ["claude"]],
      [101, CLI, CLI, ["/usr/bin/python3", "mcp.py"]],
      // A browser that the MCP server has started in a group of its own.
      [102, 101, 102, ["/opt/chrome", "--headless"]],
      [110, CLI, 110, ["/bin/bash", "-c", "source snapshot && eval 'sleep 614'"], true],
      [111, 110, 110, ["sleep", "614"], true],
      [120, 1, 119, ["/usr/bin/python3", "-m", "http.server"], true],
      [121, 120, 119, ["worker"]],
    ]),
    [
      { isCertain: true, pids: [110, 111], named: ["sleep 614"] },
      { isCertain: true, pids: [120, 121], named: ["python3 -m http.server"] },
    ],
  );
});

Deno.test("left commands: of Codex, its commands in the background, and neither MCP servers nor its own hosts, which have groups of their own", () => {
  assertEquals(
    leftOf([
      [CLI, 1, CLI, ["node", "codex"]],
      [101, CLI, CLI, ["/vendor/codex"]],
      [102, 101, 102, ["python3", "mcp.py"]],
      [103, 101, 103, ["codex-code-mode-host", "--listen"]],
      [110, 101, 110, ["sleep", "614"], true],
    ]),
    [{ isCertain: true, pids: [110], named: ["sleep 614"] }],
  );
});

Deno.test("left commands: what has lost its parents and carries no mark of a command may be a helper", () => {
  assertEquals(
    leftOf([[CLI, 1, CLI, ["claude"]], [130, 1, 130, ["gradle", "daemon"]]]),
    [{ isCertain: false, pids: [130], named: ["gradle daemon"] }],
  );
});

Deno.test("left commands: where the CLI itself runs in a command of another, nothing is certain", () => {
  assertEquals(
    leftOf([
      [CLI, 1, CLI, ["claude"], true],
      [101, CLI, CLI, ["mcp"], true],
      [102, CLI, 102, ["mcp-of-its-own-group"], true],
      [110, CLI, 110, ["/bin/sh", "-c", "npm run dev"], true],
      [111, 110, 110, ["npm run dev"], true],
    ]),
    [{ isCertain: false, pids: [110, 111], named: ["npm run dev"] }],
  );
});

Deno.test("left commands: all commands of a shell are named, and of a shell that has no other process its own words", () => {
  assertEquals(
    leftOf([
      [CLI, 1, CLI, ["codex"]],
      [110, CLI, 110, ["/bin/bash", "-lc", "a & b"], true],
      [111, 110, 110, ["/bin/a", "it's"], true],
      [112, 110, 110, ["b"], true],
      [120, CLI, 120, ["/bin/bash", "-c", "read x"], true],
      [130, CLI, 130, [], true],
    ]).map(({ named }) => named),
    [["a 'it'\\''s'", "b"], ["bash -c 'read x'"], ["a command whose words are not known"]],
  );
});

Deno.test("left commands: patterns of leave_running are those of the policy, and meet programs with their folders, scripts and titles", () => {
  const cases: readonly (readonly [pattern: string, argv: readonly string[], isMeant: boolean])[] = [
    ["npm run dev", ["npm run dev"], true],
    ["npm run dev", ["node", "/usr/lib/bin/npm", "run", "dev"], true],
    ["npm run dev", ["node", "/usr/lib/bin/npm", "run", "build"], false],
    ["python* -m http.server", ["/usr/bin/python3.11", "-m", "http.server", "8000"], true],
    ["./serve.sh", ["/bin/sh", "./serve.sh"], true],
    ["vite", ["node", "/repo/node_modules/.bin/vite", "--port", "1"], true],
    ["sleep 1", ["sleep", "2"], false],
    ["sleep *", ["sleep", "2"], true],
  ];
  for (const [pattern, argv, isMeant] of cases) {
    const { agent: { own }, facts } = tableOf([[110, 1, 110, argv]]);
    assertEquals(
      isNamed({ processes: own }, { patterns: [pattern], ...facts }),
      isMeant,
      `${pattern}: ${argv.join(" ")}`,
    );
  }
});
