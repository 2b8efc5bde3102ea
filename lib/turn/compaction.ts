import { restatedPrompt } from "./instruction.ts";
import type { Turn } from "./turn.ts";

/** Tells that an agent's conversation was made shorter since that was told last; whether it was. */
export async function noteCompaction(turn: Turn): Promise<boolean> {
  const { call, emit, progress, terminal } = turn;
  const times = await terminal.compactions?.(call).catch(() => undefined) ?? 0;
  if (times <= progress.compactions) return false;
  progress.compactions = times;
  await emit({ type: "compacted", times });
  return true;
}

/** A message within a turn, which relies on the turn's prompt: with that, where the agent may have lost it. */
export async function restated(turn: Turn, message: string): Promise<string> {
  const isLost = await noteCompaction(turn);
  return isLost && turn.restate !== undefined ? restatedPrompt(turn.restate(), message) : message;
}
