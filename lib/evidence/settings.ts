import type { SettingSlice, SettingsOf } from "../base/settings.ts";

export const EVIDENCE_SETTINGS = {
  cleanRoom: {
    names: { key: "evidence.clean_room" },
    value: { kind: "switch", default: true },
    description:
      "Whether what a run has made is checked once more where no agent has worked: on a fresh checkout of exactly the commit " +
      "that it comes to, and there with the tests as they were before, too.",
  },
  testsMay: {
    names: { key: "evidence.tests_may" },
    value: { kind: "choice", of: ["change", "add", "nothing"], default: "change" },
    description:
      "What a run may do to tests: `change` them, which is told; `add` new ones; or `nothing`. More than that is a FAIL.",
  },
  requireRed: {
    names: { key: "evidence.require_red" },
    value: { kind: "switch", default: false },
    description: "Whether new and changed tests must fail on the code as it was: if they pass there, it is a FAIL.",
  },
  requireTests: {
    names: { key: "evidence.require_tests" },
    value: { kind: "switch", default: false },
    description: "Whether it is a FAIL if the checks run no test, or nothing tells whether they do.",
  },
  junit: {
    names: { key: "evidence.junit" },
    value: { kind: "text", pattern: /^(?!\/|~|(?:.*\/)?\.\.\/).+\.xml$/, must: "be a relative path to .xml files" },
    description:
      "The reports that the checks write as JUnit has them, for runners whose output is not read: a path, in which `*` stands " +
      "for a part of a name.",
    example: "reports/*.xml",
  },
  strict: {
    names: { key: "evidence.strict", flag: "--strict" },
    value: { kind: "switch", default: false },
    description: "Whether any remark on a PASS makes it a FAIL.",
  },
  canaries: {
    names: { key: "evidence.canaries" },
    value: { kind: "switch", default: true },
    description:
      "Whether the checks are tried with a test that must fail, in up to two test files: if they pass all the same, what changed " +
      "them is a FAIL.",
  },
  repeat: {
    names: { key: "evidence.repeat" },
    value: { kind: "count", least: 0, most: 20, default: 0 },
    description:
      "How often the checks run once more on the result, each time in another time zone and locale, in another order where the " +
      "runner can, and every third time 40 days later where `faketime` is there: if they fail there, that is a remark.",
  },
  budgetMinutes: {
    names: { key: "evidence.budget_minutes" },
    value: { kind: "count", least: 0, most: 1440, default: 0 },
    description:
      "For how many minutes each place that was changed is taken back alone, to see which ones no check misses; 0: none is.",
  },
  maxUnnoticed: {
    names: { key: "evidence.max_unnoticed" },
    value: { kind: "count", least: 0 },
    description: "How many places that were changed may be such that no check misses them: with more it is a FAIL.",
    example: 0,
  },
  mutationCmd: {
    names: { key: "evidence.mutation_cmd" },
    value: { kind: "command" },
    description:
      "A tool that changes the code on purpose, to see whether tests notice it (Stryker, cargo-mutants, mutmut), on a fresh " +
      "checkout of the result: if it fails, that is a remark.",
    example: "npx stryker run",
  },
  sign: {
    names: { key: "evidence.sign" },
    value: { kind: "text", pattern: /^(?:\/|~\/)[^\0\n]+$/, must: "be a path that begins with / or ~/" },
    description:
      "A private key of `ssh-keygen`: what the PASS of a run rests on is signed with it when the run ends, beside its journal. " +
      "A key with a passphrase needs an agent that knows it.",
    example: "~/.ssh/id_ed25519",
  },
  hiddenCmd: {
    names: { key: "evidence.hidden_cmd" },
    value: { kind: "command" },
    description:
      "Runs on a fresh checkout of the result with the files of `evidence.hidden` in it, in place of the checks.",
    example: "node --test acceptance/",
  },
  hiddenTell: {
    names: { key: "evidence.hidden_tell" },
    value: { kind: "choice", of: ["nothing", "names", "output"], default: "nothing" },
    description:
      "What agents, and the run's records, are told of hidden tests that fail, besides that they do: `nothing`, the `names` of " +
      "those that fail, or the command's `output`, too.",
  },
} as const satisfies SettingSlice;

/** What of a PASS is looked into. */
export type EvidencePlan = SettingsOf<typeof EVIDENCE_SETTINGS> & {
  /** Files that agents never see, below the working directory: patterns as in `.gitignore`. @default {[]} */
  readonly hidden?: readonly string[];
  /** Which files are tests, below the top of the repository. @default {[]} by the conventions of the runners */
  readonly tests?: readonly string[];
};
