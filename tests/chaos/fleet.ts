import { assertEquals } from "@std/assert";
import { processesOf } from "../support/sandbox.ts";
import type { RunningProgram } from "../support/program.ts";
import { createRandom, type Random } from "../support/random.ts";
import { pauseAfterLook } from "../support/until.ts";
import { listJobs } from "../../lib/fleet/mod.ts";
import { type FleetStage, fleetStage, LEASE_SECONDS, PROGRAMMER_FIRST, worksOf } from "../fleet/fleet_stage.ts";
import { findJobViolations } from "./fleet_invariants.ts";
import { ChaosFailure } from "./play.ts";

export interface FleetChaosOptions {
  readonly seed: number;
  readonly jobs: number;
  /** How often something is done to workers, to what they have started, or to the server. */
  readonly faults: number;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

const WORKERS = ["w1", "w2", "w3"];
const SLOTS = "2";

/** What is done at a time, and how long until the next. */
type Fault = (stage: Players, random: Random) => Promise<string>;

interface Players {
  readonly stage: FleetStage;
  readonly workers: Map<string, RunningProgram>;
  start(name: string): void;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const FAULTS: Readonly<Record<string, Fault>> = {
  async "kill -9 of a worker"({ start, workers }, random) {
    const name = random.pick(WORKERS);
    kill(workers.get(name), "SIGKILL");
    await workers.get(name)?.ended;
    await sleep(random.int(3) * 1000);
    start(name);
    return name;
  },
  async "a worker is told to end"({ start, workers }, random) {
    const name = random.pick(WORKERS);
    kill(workers.get(name), "SIGTERM");
    await workers.get(name)?.ended;
    start(name);
    return name;
  },
  async "a worker stands still"({ workers }, random) {
    const name = random.pick(WORKERS);
    const seconds = random.pick([1, LEASE_SECONDS, LEASE_SECONDS * 3]);
    kill(workers.get(name), "SIGSTOP");
    await sleep(seconds * 1000);
    kill(workers.get(name), "SIGCONT");
    return `${name} for ${seconds} s`;
  },
  async "kill -9 of the server"({ stage: { server } }, random) {
    const seconds = random.pick([0, 1, LEASE_SECONDS]);
    server.process().kill("SIGKILL");
    await server.process().ended;
    await sleep(seconds * 1000);
    server.start();
    return `for ${seconds} s`;
  },
  async "kill -9 of what a worker has started"({ stage, workers }, random) {
    const own = new Set([...workers.values()].map(({ pid }) => pid));
    const others = (await processesOf(`${stage.sandbox.root}/homes/w`)).filter(({ pid }) => !own.has(pid));
    if (others.length === 0) return "none";
    const { command, pid } = random.pick(others);
    try {
      Deno.kill(pid, "SIGKILL");
    } catch { /* It has just ended. */ }
    return command.slice(0, 80);
  },
};

function kill(program: RunningProgram | undefined, signal: Deno.Signal): void {
  try {
    program?.kill(signal);
  } catch { /* It has ended by itself, which was told. */ }
}

/**
 * Has three workers do jobs of replayed agents while they, their runs and the server are killed, and looks whether anything
 * is lost or done twice.
 *
 * @throws {ChaosFailure}
 */
export async function runFleetChaos({ seed, jobs, faults, say, signal }: FleetChaosOptions): Promise<void> {
  const random = createRandom(seed);
  const story: string[] = [];
  const tell = (line: string) => {
    story.push(line);
    say(line);
  };
  await using stage = await fleetStage({ config: PROGRAMMER_FIRST });
  await stage.replay(worksOf({ thinkMs: 2500 }));
  const workers = new Map<string, RunningProgram>();
  const start = (name: string) => {
    const worker = stage.worker(name, "--slots", SLOTS);
    workers.set(name, worker);
    void worker.ended.then(({ code, stderr }) => {
      if (code === 128 + 9 || code === 0) return;
      tell(`${name} has ended with ${code}: ${stderr}`);
      // Whatever keeps a worker at work starts it again.
      if (code === 1 && workers.get(name) === worker) setTimeout(() => start(name), 500);
    });
  };
  for (const name of WORKERS) start(name);
  for (let number = 1; number <= jobs; number++) {
    const { code, stderr } = await stage.call("submit", "--run", "Do it", "--id", `job-${number}`);
    assertEquals(code, 0, stderr);
  }
  for (let number = 1; number <= faults && !signal.aborted; number++) {
    await sleep(random.int(1500));
    const [what, act] = random.pick(Object.entries(FAULTS));
    const to = await act({ stage, workers, start }, random);
    tell(`${number}: ${what}: ${to}; ${await stateOf(stage)}`);
    if (await areAllOver(stage)) break;
  }
  await retryUntilOver(stage, { tell, signal });
  const violations: string[] = [];
  for (let number = 1; number <= jobs; number++) {
    const id = `job-${number}`;
    violations.push(...findJobViolations(await stage.log(id)).map((one) => `${id}: ${one}`));
  }
  await stage.end().catch((error) => violations.push(String(error)));
  const told = [...workers].map(([name, { output }]) => `${name}: ${output.stderr}`);
  if (violations.length > 0) throw new ChaosFailure(violations, [...story, ...told], undefined);
}

/** A job that lost its workers too often in a row is set aside, which only a person ends. */
async function retryUntilOver(
  stage: FleetStage,
  { tell, signal }: { readonly tell: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  for (let looks = 0; looks < 20_000; looks++) {
    signal.throwIfAborted();
    const beganMs = performance.now();
    const all = await listJobs(stage.fleet).catch(() => []);
    if (all.length > 0 && all.every(({ entry }) => entry.state === "ended")) return;
    for (const { name: { id } } of all.filter(({ entry }) => entry.state === "parked")) {
      tell(`${id} is set aside: it is tried again`);
      await stage.call("fleet", "retry", id);
    }
    await pauseAfterLook(beganMs);
  }
  throw new ChaosFailure([`not all jobs end: ${await stateOf(stage)}`], [], undefined);
}

async function areAllOver(stage: FleetStage): Promise<boolean> {
  const all = await listJobs(stage.fleet).catch(() => []);
  return all.length > 0 && all.every(({ entry }) => entry.state === "ended");
}

async function stateOf(stage: FleetStage): Promise<string> {
  const all = await listJobs(stage.fleet).catch(() => []);
  const counts = Map.groupBy(all, ({ entry }) => entry.outcome ?? entry.state);
  return [...counts].map(([state, { length }]) => `${length} ${state}`).join(", ");
}
