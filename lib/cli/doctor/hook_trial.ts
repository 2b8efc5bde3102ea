import { PANE_MARK_VARIABLE } from "../../base/ports/marks.ts";
import { openHookChannel } from "../../turn/desk/hook_channel.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { readHookEvent } from "../../agents/pane/hook_events.ts";
import { eventStreamText, type HookTrial } from "../../agents/hook_trial.ts";
import type { CliProgram, PaneProvider } from "../../agents/provider.ts";
import type { AgentTerminal } from "../../agents/pane/agent_terminal.ts";
import { startAgentTerminal } from "../../agents/pane/start_agent_terminal.ts";
import { turnHooksOf } from "../../agents/pane/turn_hooks.ts";
import { openSpool } from "../../agents/spool.ts";
import { errorText } from "../../base/text/error_text.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { openSession } from "../../tmux/open_session.ts";
import type { Finding } from "../preflight/finding.ts";

export type TrialProvider = PaneProvider & {
  readonly cli: CliProgram;
  readonly terminal: { readonly hookTrial: HookTrial };
};

interface HookTrialOptions {
  readonly version: string;
  readonly searchPath: string;
  readonly limitSeconds?: number;
  readonly signal: AbortSignal;
}

interface Seen {
  told: boolean;
  asked: boolean;
  taken: boolean;
  ended: boolean;
}

const ROLE = "tester";

/** Harmless, and denied: it never runs. */
const COMMAND = "touch panewright-hook-trial";

/** How long a dialog may be open before the hook asks: Claude Code draws it while the hook still runs (2.1.328). */
const HOOK_LAG_MS = 3000;

const LOOK_EVERY_MS = 100;

export async function tryHooks(provider: TrialProvider, options: HookTrialOptions): Promise<Finding> {
  const { limitSeconds = 20, signal } = options;
  const check = `${provider.label} hooks`;
  const limit = AbortSignal.timeout(limitSeconds * 1000);
  const seen: Seen = { told: false, asked: false, taken: false, ended: false };
  let problem = `nothing came of it in ${limitSeconds} s`;
  try {
    await play(provider, seen, { ...options, signal: AbortSignal.any([signal, limit]) });
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) problem = errorText(error).split("\n")[0] ?? "";
  }
  if (seen.asked && seen.taken && seen.ended) {
    const detail = "they work: one asked about a command before its dialog opened, others reported the turn";
    return { check, status: "ok", detail };
  }
  if (!seen.told) {
    const remedy =
      `A run uses them where they work, and the CLI's own record where not. Try again, or look with: ${provider.cli.program}`;
    return { check, status: "warn", detail: `they cannot be tried: ${problem}`, remedy };
  }
  const missing = [
    ...(seen.asked
      ? []
      : ["the command was not asked about: the session log is used, and you are asked about what it does not show"]),
    ...(seen.taken && seen.ended ? [] : ["the turn was not reported: screen and session log are used"]),
  ];
  const remedy = "Update the CLI; settings of your organization may switch hooks off as well.";
  return { check, status: "warn", detail: `they do not work: ${missing.join("; ")}`, remedy };
}

async function play(provider: TrialProvider, seen: Seen, options: HookTrialOptions): Promise<void> {
  const { signal, searchPath, version } = options;
  const trial = provider.terminal.hookTrial;
  await using stack = new AsyncDisposableStack();
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "panewright-doctor-" }));
  stack.defer(() => Deno.remove(root, { recursive: true }).catch(() => {}));
  const [home, project, temporary] = ["home", "project", "tmp"].map((name) => `${root}/${name}`) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, project, temporary]) await Deno.mkdir(folder);
  const server = stack.use(serveModel(trial, seen));
  const { port } = server.addr;
  const own = await trial.prepare({ home, project, temporary, version, baseUrl: `http://127.0.0.1:${port}` });
  const env = { HOME: home, PATH: searchPath, TERM: "tmux-256color", LANG: "C.UTF-8", TMPDIR: temporary, ...own };

  const channel = stack.use(await openHookChannel({ folder: `${root}/hooks` }));
  stack.use(channel.listen(ROLE, async ({ request, reply }) => {
    if (request.subject === COMMAND) seen.asked = true;
    await reply({ behavior: "deny", reason: "This was a trial of hooks." });
  }));
  const spool = stack.use(await openSpool(`${root}/hooks/turns`));
  const client = createTmuxClient({ socket: `panewright-doctor-${crypto.randomUUID().slice(0, 8)}` });
  const session = stack.use(await openSession(client, { name: "doctor" }));
  const terminal = stack.use(
    await startAgentTerminal({
      session,
      provider: withoutOurVariables(provider),
      request: { workdir: project, role: ROLE, env, hook: channel.hookOf(ROLE), ...turnHookOf() },
      signal,
    }),
  );
  await terminal.submit("Please try the hooks.", { signal });
  await watch(terminal, signal);

  function turnHookOf() {
    return { turnHook: turnHooksOf(spool, ROLE).turnHook };
  }

  async function watch(agent: AgentTerminal, until: AbortSignal): Promise<void> {
    for (let dialogMs = 0; dialogMs < HOOK_LAG_MS && !(seen.asked && seen.taken && seen.ended);) {
      for (const { text } of spool.take(ROLE)) {
        const event = readHookEvent(text);
        if (event?.type === "taken") seen.taken = true;
        if (event?.type === "ended") seen.ended = true;
      }
      const { status } = await agent.status({ signal: until });
      dialogMs = status === "waiting_user_answer" && !seen.asked ? dialogMs + LOOK_EVERY_MS : 0;
      await systemClock.sleep(LOOK_EVERY_MS, until);
    }
  }
}

function serveModel(trial: HookTrial, seen: Seen): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if (request.method === "HEAD") return new Response(null);
    if (request.method !== "POST" || !trial.isModelPath(new URL(request.url).pathname)) {
      return Response.json({ data: [] });
    }
    const { events, asksForCommand } = trial.answer(await request.json(), COMMAND);
    seen.told ||= asksForCommand;
    return new Response(eventStreamText(events), { headers: { "content-type": "text/event-stream" } });
  });
}

/** The provider, with agents that get no variable but those which are set for them: none of the person's keys. */
function withoutOurVariables(provider: TrialProvider): PaneProvider {
  const kept = [PANE_MARK_VARIABLE, "TMUX", "TMUX_PANE"].map((name) => `"${name}=$${name}"`).join(" ");
  return {
    ...provider,
    terminal: {
      ...provider.terminal,
      async launch(request, host) {
        const { argv, env, cwd } = await provider.terminal.launch(request, host);
        const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        return { argv: ["/bin/sh", "-c", `exec env -i ${kept} "$@"`, "sh", ...set, ...argv], env: {}, cwd };
      },
    },
  };
}
