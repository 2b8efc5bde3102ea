import type { SettingSlice } from "../base/settings.ts";

export const LANE_SETTINGS = {
  parallel: {
    names: { key: "exec.parallel", flag: "--parallel" },
    value: { kind: "count", least: 1, most: 32, default: 1 },
    description:
      "How many of a folder's tasks are done at a time: with more than one, each in a workspace of its own, and what passes is " +
      "merged, tested and landed one after another, apart from your checkout.",
    flagDescription: "do so many of a folder's tasks at a time, each in a workspace; what passes is merged one by one",
  },
  attempts: {
    names: { key: "exec.attempts", flag: "--attempts" },
    value: { kind: "count", least: 1, most: 16, default: 1 },
    description:
      "How often each task is tried side by side, each time in a workspace of its own; of what passes, also merged, the smallest " +
      "change is landed.",
    flagDescription: "try each task so often side by side, and land the smallest change that passes",
  },
} as const satisfies SettingSlice;
