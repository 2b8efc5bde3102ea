import { AssertionError } from "@std/assert";
import { pauseAfterLook } from "../support/until.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import type { AgentTerminal } from "../../lib/agents/pane/agent_terminal.ts";
import { startAgentTerminal } from "../../lib/agents/pane/start_agent_terminal.ts";
import { findPaneProvider } from "../../lib/agents/mod.ts";
import type { LaunchRequest, PaneProvider } from "../../lib/agents/provider.ts";
import { turnHooksOf } from "../../lib/agents/pane/turn_hooks.ts";
import { openSpool, spoolAt } from "../../lib/agents/spool.ts";
import { isAtRest, type TerminalStatus } from "../../lib/base/status.ts";
import { ControlClient } from "../../lib/tmux/control_client.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { openSession } from "../../lib/tmux/open_session.ts";
import type { TmuxSession } from "../../lib/tmux/session.ts";
import { startCliServer } from "../lab/cli_server.ts";
import type { ModelServer } from "../lab/model_server.ts";
import type { Respond } from "../lab/script.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { writeClaudeHome } from "../support/claude_home.ts";
import { writeCodexHome } from "../support/codex_home.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

/** What an agent is put on stage with. */
export interface AgentStageOptions {
  readonly provider: CliName;
  readonly respond: Respond;
  /** @default {the version that end-to-end tests are pinned to} */
  readonly version?: string;
  /** Claude Code's renderer. @default {"fullscreen"} */
  readonly tui?: "fullscreen" | "default";
  /** Changes what was written for the agent, before it starts: its home, its project. */
  readonly prepare?: (sandbox: Sandbox) => Promise<void>;
  /** Further arguments of the agent. */
  readonly args?: readonly string[];
  /** Codex' model. @default {"gpt-6.1-sol"} */
  readonly model?: string;
  /** @default {false} whether Codex asks before each command, and may not write without it; Claude Code does anyway */
  readonly guarded?: boolean;
  /** @default {false} whether tmux is talked with through control mode, as in a run */
  readonly controlMode?: boolean;
  /** Changes what panewright knows of the provider. */
  readonly adapt?: (provider: PaneProvider) => PaneProvider;
  /** @default {false} whether the agent's CLI tells of its turns by hooks, as in a run */
  readonly turnHooks?: boolean;
  /** How long a doubtful screen must stand still where no record of the CLI tells. */
  readonly quietMs?: number;
  /** Size of the panes. */
  readonly size?: { readonly cols: number; readonly rows: number };
}

/** A tmux session for real agents whose model is ours. */
export interface AgentStage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  readonly session: TmuxSession;
  /** What was logged by the agents: disagreements of screen and record. */
  readonly logged: readonly string[];
  /** Starts an agent; it ends with the stage. */
  start(role?: string, request?: Partial<LaunchRequest>): Promise<AgentTerminal>;
}

/** Sets the stage; on it everything has an environment, a home and a tmux server of its own. */
export async function setUpStage(options: AgentStageOptions): Promise<AgentStage> {
  await using stack = new AsyncDisposableStack();
  const { provider, respond, version, tui = "fullscreen", args = [] } = options;
  const cli = await installCli(provider, version);
  const sandbox = stack.use(await createSandbox());
  const { root, home, project } = sandbox;
  const server = stack.use(startCliServer(provider, { respond }));
  const baseUrl = server.baseUrl();
  const agentEnv = provider === "codex"
    ? await writeCodexHome({
      folder: `${root}/codex-home`,
      baseUrl,
      project,
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.guarded ? { approvalPolicy: "on-request", sandboxMode: "read-only" } : {}),
    })
    : await writeClaudeHome({ home, baseUrl, project, tmp: sandbox.env["TMPDIR"]!, version: cli.version, tui });
  await options.prepare?.(sandbox);
  const env = { ...sandbox.env, ...agentEnv };
  const logged: string[] = [];
  const plain = createTmuxClient({ socket: `panewright-test-${crypto.randomUUID().slice(0, 8)}`, env });
  const client = stack.use(new ControlClient({ plain, env, log: (message) => logged.push(message) }));
  const session = stack.use(await openSession(client, { name: "stage", ...options.size }));
  if (options.controlMode) await client.connect("stage");
  const spool = options.turnHooks ? stack.use(await openSpool(spoolAt(`${root}/turns`))) : undefined;
  const resources = stack.move();
  const start = async (role = "tester", request: Partial<LaunchRequest> = {}) => {
    const { turnHook, hookMail } = spool === undefined ? {} : turnHooksOf(spool, role);
    const hook = turnHook === undefined ? {} : { turnHook };
    const terminal = await startAgentTerminal({
      session,
      provider: options.adapt?.(findPaneProvider(provider)) ?? findPaneProvider(provider),
      request: { workdir: project, role, command: cli.argv, args, env, ...hook, ...request },
      ...(hookMail === undefined ? {} : { hookMail }),
      startTimeoutMs: 30_000,
      log: (message) => logged.push(message),
      ...(options.quietMs === undefined ? {} : { quietMs: options.quietMs }),
    });
    return resources.use(terminal);
  };
  return { sandbox, server, session, logged, start, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** One look at an agent's status, and whether the model's server had a turn open before and after it. */
interface Sample {
  readonly atMs: number;
  readonly status: TerminalStatus;
  readonly rule: string;
  readonly openBefore: boolean;
  readonly openAfter: boolean;
}

/** Watches an agent's status beside the truth, which is the model server's log. */
export interface StatusWatch extends AsyncDisposable {
  readonly samples: readonly Sample[];
  /**
   * Fails when the agent was said to rest while the model had a turn open.
   *
   * @throws {AssertionError} naming each such look
   */
  assertNoFalseRest(): void;
}

/** How long an agent may take from Enter to its request, and back. */
const MARGIN_MS = 250;

/** Starts to look at an agent's status ten times a second. */
export function watchStatus(terminal: AgentTerminal, server: ModelServer): StatusWatch {
  const samples: Sample[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      const openBefore = isTurnOpen(server, MARGIN_MS);
      const { status, rule } = await terminal.status();
      samples.push({ atMs: systemClock.now(), status, rule, openBefore, openAfter: isTurnOpen(server, 0) });
      await systemClock.sleep(100, stop.signal).catch(() => {});
    }
  })();
  return {
    samples,
    assertNoFalseRest() {
      const wrong = samples.filter((one) => one.openBefore && one.openAfter && isAtRest(one.status));
      if (wrong.length === 0) return;
      throw new AssertionError(
        `${wrong.length} of ${samples.length} looks said that the agent rests while its model was at work:\n` +
          wrong.map(({ atMs, status, rule }) => `${Math.round(atMs)} ms: ${status} (${rule})`).join("\n"),
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}

/** Whether the model has more to do for a prompt, and has had for so long. */
function isTurnOpen(server: ModelServer, forMs: number): boolean {
  const all = server.log.entries.filter((entry) => entry.event === "busy" || entry.event === "idle");
  const last = all.at(-1);
  if (last === undefined || (last.event === "idle" && last.endsTurn)) return false;
  const openedAt = all.findLast((entry, index) => {
    const before = all[index - 1];
    return entry.event === "busy" && (before === undefined || (before.event === "idle" && before.endsTurn));
  })?.t ?? last.t;
  return Date.now() - openedAt >= forMs;
}

/** Waits until an agent has a status, and returns the rule that says so. */
export async function untilStatus(
  terminal: AgentTerminal,
  wanted: TerminalStatus,
  { timeoutMs = 15_000 }: { readonly timeoutMs?: number } = {},
): Promise<string> {
  const deadline = systemClock.now() + timeoutMs;
  for (;;) {
    const beganMs = performance.now();
    const { status, rule } = await terminal.status();
    if (status === wanted) return rule;
    if (systemClock.now() > deadline) throw new AssertionError(`The agent is not ${wanted} but ${status} (${rule})`);
    await pauseAfterLook(beganMs);
  }
}
