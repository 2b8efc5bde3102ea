import type { SettingSlice } from "../base/settings.ts";
import { CHOOSERS } from "../journal/exec/fields.ts";

export const LANE_SETTINGS = {
  parallel: {
    names: { key: "exec.parallel", flag: "--parallel" },
    value: { kind: "count", least: 1, most: 32, default: 1 },
    description:
      "How many of a folder's tasks are done at a time: with more than one, each in a workspace of its own, and what passes is " +
      "merged, tested and landed, apart from your checkout.",
    flagDescription: "do so many of a folder's tasks at a time, each in a workspace; what passes is merged and tested",
  },
  attempts: {
    names: { key: "exec.attempts", flag: "--attempts" },
    value: { kind: "count", least: 1, most: 16, default: 1 },
    description:
      "How often each task is tried side by side, each time in a workspace of its own; `exec.choose` says which of what passes is " +
      "landed.",
    flagDescription: "try each task so often side by side, and land one that passes (--choose)",
  },
  choose: {
    names: { key: "exec.choose", flag: "--choose" },
    value: { kind: "choice", of: CHOOSERS, default: "smallest" },
    description:
      "Which attempt that passes is landed: the smallest change, the first one (the others are stopped), the one that an agent " +
      "calls the best, asked twice in another order (judge), or the one that you choose (person).",
    flagDescription: "which attempt that passes is landed: smallest, first, judge, or person",
  },
} as const satisfies SettingSlice;
