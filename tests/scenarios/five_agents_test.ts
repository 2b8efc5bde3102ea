import { assertEquals, assertNotMatch } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { answerOf, CHECK, JOB } from "../e2e/review_project.ts";
import { createReviewModel } from "../e2e/review_model.ts";
import { startLabServer, WIRES } from "../lab/lab_server.ts";
import { processesWith } from "../agents/process/support.ts";
import { writeAgentHome } from "../support/agent_home.ts";
import { installAgent } from "../support/agents.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { installCli } from "../support/clis.ts";
import { panewrightThatStartsFast, parseEvents } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { shareTrials } from "../support/hook_trials.ts";
import { createSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { WIRE_OF } from "./stage.ts";

/** Each role has another agent; their models are one server's. The tester's is in a pane where there is tmux. */
const OVER_ACP = {
  analyst: "gemini",
  analyst_review: "copilot",
  programmer: "claude_acp",
  programmer_review: "opencode",
} as const;

/** What a machine has besides, where it has no tmux. */
const PROGRAMS = ["sh", "bash", "cat", "env", "find", "git", "grep", "ls", "ps", "sed", "sleep", "touch", "uname"];

for (const withTmux of [true, false]) {
  Deno.test(`run takes a job with five different agents to PASS in two rounds, ${withTmux ? "one of them in a pane" : "all over ACP, on a machine without tmux"}`, async () => {
    await using sandbox = await createSandbox();
    await shareTrials(sandbox.home);
    const { project, root } = sandbox;
    const panewright = await panewrightThatStartsFast();
    // In the mode in which it asks, Codex runs a command that asks for nothing in a sandbox.
    const { respond } = createReviewModel(answerOf, { escalate: !withTmux });
    await using server = startLabServer({ respond });
    const variables: Record<string, string> = {};
    const path: string[] = [];
    if (withTmux) {
      const { binFolder, version } = await installCli("codex");
      const baseUrl = server.baseUrl(undefined, WIRES.responses);
      path.push(binFolder);
      Object.assign(variables, await writeCliHome(sandbox, { provider: "codex", version, baseUrl }));
    }
    const overAcp = withTmux ? OVER_ACP : { ...OVER_ACP, tester: "codex_acp" as const };
    for (const agent of Object.values(overAcp)) {
      path.push(...(await installAgent(agent)).path);
      const baseUrl = server.baseUrl(undefined, WIRES[WIRE_OF[agent]]);
      Object.assign(variables, await writeAgentHome(sandbox, { agent, baseUrl }));
    }
    await systemProcessRunner.run({ argv: ["git", "init", "--quiet", project] });
    await Deno.writeTextFile(`${project}/job.md`, JOB);
    await Deno.writeTextFile(`${project}/check.sh`, CHECK);
    await Deno.writeTextFile(
      `${project}/panewright.jsonc`,
      JSON.stringify({
        roles: Object.fromEntries(
          Object.entries({ tester: "codex", ...overAcp }).map(([role, provider]) => [role, { provider }]),
        ),
        prompt_file: "job.md",
        project_test_cmd: ["sh", "check.sh"],
        permissions: { auto_accept: true, default: "allow" },
        handoff: { poll_seconds: 0.5 },
      }),
    );
    path.push(withTmux ? sandbox.env["PATH"]! : await withoutTmux(`${root}/bin`));
    const { code, stdout, stderr } = await runProgram([...panewright.argv, "run", "--json"], {
      cwd: project,
      env: { ...sandbox.env, ...panewright.env, ...variables, PATH: path.join(":") },
      timeoutMs: 900_000,
    });
    assertEquals(code, 0, stdout.slice(-3000) + stderr);
    const events = parseEvents(stdout);
    const last = events.at(-1);
    assertEquals([last?.type, last?.outcome, last?.rounds], ["run_finished", "pass", 2]);
    assertEquals(events.filter(({ type }) => type === "response_received").length, 14);
    assertEquals(events.some(({ type }) => type === "session_opened"), withTmux);
    assertNotMatch(stdout, /"type":"(?:dialog_waiting|reminder_sent)"/);
    assertEquals(await Deno.readTextFile(`${project}/greeting.txt`), "hello, world\n");
    await until(() => processesWith(root), (found) => found.length === 0);
  });
}

/** A folder with links to the programs of a machine without tmux, for PATH. */
async function withoutTmux(folder: string): Promise<string> {
  await Deno.mkdir(folder);
  for (const name of PROGRAMS) {
    const { code, stdout } = await systemProcessRunner.run({ argv: ["sh", "-c", 'command -v "$0"', name] });
    if (code === 0) await Deno.symlink(stdout.trim(), `${folder}/${name}`);
  }
  return folder;
}
