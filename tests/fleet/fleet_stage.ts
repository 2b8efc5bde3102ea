import { assertEquals } from "@std/assert";
import { present } from "../../lib/base/schema.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { type FleetServer, fleetServer } from "./fleet_server.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import type { Line } from "./line.ts";
import { type Fleet, type JobEvent, listJobs, readJob, readLog } from "../../lib/fleet/mod.ts";

/** A fleet with a real nats-server, and people and workers who reach it by its command line. */
export interface FleetStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The repository that jobs are submitted from. */
  readonly project: string;
  /** As `me`, who may submit. */
  readonly fleet: Fleet;
  readonly credentials: Readonly<Record<string, string>>;
  /** Calls panewright as `me`, in the project. */
  call(...args: readonly string[]): Promise<ProgramResult>;
  callAs(user: string, ...args: readonly string[]): Promise<ProgramResult>;
  /** The same, without waiting for its end. */
  start(...args: readonly string[]): RunningProgram;
  /** A worker with a home of its own: another machine, as far as files go. */
  worker(name: string, ...args: readonly string[]): RunningProgram;
  /** A worker whose clock is not right: `+1h`. */
  workerWithClock(offset: string, name: string): Promise<RunningProgram>;
  /** A worker that reaches the server by a line that can be cut. */
  workerBehind(line: Line, name: string): Promise<RunningProgram>;
  /** What the replayed agents do from now on. */
  replay(script: object): Promise<void>;
  readonly server: FleetServer;
  /** Ends workers and the server; then nothing may be left. */
  end(): Promise<void>;
  /** What has happened to a job until now. */
  log(job: string): Promise<readonly JobEvent[]>;
  state(job: string): Promise<string>;
  /** Waits until a job is in one of these states. */
  reaches(job: string, ...states: readonly string[]): Promise<void>;
}

const PATIENCE_MS = 120_000;

export const LEASE_SECONDS = 3;

/** A tester that says PASS at once, and one that is at work until the script is another one. */
export const PASSES = { roles: { tester: { turns: [[{ respond: "RESULT: PASS" }]] } } };
export const AT_WORK = { roles: { tester: { turns: [[{ think: 3_600_000 }, { respond: "RESULT: PASS" }]] } } };

/** A programmer that changes a file, and who looks at that; each takes so long, in milliseconds. */
export function worksOf({ thinkMs }: { readonly thinkMs: number }) {
  const approval = [
    "REVIEW_NOTES:",
    "- The change in `work.txt` is correct and small, and nothing else is touched.",
    "- All scenario steps are covered and verified.",
    "- The interface is as the analysis says.",
    "- Keep `work.txt` as it is.",
    "REVIEW_RESULT: APPROVED",
  ];
  const change = { writeFile: { path: "work.txt", text: "done\n" } };
  return {
    roles: {
      programmer: { turns: [[{ think: thinkMs }, change, { respond: "It is done." }]] },
      programmer_review: { turns: [[{ think: thinkMs }, { respond: approval }]] },
      tester: { turns: [[{ think: thinkMs }, { respond: "RESULT: PASS" }]] },
    },
  };
}

/** Has the programmer begin, and be done with the first approval. */
export const PROGRAMMER_FIRST = { start_agent: "programmer", limits: { min_review_cycles_before_approval: 1 } };

export async function fleetStage(
  { config = {}, diskDelayMs, diskSize, isOverTls = false, nodes, users = [] }: {
    readonly diskDelayMs?: number;
    readonly diskSize?: string;
    readonly isOverTls?: boolean;
    /** The names of the fleet's servers. @default one */
    readonly nodes?: readonly string[];
    readonly config?: Readonly<Record<string, unknown>>;
    readonly users?: readonly { readonly name: string; readonly rights: "submitter" | "worker" | "viewer" }[];
  } = {},
): Promise<FleetStage> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await createSandbox());
  const { project, root } = sandbox;
  const { argv, env: own } = await panewrightThatStartsFast();
  const script = `${root}/replay.json`;
  const write = (path: string, value: unknown) => Deno.writeTextFile(path, JSON.stringify(value));
  await write(script, PASSES);
  await write(`${project}/panewright.jsonc`, {
    provider: "replay",
    providers: { replay: { args: ["--script", script] } },
    start_agent: "tester",
    prompt: "*** ORIGINAL EXPLORE SUMMARY ***\nNothing is to do.\n*** SCENARIO TEST ***\nLook.",
    handoff: { poll_seconds: 0.2, idle_grace_seconds: 1 },
    // A replayed agent keeps no record: its screen alone has to tell that it rests.
    quiet_seconds: 1,
    sandbox: "off",
    ...config,
  });
  await git(project, "init", "--quiet");
  await git(project, "add", "--all");
  await git(project, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=Start");
  const server = stack.use(
    await fleetServer(sandbox, {
      isOverTls,
      leaseSeconds: LEASE_SECONDS,
      users,
      ...(nodes === undefined ? {} : { nodes }),
      ...present({ diskDelayMs, diskSize }),
    }),
  );
  const { credentials, fleet } = server;
  await write(`${root}/worker.jsonc`, { accept: [{ repositories: ["*"], configs: "any" }] });
  const env = { ...sandbox.env, ...own, NO_COLOR: "1", PANEWRIGHT_SANDBOX: "off" };
  const homeOf = (name: string) => {
    Deno.mkdirSync(`${root}/homes/${name}`, { recursive: true });
    return { ...env, HOME: `${root}/homes/${name}` };
  };
  const asUser = (user: string) => ({
    cwd: project,
    env: { ...homeOf(`person-${user}`), PANEWRIGHT_FLEET: credentials[user] ?? "" },
  });
  const callAs = async (user: string, ...args: readonly string[]) =>
    await runProgram([...argv, ...args], { ...asUser(user), timeoutMs: PATIENCE_MS });
  const running = new Set<RunningProgram>();
  const workers = stack.use(new AsyncDisposableStack());
  const startWorker = (
    { clock = {}, inside = [] }: {
      readonly clock?: Readonly<Record<string, string>>;
      readonly inside?: readonly string[];
    },
    name: string,
    ...args: readonly string[]
  ): RunningProgram => {
    const asked = ["worker", "--name", name, "--accept", `${root}/worker.jsonc`, "--max-load", "1000", ...args];
    const started = [...inside, ...argv, ...asked] as [string, ...string[]];
    const program = workers.use(startProgram(started, {
      cwd: root,
      env: { ...homeOf(name), ...clock, PANEWRIGHT_FLEET: credentials["machine"] ?? "" },
    }));
    running.add(program);
    void program.ended.then(() => running.delete(program));
    return program;
  };
  const worker = (name: string, ...args: readonly string[]) => startWorker({}, name, ...args);
  const resources = stack.move();
  return {
    workerWithClock: async (offset, name) => startWorker({ clock: await clockOf(offset) }, name),
    ...{ sandbox, project, fleet, credentials, server, callAs },
    call: (...args) => callAs("me", ...args),
    start: (...args) => workers.use(startProgram([...argv, ...args], asUser("me"))),
    async workerBehind({ host = "127.0.0.1", inside = [], port }, name) {
      const own = JSON.parse(await Deno.readTextFile(credentials["machine"] ?? ""));
      const file = `${root}/${name}.json`;
      await Deno.writeTextFile(file, JSON.stringify({ ...own, server: `nats://${host}:${port}` }), { mode: 0o600 });
      return startWorker({ inside }, name, "--fleet", file);
    },
    worker,
    async end() {
      await fleet.connection.close();
      for (const worker of running) {
        worker.kill("SIGCONT");
        worker.kill("SIGTERM");
        await worker.ended;
      }
      for (const node of nodes ?? [undefined]) {
        server.process(node).kill("SIGTERM");
        await server.process(node).ended;
      }
      await sandbox.assertNothingLeft();
    },
    replay: (next) => write(script, next),
    async log(job) {
      const { name } = await readJob(fleet, job);
      return await readLog(fleet, name);
    },
    async state(job) {
      const { entry } = await readJob(fleet, job);
      return entry.outcome ?? entry.state;
    },
    async reaches(job, ...states) {
      await until(
        async () => (await listJobs(fleet)).find(({ name }) => name.id === job)?.entry,
        (entry) => entry !== undefined && states.includes(entry.outcome ?? entry.state),
      );
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function git(folder: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await systemProcessRunner.run({ argv: ["git", "-C", folder, ...args] });
  assertEquals(code, 0, stderr);
}

/** The types of the records of a job's run, in their order. */
export function recordsIn(events: readonly JobEvent[]): readonly string[] {
  return events.flatMap((event) => event.type === "record" ? [String(JSON.parse(event.line).type)] : []);
}

export function eventsOf<Type extends JobEvent["type"]>(
  events: readonly JobEvent[],
  type: Type,
): readonly Extract<JobEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<JobEvent, { type: Type }> => event.type === type);
}

/** Sees to it that the first worker of the job `go-on` knows that it has lost it to `w2`, and has written nothing since. */
export async function assertFenced(stage: FleetStage, first: RunningProgram): Promise<void> {
  await until(() => first.output.stderr, (text) => /another worker has taken it|has not been reached/.test(text));
  const events = await stage.log("go-on");
  const taken = events.findIndex((event) => event.type === "claimed" && event.worker === "w2");
  assertEquals(events.slice(taken).filter((event) => event.epoch !== 2), []);
  assertEquals(eventsOf(events, "ended").length, 1);
}

/** What has a program see another time; the program `faketime` would stand between it and its signals. */
async function clockOf(offset: string): Promise<Readonly<Record<string, string>>> {
  const { code, stderr, stdout } = await systemProcessRunner.run({
    argv: ["faketime", "-f", offset, "sh", "-c", "echo $LD_PRELOAD"],
  });
  assertEquals(code, 0, stderr);
  return { LD_PRELOAD: stdout.trim(), FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}
