import { number, object, oneOf, present, text, type ValueOf } from "../base/schema.ts";
import type { ToldRecord } from "./entry.ts";
import { adds } from "./items/item_changes.ts";
import { line, shortened, type ShownLine } from "./words/lines.ts";

/** What becomes of a command that an agent has left running. */
const FATES = {
  ended: "ended with the turn",
  stays: "it stays until the run ends (leave_running)",
  unclear: "not ended before the agent, since it may be a helper of its CLI",
} as const;

export type LeftFate = keyof typeof FATES;

/** A command that an agent has left running when its turn ended. */
export const leftRunning = object({
  command: text,
  pid: number,
  fate: oneOf("ended", "stays", "unclear"),
});

export type LeftRunning = ValueOf<typeof leftRunning>;

interface Left {
  readonly role?: string;
  readonly turnId?: string;
  readonly left: readonly LeftRunning[];
}

/** How a record of what was left is told. */
export const LEFT = {
  words: ({ role = "the agent", left }: Left): readonly ShownLine[] =>
    left.map(({ command, pid, fate }) =>
      line(`${role} left running: ${shortened(command)} (pid ${pid}); ${FATES[fate]}`, "caution")
    ),
  items: ({ turnId: turn, left }: Left, { title, lane }: ToldRecord) =>
    adds({
      ...{ kind: "warning", lane, title, tone: "caution", ...present({ turn }) },
      text: left.map(({ command, pid, fate }) => `${command} (pid ${pid}): ${FATES[fate]}`).join("\n"),
    }),
};

/** How what stayed until the run ended is told. */
export const STAYED = {
  words: ({ left }: Left): readonly ShownLine[] =>
    left.map(({ command, pid }) => line(`ended with the run: ${shortened(command)} (pid ${pid})`)),
  items: () => [],
};

const MAX_TOLD = 20;

/** What was left by all so far, for the end of a run. */
export function withLeft(
  before: readonly string[] | undefined = [],
  { left, by }: { readonly left: readonly LeftRunning[]; readonly by: string },
): readonly string[] {
  const told = left.map(({ command, pid, fate }) => `${shortened(command)} (pid ${pid}), by ${by}: ${FATES[fate]}`);
  return [...before, ...told].slice(0, MAX_TOLD);
}
