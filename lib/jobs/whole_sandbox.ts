import { copyState, type OwnSession, ownTriesOf, type WholeAgent } from "../agents/whole_agent.ts";
import type { AroundAgent, SandboxRequest } from "../agents/launch_plan.ts";
import { UsageError } from "../base/errors.ts";
import type { SandboxKind } from "../base/terms.ts";
import { selfCommand } from "../base/ports/self.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { present } from "../base/schema.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { findSandboxObstacle } from "../sandbox/obstacles.ts";
import type { Run } from "../run/execution.ts";
import { newRoleMark, roleMark } from "../run/left_processes.ts";
import { hooksOf } from "../run/state_names.ts";
import { openGitGuard } from "../sandbox/git_guard.ts";
import { openSandbox, type SandboxRefusal } from "../sandbox/open_sandbox.ts";
import { cloneOf } from "../workspace/workspace.ts";
import { type BoundsOf, boundsOf, type WholePlan } from "./whole_bounds.ts";
import { openOwnTries } from "./own_tries.ts";
import { QUIET } from "../sandbox/spec.ts";

/** The sandbox that agents are to have. */
export interface SandboxPlan extends SandboxRequest {
  /** Missing where it is the one that each CLI brings. */
  readonly whole?: WholePlan;
}

export function sandboxModeOf({ sandbox }: { readonly sandbox?: SandboxPlan }): SandboxKind {
  return sandbox === undefined ? "off" : sandbox.whole === undefined ? "cli" : "agent";
}

interface Around extends Pick<Run<never, never>, "clock" | "signal">, BoundsOf {
  readonly onRefusal: (refusal: SandboxRefusal) => void;
  readonly onGone: (error: Error) => void;
  /** Whether it is another one than that of the run's agents, which stays when this one is closed. @default {false} */
  readonly isBeside?: boolean;
  /** The session that agents of a provider begin with a copy of. */
  readonly adopts?: { readonly provider: string; readonly session: OwnSession };
  /** Whether a host that is not named is let through. @default {() => false} */
  readonly mayReach?: (target: { readonly host: string; readonly port: number }) => Promise<boolean>;
}

/** The sandbox of a run, with a place for each of its agents. */
export interface WholeSandbox extends AsyncDisposable {
  readonly env: (worker: string) => Readonly<Record<string, string>>;
  readonly request: (worker: string) => SandboxRequest;
  /** For the commands of the project: its test command, its checks. */
  readonly commands: AroundAgent;
  /** Takes away what was made inside that git would obey outside; `by` says when that was. */
  readonly disarmGit: (by: string) => Promise<void>;
}

/** It is not to be had on this machine, and its configuration wants the sandbox of each agent's CLI then. */
export interface NotOpened extends AsyncDisposable {
  readonly notOpened: string;
}

/** What is told where the sandbox of each agent's CLI is in place of the one around it. */
export function insteadWords({ notOpened }: NotOpened): string {
  return `each agent is in the sandbox of its own CLI ("sandbox": "auto"): the one around it cannot be opened here: ${notOpened}`;
}

const HOST_PERMISSIONS = ["--allow-read", "--allow-write", "--allow-run", "--allow-env", "--allow-net", "--allow-sys"];

/**
 * Opens the sandbox around the agents of a run, and around the project's commands.
 *
 * @param workers as for {@linkcode boundsOf}
 * @throws {UsageError} where the machine cannot, or for an agent that is not known to work inside
 * @throws {RuntimeError} when it cannot be opened
 */
export async function openWholeSandbox(
  workers: ReadonlyMap<string, WholeAgent>,
  { adopts, clock, isBeside = false, mayReach, onGone, onRefusal, signal, ...around }: Around,
): Promise<WholeSandbox | NotOpened> {
  const { name, whole, workdir, writable } = around;
  const obstacle = await findSandboxObstacle({ processRunner: systemProcessRunner, signal });
  if (obstacle !== undefined) {
    if (whole.orCommands === true) {
      return { notOpened: obstacle.problem, [Symbol.asyncDispose]: () => Promise.resolve() };
    }
    throw new UsageError(`Cannot open the sandbox: ${obstacle.problem}`, { hint: obstacle.remedy });
  }
  const { folders, hosts, of, root, state, states } = await boundsOf(workers, around);
  const hooks = hooksOf(name);
  makeFolders(`${state}/sandbox`, root);
  const env = Deno.env.toObject();
  const copyOf = async (worker: string) => {
    const agent = workers.get(worker);
    if (agent === undefined) throw new TypeError(`Cannot put ${worker} inside: who is it?`);
    const session = agent.provider.id === adopts?.provider ? { session: adopts.session, cwd: workdir } : undefined;
    await copyState(`${root}/${worker}`, agent, { env, ...present({ adopts: session, clone: cloneOf(workdir) }) });
  };
  // The other one's folder is nobody's checkout, and goes.
  const guard = await openGitGuard(isBeside ? [] : folders, { place: root, onRefusal });
  // Before an agent is started, its CLI may be asked about itself.
  for (const worker of workers.keys()) await copyOf(worker);
  const tries = openOwnTries((worker) => {
    const agent = workers.get(worker);
    return agent === undefined ? [] : ownTriesOf(agent, { env });
  });
  const sandbox = await openSandbox({
    hostCommand: [...selfCommand(HOST_PERMISSIONS), "sandbox-host"],
    ...{
      clock,
      env,
      hosts,
      mark: isBeside ? newRoleMark(around.folder) : roleMark(around.folder),
      onGone,
      onRefusal: (refusal) => tries.isOwn(refusal) ? false : onRefusal(refusal),
      signal,
      workdir,
      folder: `${state}/sandbox/bin`,
      locks: `${state}/sandbox/open`,
      ...(mayReach === undefined ? {} : { mayReach: tries.reaching(mayReach) }),
    },
    writable: [undefined, ...workers.keys()].flatMap((worker) => of(worker).writable),
  });
  const aroundOne = (worker: string | undefined, prepare: () => Promise<void>): AroundAgent => ({
    async confine({ argv, env: set, cwd }, signal) {
      await prepare();
      const spec = of(worker);
      const given = { ...QUIET, ...set };
      const variables = [...spec.variables, ...Object.keys(given)];
      const readOnly = [...spec.readOnly, ...guard.readOnly];
      return { argv: await sandbox.confine(argv, { ...spec, readOnly, variables }, signal), env: given, cwd };
    },
  });
  return {
    env: (worker) => states.get(worker)?.env ?? {},
    request: (worker) => ({
      writable,
      around: aroundOne(worker, async () => {
        await copyOf(worker);
        tries.begin(worker);
        if (hooks !== undefined) makeFolders(hooks.folder, hooks.answers);
      }),
    }),
    commands: aroundOne(undefined, () => Promise.resolve(makeFolders(`${root}/commands`))),
    disarmGit: guard.disarm,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await guard.disarm("the run");
      guard.forget();
    },
  };
}

/** A look after each turn at what is obeyed outside: at git's, too. */
export function lookingAtGit(
  { disarmGit }: Pick<WholeSandbox, "disarmGit">,
  look: (who: string) => Promise<void>,
): (who: string) => Promise<void> {
  return async (who) => {
    await disarmGit(who);
    await look(who);
  };
}

/** @throws {UsageError} where something else is in a folder's place */
function makeFolders(...paths: readonly string[]): void {
  try {
    paths.forEach(makeOwnFolder);
  } catch (error) {
    throw new UsageError(`Cannot open the sandbox: ${errorText(error)}`, {
      hint: "What agents inside are told by lies there: remove what stands in its place.",
    });
  }
}
