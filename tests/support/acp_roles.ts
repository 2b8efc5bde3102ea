import type { FakeAgentScript, FakeStep } from "../lab/acp_fake_agent.ts";
import { type Fault, faultText } from "../../lib/base/ports/fault.ts";
import { type BuiltInRole, ROLES } from "../../lib/base/roles.ts";
import { type FakeAcpAgent, fakeAcpAgent } from "./acp_fake.ts";
import { type JournalRecord, readRecords } from "./journal_records.ts";
import { panewrightFromSource } from "./panewright.ts";
import { type ProgramResult, type RunningProgram, startProgram } from "./program.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";
import { until } from "./until.ts";
import { ANSWERS, GREETER_JOB } from "./jobs.ts";

/** What the stage is set with. */
export interface AcpRolesOptions {
  /** What a role's agent does, where it is not just its part of a job that passes. */
  readonly scripts?: Readonly<Partial<Record<BuiltInRole, FakeAgentScript>>>;
  /** Keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Keys of the agents' pack. */
  readonly pack?: Readonly<Record<string, unknown>>;
  /** Whether tmux is on PATH. @default {false} */
  readonly tmux?: boolean;
}

/** A job whose roles are played by fake agents over ACP. */
export interface AcpRoles extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly agents: Readonly<Record<BuiltInRole, FakeAcpAgent>>;
  /** Starts panewright. */
  start(...args: readonly string[]): RunningProgram;
  /** Starts it with a place where it kills itself. */
  startToDie(fault: Fault, ...args: readonly string[]): RunningProgram;
  /** Runs panewright to its end. */
  call(...args: readonly string[]): Promise<ProgramResult>;
  /** The records of the only run. */
  records(): Promise<readonly JournalRecord[]>;
  /** Waits for a record. */
  record(type: string, accept?: (record: JournalRecord) => boolean): Promise<JournalRecord>;
  /** The folder of the only run. */
  folder(): Promise<string>;
  /** The messages of a method that a role's agents have received. */
  received(role: BuiltInRole, method: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** An agent that does these steps before it responds; without any, it only does its part. */
export function responding(role: BuiltInRole, ...steps: readonly FakeStep[]): FakeAgentScript {
  return { turns: [{ steps: [...steps, { respond: ANSWERS[role] }, { say: "Done." }] }] };
}

/** What of the machine a run without tmux needs. */
const PROGRAMS = ["sh", "cat", "env", "find", "grep", "sleep", "touch"] as const;

/** It names its tools, so that the policy has something to go by. */
const PACK = {
  label: "Fake agent",
  ask_mode: { id: "default", asks_before: ["execute", "edit", "delete", "move"] },
  tools: [
    { kind: "execute", as: "command", subject: { from: "input", path: ["command"] } },
    { kind: "edit", as: "file_edit", subject: { from: "locations" } },
  ],
  usage: [{ from: "prompt", of: "turn" }],
  resume: ["load"],
};

/** Sets the stage. */
export async function acpRoles(options: AcpRolesOptions = {}): Promise<AcpRoles> {
  const { scripts = {}, config = {}, pack = {}, tmux = false } = options;
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await createSandbox());
  const { root, project } = sandbox;
  const panewright = await panewrightFromSource();
  await Deno.mkdir(`${root}/bin`);
  for (const name of tmux ? [...PROGRAMS, "tmux"] : PROGRAMS) {
    await Deno.symlink(await pathOf(name), `${root}/bin/${name}`);
  }
  await Deno.mkdir(`${root}/agents`);
  const agents = Object.fromEntries(
    await Promise.all(
      ROLES.map(async (role) =>
        [
          role,
          await fakeAcpAgent(`${root}/agents`, scripts[role] ?? responding(role), { name: `fake-${role}` }),
        ] as const
      ),
    ),
  ) as Record<BuiltInRole, FakeAcpAgent>;
  await Deno.writeTextFile(`${project}/job.md`, GREETER_JOB);
  await Deno.writeTextFile(`${project}/fake.jsonc`, JSON.stringify({ ...PACK, ...pack }));
  const { limits, handoff, roles = {}, ...more } = config as Record<string, Record<string, unknown>>;
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider: "fake",
      agents: { fake: "./fake.jsonc" },
      prompt_file: "job.md",
      roles: Object.fromEntries(ROLES.map((role) => [role, { command: [agents[role].path], ...(roles[role] ?? {}) }])),
      limits: { max_rounds: 1, min_review_cycles_before_approval: 1, ...limits },
      handoff: { poll_seconds: 0.2, idle_grace_seconds: 1, ...handoff },
      ...more,
    }),
  );
  const startWith = (env: Readonly<Record<string, string>>, args: readonly string[]) =>
    startProgram([...panewright.argv, ...args], {
      cwd: project,
      env: { ...sandbox.env, ...panewright.env, PATH: `${root}/bin`, ...env },
    });
  const start = (...args: readonly string[]) => startWith({}, args);
  const folder = async () => {
    const runs = `${project}/.panewright/runs`;
    const [only] = await until(
      async () => (await Array.fromAsync(Deno.readDir(runs)).catch(() => [])).map(({ name }) => name),
      (names) => names.length > 0,
    );
    return `${runs}/${only}`;
  };
  const records = async () => await readRecords(`${await folder()}/journal.ndjson`).catch(() => []);
  const resources = stack.move();
  return {
    sandbox,
    agents,
    start,
    startToDie: (fault, ...args) => startWith({ PANEWRIGHT_FAULT: faultText(fault) }, args),
    async call(...args) {
      await using program = start(...args);
      return await program.ended;
    },
    folder,
    records,
    async record(type, accept = () => true) {
      const found = await until(
        async () => (await records()).filter((one) => one.type === type && accept(one)),
        (some) => some.length > 0,
      );
      return found[0]!;
    },
    async received(role, method) {
      return (await agents[role].received()).filter((message) => message["method"] === method);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function pathOf(name: string): Promise<string> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const found = await Deno.realPath(`${folder}/${name}`).catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error(`there is no ${name} on PATH`);
}
