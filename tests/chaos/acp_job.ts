import { CHECK, JOB } from "../e2e/review_project.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { createSandbox } from "../support/sandbox.ts";
import { type Answer, readLog } from "./agent_log.ts";
import { answerAt } from "./codex_job.ts";
import type { ChaosJob, Stage } from "./stage.ts";

/** The pack of the agent that has its answers in a folder. */
export function acpPack(folder: string): string {
  const program = new URL("acp_agent.ts", import.meta.url).pathname;
  return JSON.stringify({
    label: "Chaos agent",
    program: Deno.execPath(),
    args: ["run", "--quiet", "--no-check", "--allow-all", program, folder],
    ask_mode: { id: "ask", asks_before: ["execute", "edit", "delete", "move"] },
    tools: [{ kind: "execute", as: "command", subject: { from: "input", path: ["command"] } }],
    usage: [{ from: "prompt", of: "turn" }],
    resume: ["load"],
  });
}

/** Five agents over the Agent Client Protocol greet the world: wrong in the first round, right in the second one. */
export const ACP_JOB: ChaosJob = {
  name: "acp",
  figures: { spanMs: 6000, records: 110, turns: 10, blows: [4, 9] },
  agentsEnd: true,
  patienceMs: 240_000,
  setUp,
};

async function setUp(panewright: PanewrightCommand): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await createSandbox());
  const { project, root } = sandbox;
  const folder = `${root}/agent`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/answers.json`, JSON.stringify(answers()));
  await Deno.writeTextFile(`${project}/job.md`, JOB);
  await Deno.writeTextFile(`${project}/check.sh`, CHECK);
  await Deno.writeTextFile(`${folder}/agent.jsonc`, acpPack(folder));
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider: "chaos",
      agents: { chaos: "../agent/agent.jsonc" },
      prompt_file: "job.md",
      project_test_cmd: ["sh", "check.sh"],
      permissions: { auto_accept: true, default: "allow" },
      limits: { min_review_cycles_before_approval: 1 },
      handoff: { poll_seconds: 0.2 },
    }),
  );
  const agentLog = () => readLog(`${folder}/log.ndjson`);
  const resources = stack.move();
  return {
    sandbox,
    env: { ...sandbox.env, ...panewright.env },
    config: "panewright.jsonc",
    deliveries: () =>
      Promise.resolve(
        agentLog().filter(({ what }) => what === "prompt").map(({ at, pid, turnId }) => ({
          ...{ atMs: Date.parse(at), role: turnId?.split("-")[1] ?? "somebody", turnId, pid },
        })),
      ),
    agentLog,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What is to be done in each turn that the job can come to. */
function answers(): Readonly<Record<string, Answer>> {
  const roles = ["analyst", "analyst_review", "programmer", "programmer_review", "tester"];
  const turns = [1, 2, 3].flatMap((round) =>
    roles.flatMap((role) => [0, 1, 2, 3].map((cycle) => ({ role, round, cycle })))
  );
  return Object.fromEntries(turns.map(({ role, round, cycle }) => {
    const turnId = `r${round}-${role}${cycle === 0 ? "" : `-c${cycle}`}`;
    return [turnId, answerAt({ role, round, cycle, turnId })];
  }));
}
