import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { startLabServer, WIRES } from "../lab/lab_server.ts";
import { writeAgentHome } from "../support/agent_home.ts";
import { installAgent } from "../support/agents.ts";
import { callCli } from "../support/call_cli.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";

Deno.test("exec, claude_acp: stopped by its ask, resumed in its session, a permission by the policy, PASS with tokens", async () => {
  const agent = await installAgent("claude_acp");
  const panewright = await panewrightFromSource();
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  await using server = startLabServer({
    respond: ({ prompts }) =>
      prompts.at(-1)?.includes("Use SQLite")
        ? [{ do: "shell", command: "touch chosen.txt", escalate: "To write it." }, {
          do: "say",
          text: "Chosen.",
        }]
        : [{ do: "shell", command: "panewright ask 'Which database?'", escalate: "To ask." }, {
          do: "say",
          text: "Well.",
        }],
  });
  const home = await writeAgentHome(sandbox, {
    agent: "claude_acp",
    baseUrl: server.baseUrl(undefined, WIRES.messages),
  });
  const env = {
    ...sandbox.env,
    ...panewright.env,
    ...home,
    PATH: [...agent.path, sandbox.env["PATH"]].join(":"),
  };
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider: "claude_acp",
      exec: { resume: "native" },
      permissions: { auto_accept: true, default: "ask", allow: [{ command: "touch chosen.txt" }] },
      pipelines: { main: [{ name: "build", prompt: "self", check: { type: "fileExists", path: "chosen.txt" } }] },
    }),
  );
  await Deno.writeTextFile(`${project}/task.md`, "Choose a database.\n");
  const play = (...args: readonly string[]) =>
    runProgram([...panewright.argv, ...args, "--json"], { cwd: project, env, timeoutMs: 300_000 });
  const stopped = await play("exec", "task.md");
  assertEquals(stopped.code, 3, stopped.stderr);
  const asked = parseEvents(stopped.stdout).map((event) => ({ ...event })) as Record<string, unknown>[];
  assertEquals(asked.find(({ type }) => type === "question_waiting")?.["text"], "Which database?");
  await sandbox.assertNothingLeft();
  const run = String(asked.find(({ type }) => type === "run_started")?.["runId"]);
  assertEquals((await callCli(["answer", run, "Use SQLite."], { cwd: project, env })).code, 0);
  const resumed = await play("resume", run);
  assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
  assertEquals(await exists(`${project}/chosen.txt`), true);
  await sandbox.assertNothingLeft();
  const journal = (await Deno.readTextFile(`${project}/.panewright/runs/${run}/journal.ndjson`)).trim().split("\n")
    .map((line) => JSON.parse(line));
  const sessions = journal.filter(({ type }) => type === "session_found").map(({ sessionId }) => sessionId);
  assertEquals(new Set(sessions).size, 1);
  assertEquals(journal.filter(({ type }) => type === "attempt_started").length, 2);
  const finished = journal.find(({ type }) => type === "attempt_finished");
  assertStringIncludes(finished.finalText, "Chosen.");
  assertEquals(Object.keys(finished.usage).length > 0, true);
});
