import { CHECK, JOB } from "../e2e/review_project.ts";
import { startLabServer, WIRES } from "../lab/lab_server.ts";
import { writeAgentHome } from "../support/agent_home.ts";
import { installAgent } from "../support/agents.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { createSandbox } from "../support/sandbox.ts";
import { readLog } from "./agent_log.ts";
import { answer } from "./codex_job.ts";
import type { Delivery } from "./evidence.ts";
import type { ChaosJob, Stage } from "./stage.ts";

/** The job of `CODEX_JOB` with Codex over the Agent Client Protocol, which asks before it writes. */
export const CODEX_ACP_JOB: ChaosJob = {
  name: "codex_acp",
  figures: { spanMs: 30_000, records: 150, turns: 10, blows: [3, 6] },
  agentsEnd: true,
  patienceMs: 240_000,
  setUp,
};

async function setUp(panewright: PanewrightCommand): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const { path } = await installAgent("codex_acp");
  const sandbox = stack.use(await createSandbox());
  const { project, root } = sandbox;
  const deliveries: Delivery[] = [];
  const respond = (request: Parameters<typeof answer>[0]) => answer(request, deliveries, { escalate: true });
  const server = stack.use(startLabServer({ respond }));
  const agentEnv = await writeAgentHome(sandbox, {
    agent: "codex_acp",
    baseUrl: server.baseUrl("chaos", WIRES.responses),
  });
  const bin = `${root}/bin`;
  await Deno.mkdir(bin);
  await Deno.writeTextFile(`${bin}/logged-codex-acp`, loggingStart(root, "codex-acp"), { mode: 0o755 });
  const files = {
    "job.md": JOB,
    "check.sh": CHECK,
    "panewright.jsonc": JSON.stringify({
      provider: "codex_acp",
      providers: { codex_acp: { command: ["logged-codex-acp"] } },
      prompt_file: "job.md",
      project_test_cmd: ["sh", "check.sh"],
      permissions: { auto_accept: true, default: "allow" },
      limits: { min_review_cycles_before_approval: 1 },
      handoff: { poll_seconds: 0.2 },
    }),
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${project}/${name}`, text);
  const resources = stack.move();
  return {
    sandbox,
    env: {
      ...sandbox.env,
      ...panewright.env,
      ...agentEnv,
      PATH: [bin, ...path, sandbox.env["PATH"]].join(":"),
    },
    config: "panewright.jsonc",
    deliveries: () => Promise.resolve(deliveries),
    agentLog: () => readLog(`${root}/log.ndjson`),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A program that becomes another one, and logs before that which of those before it run no more. */
function loggingStart(folder: string, program: string): string {
  return `#!/bin/sh
dead=
for pid in $(cat '${folder}/pids' 2>/dev/null); do
  grep -q ') [^ZX] ' "/proc/$pid/stat" 2>/dev/null || dead="$dead\${dead:+,}$pid"
done
echo $$ >> '${folder}/pids'
printf '{"at":"%s","what":"start","pid":%s,"dead":[%s]}\\n' "$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)" $$ "$dead" >> '${folder}/log.ndjson'
exec ${program} "$@"
`;
}
