import * as z from "zod";
import { count, evidence, flag, origin, output, packSource, roleName, status, text, time } from "./shapes.ts";

const rule = text("The id of the rule that decided; `none` where no rule applied.");

const mistakes = z.array(z.object({
  from: z.number(),
  to: z.number(),
  expected: status,
  status,
  rule: z.string(),
}));

const provider = text("Whose screens they are, such as `codex`.");
const version = text("Of the CLI.");

const installed = {
  sha256: text("Of what was signed, hexadecimal."),
  key: text("The id of the key that signed it."),
  installedAt: time("When it was installed"),
  from: text("The file or address that it came from."),
  checkedBy: text("The version of panewright that has checked it."),
  downgrade: flag("Whether it is used though the built-in rules are as new.").optional(),
};

export const SCREEN_OUTPUTS = {
  explanation: output("Why a capture of a screen has its status.", {
    file: text("The capture; `-` for standard input."),
    provider,
    status,
    rule,
    origin,
    evidence,
    beaten: z.array(z.object({ rule: z.string(), status, evidence, origin }))
      .describe("Rules that would have applied, had none of higher priority done so."),
    dialog: z.object({
      kind: z.string(),
      heading: text("The sentence that asks."),
      subject: text("What it is about; missing where the screen does not show it.").optional(),
      subjectComplete: flag("Whether nothing of the subject is missing."),
      otherReadings: z.array(z.string()).describe("What the subject may be as well."),
      options: z.array(z.object({
        label: z.string(),
        key: text("The key that answers it at once.").optional(),
        number: z.int().optional(),
        selected: z.boolean(),
      })),
      fingerprint: text("The same for the same dialog."),
    }).optional(),
    pack: packSource.describe("The installed pack of rules; missing for the built-in ones.").optional(),
    rules: z.array(z.object({
      rule: z.string(),
      origin,
      status,
      priority: z.number(),
      verdict: z.enum(["decided", "beaten", "excluded", "not_met"]),
      evidence,
    })).describe("Every rule with what became of it (`--all`).").optional(),
  }),
  status_explanation: output("Why an agent of a run was taken to do what it did.", {
    run: text("The run's id."),
    at: time("When it was first seen to do so"),
    turnId: text("The turn: `r1-tester-c0`."),
    role: roleName,
    status,
    rule: text(
      "What decided: a rule of the screen; of an agent over the Agent Client Protocol the witness, such as " +
        "`acp.stop_reason` or `acp.response`.",
    ).optional(),
    record: text("What the agent's own record, hook or protocol says.").optional(),
  }),
  fixture_added: output("A fixture that was cut from a recording.", {
    file: text("Its path."),
    expect: status.describe("What the agent really did."),
    status: status.describe("What the rules see."),
    rule,
  }),
  recorded: output("A pane that was recorded.", {
    file: text("The recording."),
    frames: count("How many frames it has."),
    seconds: z.number(),
    ended: z.enum(["command_ended", "pane_gone", "duration", "stopped"]),
    distortedFrames: count("How many frames have another status because of what was redacted."),
  }),
  fixtures_version: output("How the rules do on the recordings of one version of a CLI.", {
    provider,
    version,
    matrix: z.partialRecord(status, z.partialRecord(status, z.int()))
      .describe("How many recordings of each expected status got which status."),
    total: count("How many recordings there are."),
    right: count("How many got the expected status."),
    apart: z.object({ total: z.int(), right: z.int() }).describe("Those that no screen alone can tell."),
  }),
  fixtures_mistake: output("A recording that gets another status than the expected one.", {
    ...{ file: z.string(), provider, version, expect: status, got: status, rule, origin, evidence },
  }),
  fixtures_missing: output("A CLI of which classes of recordings are missing.", {
    provider,
    classes: z.array(z.string()),
  }),
  fixtures_timeline: output("How the rules do on a session that was recorded over time.", {
    path: z.string(),
    provider,
    version: version.optional(),
    warnings: z.array(z.string()),
    frames: z.int(),
    changes: count("How often the agent changed its status."),
    falseRests: mistakes.describe("Rest that is told inside a turn; times are seconds since the beginning."),
    flaps: mistakes,
    lateChanges: z.array(z.object({ atSeconds: z.number(), status, lagSeconds: z.number().optional() })),
    notAlone: mistakes.describe("Where no screen can show the truth; not counted above."),
    largestLagSeconds: z.number(),
    unknownSeconds: z.number(),
  }),
  fixtures_result: output("What the check of recordings came to.", {
    passed: z.boolean(),
    mistakes: count("Among single screens."),
    timelineMistakes: count("Among sessions."),
  }),
  rules: output("The rules in use for a provider's screens.", {
    provider,
    source: z.enum(["built_in", "pack", "unusable"]),
    version: z.string(),
    ...z.object(installed).partial().shape,
    outdated: z.object({ version: z.string(), ...installed })
      .describe("A pack that is installed, and not newer than the built-in rules.").optional(),
    problem: text("Why the pack cannot be used.").optional(),
  }),
  updated: output("A pack of rules that was installed.", {
    provider,
    before: text("The version before."),
    unchanged: flag("Whether it was in use already."),
    version: z.string(),
    ...installed,
  }),
  rolled_back: output("Rules of a provider that were rolled back.", {
    provider,
    before: text("The version that was left."),
    version: text("The version in use."),
    source: z.enum(["built_in", "pack"]),
  }),
  reset: output("The built-in rules are in use for every provider.", { version: z.string() }),
  pack: output("A pack of rules that was made.", {
    provider,
    version: z.string(),
    minimum_engine: z.string(),
    key: text("The id of the key that signed it."),
    file: z.string(),
    recordings: count("How many recordings it brings."),
  }),
  key: output("A pair of keys that was made.", {
    id: z.string(),
    secret: text("The file of the secret key."),
    public: text("The file of the public key."),
  }),
  trusted_key: output("A key whose packs of rules may be used.", {
    id: z.string(),
    spki: text("SubjectPublicKeyInfo in DER, base64."),
    name: z.string(),
    trustedAt: time("Since when; missing for one that is built in").optional(),
  }),
  key_removed: output("A key whose packs are used no longer.", { id: z.string() }),
} as const;
