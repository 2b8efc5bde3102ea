import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { systemProcessRunner } from "../../lib/ports/process.ts";
import { findProcess, listProcesses, type ProcessInfo, processTree } from "../../lib/ports/process_table.ts";
import type { Sandbox } from "../support/sandbox.ts";
import type { Death } from "./evidence.ts";
import type { AgentStrike } from "./plan.ts";

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

/** How long processes take at most to vanish when they are killed, and with their terminal. */
const VANISH_MS = 400;

/** Watches what runs in a sandbox. */
export function watchAgents({ env }: Pick<Sandbox, "env">): Agents {
  const seen = new Map<number, ProcessInfo>();
  const dead = new Set<number>();
  const deaths: Death[] = [];

  const look = async (): Promise<readonly (Server & { readonly panes: readonly ProcessInfo[] })[]> => {
    const all = await listProcesses();
    const servers = await findServers(env);
    const found = servers.map((server) => {
      const panes = server.panePids.flatMap((pid) => all.find((one) => one.pid === pid && !one.zombie) ?? []);
      return { ...server, panes };
    });
    for (const { panes } of found) for (const pane of panes) seen.set(pane.pid, pane);
    return found;
  };

  const noteDeaths = async (atMs = Date.now()) => {
    await look();
    const all = new Map((await listProcesses()).map((one) => [one.pid, one]));
    for (const { pid, startTime } of seen.values()) {
      const now = all.get(pid);
      if (dead.has(pid) || (now !== undefined && !now.zombie && now.startTime === startTime)) continue;
      dead.add(pid);
      deaths.push({ atMs, pid });
    }
  };

  return {
    deaths,
    noteDeaths: () => noteDeaths(),
    async kill(strike) {
      const [server] = await look();
      if (server === undefined) return undefined;
      const atMs = Date.now();
      if (strike.target === "tmux") {
        if (!tryKill(server.pid)) return undefined;
        await vanished([server.pid, ...server.panePids]);
        await noteDeaths(atMs);
        return `tmux server ${server.pid}`;
      }
      const pane = server.panes[strike.pick % server.panes.length];
      if (pane === undefined) return undefined;
      const programs = await findPrograms(pane);
      const victim = programs[Math.floor(strike.pick / 8) % programs.length];
      if (victim === undefined || !tryKill(victim.pid)) return undefined;
      // A launcher ends with the native program that it has started.
      await vanished([victim.pid, pane.pid]);
      await noteDeaths(atMs);
      return victim.pid === pane.pid ? `agent ${pane.pid}` : `process ${victim.pid} of agent ${pane.pid}`;
    },
  };
}

/**
 * Names of programs that are an agent CLI themselves and not a command that it runs: the native ones below a launcher.
 */
const NATIVE_PROGRAMS = new Set(["codex"]);

/** An agent's program: what its pane shows, and the native one that a launcher has started. */
async function findPrograms(pane: ProcessInfo): Promise<readonly ProcessInfo[]> {
  const [, ...below] = processTree(await listProcesses(), pane.pid);
  const native = await Promise.all(below.map(async (one) => {
    const { stdout } = await systemProcessRunner.run({ argv: ["cat", `/proc/${one.pid}/comm`] });
    return !one.zombie && NATIVE_PROGRAMS.has(stdout.trim()) ? [one] : [];
  }));
  return [pane, ...native.flat()];
}

interface Server {
  readonly pid: number;
  readonly panePids: readonly number[];
}

/** The tmux servers that answer, by the sockets of the sandbox. */
async function findServers(env: Readonly<Record<string, string>>): Promise<readonly Server[]> {
  const folder = `${env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}`;
  const sockets = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  const servers = await Promise.all(sockets.map(async ({ name }): Promise<readonly Server[]> => {
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

async function vanished(pids: readonly number[]): Promise<void> {
  for (const deadline = Date.now() + VANISH_MS; Date.now() < deadline;) {
    const found = await Promise.all(pids.map((pid) => findProcess(pid)));
    if (found.every((one) => one === undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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
