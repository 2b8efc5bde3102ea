/** What agents leave running when a turn ends: told by name, and ended, but for what may stay until the run ends. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Step, Turn } from "../lab/steps.ts";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { cliProject } from "./cli_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { JOB } from "./review_project.ts";

/** An MCP server without tools: a helper of the CLI. */
const MCP = `import sys, json
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' not in asked: continue
    told = {}
    if asked['method'] == 'initialize':
        told = {'protocolVersion': asked['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'helper', 'version': '1'}}
    if asked['method'] == 'tools/list': told = {'tools': []}
    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': told}), flush=True)
`;

/** Notes which of the processes below are there; it runs when the turn is over, and the run is not. */
const SEEN = `import os
here = os.getcwd()
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        if os.readlink(f'/proc/{pid}/cwd') != here: continue
        words = open(f'/proc/{pid}/cmdline', 'rb').read().split(b'\\0')
    except OSError: continue
    line = b' '.join(words).decode()
    if 'http.server' in line or 'mcp.py' in line or line.startswith('sleep '): print(line)
`;

/** Waits until the command has left its shell: Codex ends what is still in its group then. */
function escaping(name: string, command: string): string {
  const run = `setsid sh -c 'echo up > ${name}.up; exec ${command}' >/dev/null 2>&1 &`;
  return `${run} until [ -s ${name}.up ]; do sleep 0.05; done`;
}

/** A server and a command that leave their shell, and one in the background as the CLI has it. */
function leaves(provider: CliName): readonly Step[] {
  const shell = (command: string, args = {}): Step => ({ do: "shell", command, args });
  return [
    shell(escaping("server", "nohup python3 -m http.server 0 --bind 127.0.0.1")),
    shell(escaping("escaped", "sleep 6120")),
    shell("sleep 6140", provider === "claude_code" ? { run_in_background: true } : { yield_time_ms: 300 }),
  ];
}

interface Left {
  readonly command: string;
  readonly pid: number;
  readonly fate: string;
}

const NAMES: Readonly<Record<string, RegExp>> = {
  server: /^python3[\d.]* -m http\.server 0 --bind 127\.0\.0\.1$/,
  escaped: /^sleep 6120$/,
  background: /^sleep 6140$/,
};

function fatesOf(left: readonly Left[]) {
  return Object.fromEntries(left.map(({ command, fate }) => {
    const name = Object.entries(NAMES).find(([, words]) => words.test(command))?.[0];
    return [name ?? command, fate];
  }));
}

for (const provider of ["codex", "claude_code"] as const satisfies readonly CliName[]) {
  for (const how of ["run in a pane", "run without a pane", "exec"] as const) {
    // Claude Code takes no role without a pane here: its tools need hooks for that.
    if (how === "run without a pane" && provider === "claude_code") continue;
    Deno.test(`left running, ${how}, a real ${CLI_LABELS[provider]}: what leave_running does not name is told and ended with the turn, the server that it names with the run, and its MCP server lives`, async () => {
      await using project = await cliProject({
        provider,
        isRepository: true,
        onPath: "itself",
        respond({ prompts }): Turn {
          const prompt = prompts.at(-1) ?? "";
          if (prompt.includes("Serve it.")) return [...leaves(provider), { do: "say", text: "It is done." }];
          // Claude Code begins a turn when something in its background has ended.
          const target = responseTargetOf(prompt);
          if (target === undefined) return [{ do: "say", text: "Noted." }];
          return [...leaves(provider), ...workTurn(target, { response: "I looked.\n\nRESULT: PASS" }, { thinkMs: 50 })];
        },
        files: {
          "mcp.py": MCP,
          "seen.py": SEEN,
          "mcp.json": { mcpServers: { helper: { command: "python3", args: ["mcp.py"] } } },
          "job.md": JOB,
          "task.md": "Serve it.\n",
          "panewright.jsonc": {
            provider,
            providers: {
              codex: { args: ["-c", 'mcp_servers.helper={command="python3",args=["mcp.py"]}'] },
              claude_code: { args: ["--allowedTools", "Bash", "--mcp-config", "mcp.json"] },
            },
            prompt_file: "job.md",
            start_agent: "tester",
            project_test_cmd: "python3 seen.py > seen.txt",
            handoff: { poll_seconds: 0.5 },
            leave_running: ["python* -m http.server"],
            ...(how === "run without a pane" ? { roles: { tester: { driver: "process" } } } : {}),
            pipelines: {
              main: [{
                name: "serve",
                prompt: "self",
                check: { type: "shell", command: "python3 seen.py > seen.txt" },
              }],
            },
          },
        },
      });
      const ran = await project.run(...(how === "exec" ? ["exec", "task.md"] : ["run"]), "--json");
      assertEquals(ran.code, 0, ran.stderr + ran.stdout);
      const events = parseEvents(ran.stdout) as readonly {
        readonly type: string;
        readonly left?: readonly unknown[];
      }[];
      const all = (type: string) => events.filter((event) => event.type === type);
      const left = all("commands_left").flatMap(({ left = [] }) => left) as readonly Left[];
      const fates = fatesOf(left);
      // Without a terminal, Codex itself ends what it has in the background.
      const own = how === "run in a pane" || provider === "claude_code" ? { background: "ended" } : {};
      assertEquals(fates, { server: "stays", escaped: "ended", ...own });
      const seen = (await Deno.readTextFile(`${project.sandbox.project}/seen.txt`)).trim().split("\n");
      assert(seen.some((line) => line.includes("http.server")), seen.join("\n"));
      assert(!seen.some((line) => line.includes("sleep ")), seen.join("\n"));
      if (how === "run in a pane") assert(seen.some((line) => line.includes("mcp.py")), seen.join("\n"));
      assertEquals(fatesOf(all("commands_ended").flatMap(({ left = [] }) => left) as readonly Left[]), {
        server: "ended",
      });
      const told = JSON.stringify(events.at(-1)?.left);
      assertMatch(told, /sleep 6120 \(pid \d+\), by /);
      assertStringIncludes(told, "it stays until the run ends (leave_running)");
      await project.sandbox.assertNothingLeft();
      const { stdout } = await project.run("logs");
      assertMatch(stdout, /left running: sleep 6120 \(pid \d+\); ended with the turn/);
    });
  }
}
