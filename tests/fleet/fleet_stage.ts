import { assertEquals } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { type FleetServer, fleetServer } from "./fleet_server.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { type ProgramResult, type RunningProgram, runProgram, startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";
import { type Fleet, followJobLog, type JobEvent, listJobs, readJob } from "../../lib/fleet/mod.ts";

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
  /** A worker with a home of its own: another machine, as far as files go. */
  worker(name: string, ...args: readonly string[]): RunningProgram;
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

export async function fleetStage(
  { config = {}, users = [] }: {
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
    sandbox: "off",
    ...config,
  });
  await git(project, "init", "--quiet");
  await git(project, "add", "--all");
  await git(project, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=Start");
  const server = stack.use(await fleetServer(sandbox, { leaseSeconds: LEASE_SECONDS, users }));
  const { credentials, fleet } = server;
  await write(`${root}/worker.jsonc`, { accept: [{ repositories: ["*"], configs: "any" }] });
  const env = { ...sandbox.env, ...own, NO_COLOR: "1", PANEWRIGHT_SANDBOX: "off" };
  const homeOf = async (name: string) => {
    await Deno.mkdir(`${root}/homes/${name}`, { recursive: true });
    return { ...env, HOME: `${root}/homes/${name}` };
  };
  const callAs = async (user: string, ...args: readonly string[]) =>
    await runProgram([...argv, ...args], {
      cwd: project,
      env: { ...await homeOf(`person-${user}`), PANEWRIGHT_FLEET: credentials[user] ?? "" },
      timeoutMs: PATIENCE_MS,
    });
  const running = new Set<RunningProgram>();
  const workers = stack.use(new AsyncDisposableStack());
  const resources = stack.move();
  return {
    ...{ sandbox, project, fleet, credentials, server, callAs },
    call: (...args) => callAs("me", ...args),
    worker(name, ...args) {
      Deno.mkdirSync(`${root}/homes/${name}`, { recursive: true });
      const asked = ["worker", "--name", name, "--accept", `${root}/worker.jsonc`, "--max-load", "1000", ...args];
      const program = workers.use(startProgram([...argv, ...asked], {
        cwd: root,
        env: { ...env, HOME: `${root}/homes/${name}`, PANEWRIGHT_FLEET: credentials["machine"] ?? "" },
      }));
      running.add(program);
      void program.ended.then(() => running.delete(program));
      return program;
    },
    async end() {
      await fleet.connection.close();
      for (const worker of running) {
        worker.kill("SIGCONT");
        worker.kill("SIGTERM");
        await worker.ended;
      }
      server.process().kill("SIGTERM");
      await server.process().ended;
      await sandbox.assertNothingLeft();
    },
    replay: (next) => write(script, next),
    async log(job) {
      const { name } = await readJob(fleet, job);
      const found: JobEvent[] = [];
      const signal = new AbortController().signal;
      for await (const event of followJobLog(fleet, name, { follow: false, signal })) found.push(event);
      return found;
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
