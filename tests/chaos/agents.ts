import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { listProcesses, type ProcessInfo, processTree } from "../../lib/base/ports/process_table.ts";
import type { Sandbox } from "../support/sandbox.ts";
import type { Death } from "./evidence.ts";
import type { AgentStrike } from "./plan.ts";
import type { Stage } from "./stage.ts";

/** The tmux servers and agents of a job, to be looked at and to be killed. */
export interface Agents {
  /** When agents were found to be dead. */
  readonly deaths: readonly Death[];
  /** Notes which of the agents that were seen before are dead by now. */
  noteDeaths(): Promise<void>;
  /**
   * Kills what a strike says, notes who died of it, and returns what it was; undefined where there is nothing of it.
   */
  kill(strike: AgentStrike): Promise<string | undefined>;
}

/** How long processes take at most to vanish when they are killed, and with their terminal: some tidy up first. */
const VANISH_MS = 5000;

/**
 * Watches what runs in a sandbox: panes of tmux servers, and agents that log themselves.
 *
 * @param agentLog a pid of an earlier agent is not used again while a job lasts
 */
export function watchAgents(
  { env }: Pick<Sandbox, "env">,
  { agentLog = () => [] }: Pick<Stage, "agentLog"> = {},
): Agents {
  const seen = new Map<number, ProcessInfo>();
  const dead = new Set<number>();
  const deaths: Death[] = [];

  const look = async (): Promise<{ readonly server: Server | undefined; readonly agents: readonly ProcessInfo[] }> => {
    const all = await listProcesses();
    const servers = await findServers(env);
    const found = (pids: readonly number[]) =>
      pids.flatMap((pid) => all.find((one) => one.pid === pid && !one.zombie) ?? []);
    const panes = servers.map(({ panePids }) => found(panePids));
    const own = found([...new Set(agentLog().map(({ pid }) => pid))]);
    for (const agent of [...panes.flat(), ...own]) seen.set(agent.pid, agent);
    return { server: servers[0], agents: [...panes[0] ?? [], ...own] };
  };

  const noteDeaths = async () => {
    await look();
    await noteGone();
  };

  const noteGone = async () => {
    const atMs = Date.now();
    const all = new Map((await listProcesses()).map((one) => [one.pid, one]));
    for (const { pid, startTime } of seen.values()) {
      const now = all.get(pid);
      if (dead.has(pid) || (now !== undefined && !now.zombie && now.startTime === startTime)) continue;
      dead.add(pid);
      deaths.push({ atMs, pid });
    }
  };

  /** Notes when each of them is gone: another one may have been started before the last. */
  const vanished = async (pids: readonly number[]) => {
    for (const deadline = Date.now() + VANISH_MS; Date.now() < deadline;) {
      await noteGone();
      if (pids.every((pid) => dead.has(pid) || !seen.has(pid))) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  return {
    get deaths() {
      const told = agentLog().flatMap(({ at, dead: pids }) => pids.map((pid) => ({ atMs: Date.parse(at), pid })));
      return [...told, ...deaths];
    },
    noteDeaths,
    async kill(strike) {
      const { server, agents } = await look();
      if (strike.target === "tmux") {
        if (server === undefined || !tryKill(server.pid)) return undefined;
        await vanished(server.panePids);
        return `tmux server ${server.pid}`;
      }
      const agent = agents[strike.pick % agents.length];
      if (agent === undefined) return undefined;
      const programs = await findPrograms(agent);
      const victim = programs[Math.floor(strike.pick / 8) % programs.length];
      if (victim === undefined || !tryKill(victim.pid)) return undefined;
      // A launcher ends with the native program that it has started.
      await vanished([agent.pid]);
      return victim.pid === agent.pid ? `agent ${agent.pid}` : `process ${victim.pid} of agent ${agent.pid}`;
    },
  };
}

/**
 * Names of programs that are an agent CLI themselves and not a command that it runs: the native ones below a launcher.
 */
const NATIVE_PROGRAMS = new Set(["codex"]);

/** An agent's program: what its pane shows, or who speaks for it, and the native one that a launcher has started. */
async function findPrograms(agent: ProcessInfo): Promise<readonly ProcessInfo[]> {
  const [, ...below] = processTree(await listProcesses(), agent.pid);
  const native = await Promise.all(below.map(async (one) => {
    const { stdout } = await systemProcessRunner.run({ argv: ["cat", `/proc/${one.pid}/comm`] });
    return !one.zombie && NATIVE_PROGRAMS.has(stdout.trim()) ? [one] : [];
  }));
  return [agent, ...native.flat()];
}

interface Server {
  readonly pid: number;
  readonly panePids: readonly number[];
}

/** The tmux servers that answer, by the sockets of the sandbox. */
async function findServers(env: Readonly<Record<string, string>>): Promise<readonly Server[]> {
  const folder = `${env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}`;
  const sockets = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  // The trial of tmux is not an agent.
  const own = sockets.filter(({ name }) => !name.startsWith("panewright-doctor-"));
  const servers = await Promise.all(own.map(async ({ name }): Promise<readonly Server[]> => {
    const client = createTmuxClient({ socket: `${folder}/${name}`, env });
    const { code, stdout } = await client.run(["list-panes", "-a", "-F", "#{pid} #{pane_pid} #{pane_dead}"]);
    const panes = stdout.trim().split("\n").map((line) => line.split(" "));
    if (code !== 0 || panes[0]?.[0] === undefined) return [];
    return [{
      pid: Number(panes[0][0]),
      panePids: panes.flatMap(([, pid, isDead]) => isDead === "0" ? [Number(pid)] : []),
    }];
  }));
  return servers.flat();
}

function tryKill(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
