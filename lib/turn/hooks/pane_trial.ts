import { PANE_MARK_VARIABLE } from "../../base/ports/marks.ts";
import { TRIAL_COMMANDS } from "../../agents/hook_trial.ts";
import { readHookEvent } from "../../agents/pane/hook_events.ts";
import { startAgentTerminal } from "../../agents/pane/start_agent_terminal.ts";
import { turnHooksOf } from "../../agents/pane/turn_hooks.ts";
import type { PaneProvider, TerminalProvider } from "../../agents/provider.ts";
import { openSpool, spoolAt } from "../../agents/spool.ts";
import { openSession } from "../../tmux/open_session.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { openHookChannel } from "../desk/hook_channel.ts";
import { cleanArgv, hasRun, type TrialGround } from "./ground.ts";

const ROLE = "tester";

/** How long a dialog may be open before the hook asks: Claude Code draws it while the hook still runs (2.1.328). */
const HOOK_LAG_MS = 3000;

const LOOK_EVERY_MS = 100;

/** Plays a trial in a pane of a session of its own, until the turn is over, or a dialog is open that no hook told of. */
export async function playInPane(ground: TrialGround): Promise<void> {
  const { provider, command, root, project, env, seen, clock, signal } = ground;
  const { terminal: inPane } = provider;
  if (inPane === undefined) throw new TypeError(`Cannot try ${provider.id} in a pane: it has none`);
  await using stack = new AsyncDisposableStack();
  const channel = stack.use(await openHookChannel({ place: spoolAt(`${root}/hooks`) }));
  stack.use(channel.listen(ROLE, async ({ request: { subject }, reply }) => {
    if (hasRun(project, subject)) return;
    seen.heard.add(subject);
    seen.permission.add(subject);
    if (subject === TRIAL_COMMANDS.allowed) await reply({ behavior: "allow" });
    else await reply({ behavior: "deny", reason: "This was a trial of hooks." });
  }));
  const spool = stack.use(await openSpool(spoolAt(`${root}/turns`)));
  const client = createTmuxClient({ socket: `panewright-trial-${crypto.randomUUID().slice(0, 8)}` });
  const session = stack.use(await openSession(client, { name: "trial" }));
  const { turnHook } = turnHooksOf(spool, ROLE);
  const agent = stack.use(
    await startAgentTerminal({
      session,
      provider: withoutOurVariables(provider, inPane),
      request: { workdir: project, role: ROLE, command, env, hook: channel.hookOf(ROLE), turnHook },
      signal,
    }),
  );
  await agent.submit("Please try the hooks.", { signal });
  for (let dialogMs = 0; dialogMs < HOOK_LAG_MS && !(seen.taken && seen.ended);) {
    const asked = seen.heard.size;
    const { status } = await agent.status({ signal });
    for (const { text } of spool.take(ROLE)) {
      const event = readHookEvent(text);
      if (event?.type === "taken") seen.taken = true;
      if (event?.type === "ended") seen.ended = true;
    }
    dialogMs = status === "waiting_user_answer" && seen.heard.size === asked ? dialogMs + LOOK_EVERY_MS : 0;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** The provider, with agents that get no variable but those which are set for them: none of the person's keys. */
function withoutOurVariables(provider: TrialGround["provider"], terminal: TerminalProvider): PaneProvider {
  const kept = [PANE_MARK_VARIABLE, "TMUX", "TMUX_PANE"];
  return {
    ...provider,
    terminal: {
      ...terminal,
      async launch(request, host) {
        const { argv, env, cwd } = await terminal.launch(request, host);
        return { argv: cleanArgv({ argv, env, kept }), env: {}, cwd };
      },
    },
  };
}
