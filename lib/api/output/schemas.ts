import * as z from "zod";
import { EXEC_FOLDS } from "../../journal/exec/facts.ts";
import { REVIEW_FOLDS } from "../../journal/loop/facts.ts";
import { OUTPUT_VERSION } from "./line.ts";
import { OUTPUTS, type OutputType } from "./outputs.ts";
import RECORD_TEXTS from "../../journal/record_texts.json" with { type: "json" };
import { recordsOf } from "./records.ts";
import { output, time } from "./shapes.ts";

interface OutputSchema {
  readonly of: string;
  readonly commands: readonly string[];
  /** By type: the fields, without `type` and `v`. */
  readonly objects: Readonly<Record<string, z.ZodObject>>;
}

const JOURNAL_OPENED = {
  journal_opened: output("The first record of a journal; only `logs` prints it.", {
    at: time("When the journal was opened"),
    version: z.int().describe("Of the records' format."),
  }),
};

const OF_A_RUN = [
  ...([
    "run_detached",
    "run_planned",
    "workspace",
    "workspace_result",
    "workspace_applied",
    "workspace_delivered",
    "error",
  ] as const),
];

/** What is printed, by the name of the schema: that of the command, or of the one that starts such runs. */
export const OUTPUT_SCHEMAS: Readonly<Record<string, OutputSchema>> = {
  run: {
    of: "run, demo, and resume, takeover, reply, fork and logs of their runs",
    commands: ["run", "demo", "reply", "fork", "resume", "takeover", "logs"],
    objects: {
      ...recordsOf(REVIEW_FOLDS.facts, RECORD_TEXTS.run),
      ...JOURNAL_OPENED,
      ...these("role_activity", ...OF_A_RUN),
    },
  },
  exec: {
    of: "exec, run of a folder or with --attempts, adopt, and resume, takeover, reply, fork and logs of their runs",
    commands: ["run", "exec", "adopt", "reply", "fork", "resume", "takeover", "logs"],
    objects: {
      ...recordsOf(EXEC_FOLDS.facts, RECORD_TEXTS.exec),
      ...JOURNAL_OPENED,
      ...these("agent_activity", "task_preview", ...OF_A_RUN),
    },
  },
  runs: printed("runs", "run"),
  status: printed("status", "status"),
  show: printed("show", "card"),
  evidence: printed("evidence", "evidence", "evidence_verified"),
  report: printed("report", "report", "file_written"),
  attach: printed("attach", "attach_command", "status"),
  stop: printed("stop", "run_stopped"),
  clean: printed("clean", "removed", "cleaned"),
  workspaces: printed("workspaces", "workspace"),
  diff: printed("diff", "workspace_result", "workspace_turn"),
  undo: printed("undo", "workspace_result", "workspace_applied"),
  apply: printed("apply", "workspace_applied"),
  pr: printed("pr", "workspace_delivered"),
  discard: printed("discard", "workspace_discarded"),
  questions: printed("questions", "question"),
  answer: printed("answer", "answer_recorded"),
  approve: printed("approve", "answer_recorded"),
  deny: printed("deny", "answer_recorded"),
  send: printed("send", "message_left", "message_outcome"),
  serve: printed("serve", "serving", "invited"),
  submit: printed("submit", "fleet_submitted", "fleet_job"),
  fleet: printed(
    "fleet",
    ...[
      "fleet_job",
      "fleet_worker",
      "fleet_event",
      "fleet_told",
      "fleet_collected",
      "fleet_caps",
      "fleet_cleaned",
      "fleet_joined",
      "fleet_made",
    ] as const,
  ),
  notify: printed("notify", "digest", "notification_tried", "outbox_flushed"),
  validate: printed("validate", "problem", "validated"),
  "show-roles": printed("show-roles", "loop"),
  init: printed("init", "file_written"),
  "config-show": printed("config show", "config"),
  trust: printed("trust", "trust_item", "trust_file", "trusted", "trust_removed"),
  doctor: printed("doctor", "finding"),
  agents: printed("agents", "agent"),
  sandbox: printed("sandbox show", "sandbox"),
  permissions: printed("permissions", "permission_decision", "allow_rule"),
  audit: printed("audit", "opened", "decision", "outcome", "audit_verified"),
  explain: printed("explain", "explanation", "status_explanation"),
  fixtures: printed(
    "fixtures check",
    ...["fixtures_version", "fixtures_mistake", "fixtures_missing", "fixtures_timeline", "fixtures_result"] as const,
  ),
  rules: printed("rules", "rules", "updated", "rolled_back", "reset", "pack", "key", "trusted_key", "key_removed"),
  record: printed("record", "recorded"),
  fixture: printed("fixture add", "fixture_added"),
  completion: printed("completion", "completion_script"),
  man: printed("man", "man_page", "file_written"),
  schema: printed("schema", "schema"),
  help: printed("help and --help", "command"),
  update: printed("update --check", "newest_version"),
  version: printed("version", "version", "license"),
};

function printed(of: string, ...types: readonly OutputType[]): OutputSchema {
  const [command = ""] = of.split(" ", 1);
  return { of, commands: [command], objects: these(...types, "error") };
}

function these(...types: readonly OutputType[]): Readonly<Record<string, z.ZodObject>> {
  return Object.fromEntries(types.map((type) => [type, OUTPUTS[type]]));
}

export function withHead(type: string, fields: z.ZodObject): z.ZodObject {
  const about = fields.description;
  const whole = z.object({ type: z.literal(type), v: z.literal(OUTPUT_VERSION), ...fields.shape });
  return about === undefined ? whole : whole.describe(about);
}

/** A whole number has no limits of its own: those of JavaScript say nothing about it. */
function withoutLimits({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** The JSON Schema (draft 2020-12) of each line that these commands print. */
export function outputJsonSchema(name: string, { of, objects }: OutputSchema): Readonly<Record<string, unknown>> {
  const definitions = Object.entries(objects).map(([type, fields]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(withHead(type, fields), { io: "input", override: withoutLimits });
    return [type, schema] as const;
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `panewright ${name}`,
    description: `A line of what --json prints: ${of}.`,
    oneOf: definitions.map(([type]) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(definitions),
  };
}
