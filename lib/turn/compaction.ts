import { restatedPrompt } from "./instruction.ts";
import type { Turn } from "./turn.ts";

/** A message within a turn, which relies on the turn's prompt: with that, where the agent may have lost it. */
export async function restated(turn: Turn, message: string): Promise<string> {
  const { call, emit, progress, restate, terminal } = turn;
  const times = await terminal.compactions?.(call).catch(() => undefined) ?? 0;
  if (times <= progress.compactions) return message;
  progress.compactions = times;
  await emit({ type: "compacted", times });
  return restate === undefined ? message : restatedPrompt(restate(), message);
}
