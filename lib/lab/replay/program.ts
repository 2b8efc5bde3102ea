import { type Clock, systemClock } from "../../base/ports/clock.ts";
import type { RoleScript } from "./script.ts";
import { drawFrame } from "./draw.ts";
import { createKeyFeed } from "../../base/text/keys.ts";
import { type Frame, renderFrame } from "./render.ts";
import { createSession, type Session, type SessionEnd, type SessionRecord } from "./session.ts";
import { activityOf, type AgentState } from "./state.ts";
import type { AgentTty } from "./terminal.ts";

interface ReplayAgentOptions {
  readonly script: RoleScript;
  readonly role: string;
  readonly workdir: string;
  readonly tty: AgentTty;
  readonly signal: AbortSignal;
  readonly onPrompt?: (prompt: string) => void;
  readonly onRecord?: (record: SessionRecord) => void;
  readonly clock?: Clock;
}

const SPINNER_TICK_MS = 100;
const DIALOG_TICK_MS = 500;

export async function runReplayAgent(options: ReplayAgentOptions): Promise<number> {
  const { tty, signal, clock = systemClock } = options;
  let changed = Promise.withResolvers<void>();
  const session = createSession({
    ...options,
    clock,
    timeOfDay: () => new Date().toTimeString().slice(0, 5),
    onChange: () => changed.resolve(),
  });
  const quit = () => session.quit(0);
  signal.addEventListener("abort", quit, { once: true });
  if (signal.aborted) quit();

  let shown: Frame | undefined;
  const draw = () => {
    const next = renderFrame(session.state, { ...tty.size(), nowMs: clock.now() });
    tty.write(drawFrame(shown, next));
    shown = next;
  };
  const stopListening = tty.onResize(() => {
    shown = undefined;
    changed.resolve();
  });

  tty.enter();
  readInput(tty, session, clock);
  let end: SessionEnd | undefined;
  session.ended.then((how) => {
    end = how;
    changed.resolve();
  });
  while (end === undefined) {
    changed = Promise.withResolvers<void>();
    draw();
    await changedOrTick(changed.promise, { tickMs: tickOf(session.state), clock });
  }
  stopListening();
  signal.removeEventListener("abort", quit);
  if (end.restoreTerminal) tty.leave();
  return end.exitCode;
}

function tickOf(state: AgentState): number | undefined {
  switch (activityOf(state)) {
    case "working":
    case "streaming":
      return SPINNER_TICK_MS;
    case "asking":
      return DIALOG_TICK_MS;
    case "resting":
      return undefined;
  }
}

async function changedOrTick(changed: Promise<void>, options: { tickMs: number | undefined; clock: Clock }) {
  if (options.tickMs === undefined) return await changed;
  const tick = new AbortController();
  await Promise.race([changed, options.clock.sleep(options.tickMs, tick.signal).catch(() => {})]);
  tick.abort();
}

/** Passes keyboard input to the session. Not awaited: a read from a terminal cannot be cancelled. */
async function readInput(tty: AgentTty, session: Session, clock: Clock): Promise<void> {
  const over = new AbortController();
  const feed = createKeyFeed({ clock, signal: over.signal, onInput: (events) => events.forEach(session.input) });
  try {
    for await (const bytes of tty.input) feed(bytes);
  } catch { /* the terminal is gone: the same as its end */ }
  over.abort();
  session.quit(0);
}
