import type { SettingSlice } from "../base/settings.ts";

export const EVIDENCE_SETTINGS = {
  cleanRoom: {
    names: { key: "evidence.clean_room" },
    value: { kind: "switch", default: true },
    description:
      "Whether what a run has made in a workspace is checked once more where no agent has worked: on a fresh checkout of exactly " +
      "the commit that it comes to, and there with the tests as they were before, too.",
  },
  testsMay: {
    names: { key: "evidence.tests_may" },
    value: { kind: "choice", of: ["change", "add", "nothing"], default: "change" },
    description:
      "What a run in a workspace may do to tests: `change` them, which is told; `add` new ones; or `nothing`. More than that is a FAIL.",
  },
  requireRed: {
    names: { key: "evidence.require_red" },
    value: { kind: "switch", default: false },
    description: "Whether new and changed tests must fail on the code as it was: if they pass there, it is a FAIL.",
  },
  strict: {
    names: { key: "evidence.strict" },
    value: { kind: "switch", default: false },
    description: "Whether any remark on a PASS makes it a FAIL.",
  },
} as const satisfies SettingSlice;
