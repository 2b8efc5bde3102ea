import * as z from "zod";
import { ROLES } from "../roles.ts";
import { DEFAULT_HANDOFF_SETTINGS } from "../handoff/settings.ts";
import { PROVIDER_IDS } from "../providers/mod.ts";
import type { ProviderId } from "../providers/provider.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS } from "../jobs/review_loop/settings.ts";
import { variableOf } from "./env.ts";
import { permissions } from "./permissions_schema.ts";
import { pipelineKeys } from "./pipeline_schema.ts";
import { ruleKeys } from "./rules_schema.ts";
import { agentKeys, argv, count, seconds, secondsOrNone, text } from "./values.ts";

const LOOP = DEFAULT_REVIEW_LOOP_SETTINGS;
const HANDOFF = DEFAULT_HANDOFF_SETTINGS;

const socketName = () =>
  z.string().regex(/^(?:\/.+|[A-Za-z0-9_.-]{1,64})$/, "must be 1 to 64 letters, digits, _ . or -, or an absolute path");
const sessionName = () =>
  z.string().regex(/^[A-Za-z0-9_][^:.\s]{0,63}$/, "must begin with a letter or digit, and have no space, colon or dot");
const topicName = () => z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");
const changeName = () => z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, "must be letters, digits, _ . or -");
const webAddress = () => z.url({ protocol: /^https?$/, error: "must be a web address (http:// or https://)" });

const provider = () => z.enum(PROVIDER_IDS);

const role = z.strictObject({
  provider: provider().optional().describe("The provider of this role, where it differs from the common one."),
  ...agentKeys,
});

const roles = z.strictObject(
  Object.fromEntries(ROLES.map((name) => [name, role.optional().describe(`The agent that plays ${name}.`)])) as Record<
    typeof ROLES[number],
    z.ZodOptional<typeof role>
  >,
);

const providers = z.strictObject(
  Object.fromEntries(
    PROVIDER_IDS.map((id) => [id, z.strictObject(agentKeys).optional().describe(`For every role that ${id} plays.`)]),
  ) as Record<ProviderId, z.ZodOptional<z.ZodObject<typeof agentKeys, z.core.$strict>>>,
);

const limits = z.strictObject({
  max_rounds: count(1).default(LOOP.maxRounds)
    .describe("Rounds, each ending with the tester, before the job counts as failed."),
  max_review_cycles: count(1).default(LOOP.maxReviewCycles)
    .describe("How often an author and its reviewer work in turn in one round."),
  min_review_cycles_before_approval: count(1).default(LOOP.minReviewCyclesBeforeApproval)
    .describe("The first cycle in which an approval counts."),
  review_evidence_min_match: count(0).max(4).default(LOOP.reviewEvidenceMinMatch)
    .describe("How many of the four kinds of evidence an approval must hold."),
  max_agent_restarts: count(0).default(2)
    .describe(
      "How often a role's agent whose program ends by itself is started again; then the run stops with an error.",
    ),
  at_review_limit: z.enum(["proceed", "fail"]).default(LOOP.atReviewLimit)
    .describe("What happens when a reviewer has not approved by the last cycle."),
});

const condensation = z.strictObject({
  condense_cross_phase: z.boolean().default(LOOP.condenseCrossPhase)
    .describe("Condense the summaries of earlier rounds in a retry prompt."),
  condense_upstream_on_repeat: z.boolean().default(LOOP.condenseUpstreamOnRepeat)
    .describe("Condense another role's text for a role that was prompted before."),
  condense_explore_on_repeat: z.boolean().default(LOOP.condenseExploreOnRepeat)
    .describe("Condense the explore summary for a role that was prompted before."),
  condense_review_feedback: z.boolean().default(LOOP.condenseReviewFeedback)
    .describe("Condense a reviewer's feedback for the author."),
  condense_test_evidence: z.boolean().default(LOOP.condenseTestEvidence)
    .describe("Condense test evidence for the programmer."),
  max_cross_phase_lines: count(1).default(LOOP.maxCrossPhaseLines)
    .describe("Lines of another role's text, of the explore summary and of the earlier rounds' summaries."),
  max_feedback_lines: count(1).default(LOOP.maxFeedbackLines).describe("Lines of a reviewer's feedback."),
  max_test_evidence_lines: count(1).default(LOOP.maxTestEvidenceLines)
    .describe("Lines of the tester's report, and again of the test command's output."),
});

const handoff = z.strictObject({
  poll_seconds: seconds().default(HANDOFF.pollSeconds).describe("Seconds between two looks at an agent's terminal."),
  idle_grace_seconds: secondsOrNone().default(HANDOFF.idleGraceSeconds)
    .describe("Seconds that an agent may rest without a response file before its turn is over."),
  response_timeout: seconds().default(HANDOFF.responseTimeoutSeconds)
    .describe("Seconds that a whole turn may take, reminders included."),
  strict_file_handoff: z.boolean().default(HANDOFF.strictFileHandoff)
    .describe("Whether a turn without a response file is an error; otherwise the terminal's last output stands in."),
  max_file_reminders: count(0).default(1)
    .describe("How often a resting agent is reminded of its missing response file."),
  max_response_bytes: z.int().min(1).max(64 * 1024 * 1024).default(HANDOFF.maxResponseBytes)
    .describe("Bytes that a response file may have."),
});

const tmux = z.strictObject({
  socket: socketName().optional()
    .describe(
      "The tmux server's socket: a name (`tmux -L`) or a path (`-S`). Without it every run has a server of its own.",
    ),
  session: sessionName().optional()
    .describe("An existing tmux session in which the agents get their windows."),
  cols: z.int().min(80).max(500).default(220).describe("Width of each agent's terminal."),
  rows: z.int().min(24).max(200).default(50).describe("Height of each agent's terminal."),
});

const notifications = z.strictObject({
  ntfy_url: webAddress().default("https://ntfy.sh").describe("The ntfy server."),
  ntfy_topic: topicName().optional()
    .describe("The topic that is told of the end of a run, and of an agent that waits at a prompt."),
});

const postProcessing = z.strictObject({
  git_commit_message: text().optional()
    .describe("After PASS all changes of the working directory are committed with this message."),
  openspec_change: changeName().optional()
    .describe("After PASS this openspec change is archived."),
});

/** Everything that a config file may say. Its output has every default filled in. */
export const configSchema = z.strictObject({
  $schema: z.string().optional().describe("Where an editor finds the JSON Schema of this file."),
  provider: provider().default("codex").describe("The agent CLI of every role that names no other."),
  providers: providers.prefault({}).describe("How each provider's agents are started."),
  roles: roles.prefault({}).describe("What differs for one role. It goes before what its provider's entry says."),
  wd: text().default(".").describe("The folder in which the agents work; relative to the config file."),
  prompt: text().optional().describe("The job's text. Either this or prompt_file."),
  prompt_file: text().optional().describe("The file with the job's text; relative to the config file."),
  start_agent: z.enum(ROLES).default(LOOP.startAgent)
    .describe("The role that begins the first round; a placeholder stands for the work of those before it."),
  project_test_cmd: z.union([text(), argv()]).optional()
    .describe("The project's own tests: an argv array, or a string for `sh -c`. PASS counts only if they pass."),
  project_test_timeout_seconds: seconds().default(LOOP.testCommandTimeoutSeconds)
    .describe("Seconds after which the test command and all that it started are killed."),
  startup_timeout_seconds: seconds().default(60)
    .describe("Seconds that an agent may take from its start to its first prompt."),
  quiet_seconds: secondsOrNone().default(8)
    .describe(
      "Seconds that a screen which may be that of an agent at work must stand still, where nothing else tells.",
    ),
  cleanup_on_exit: z.boolean().default(true)
    .describe("Whether the agents' panes are closed at the end; otherwise they stay for a person to attach to."),
  limits: limits.prefault({}).describe("How long the loop goes on."),
  condensation: condensation.prefault({}).describe("How prompts shrink when work is repeated."),
  handoff: handoff.prefault({}).describe("How a response is waited for."),
  permissions: permissions.prefault({}).describe("How permission prompts of agents are answered."),
  tmux: tmux.prefault({}).describe("Where the agents' panes live."),
  ...pipelineKeys,
  ...ruleKeys,
  notifications: notifications.prefault({}).describe("Whom a run tells what became of it."),
  post_processing: postProcessing.prefault({}).describe("What happens after PASS."),
});

/** The effective configuration: every key in its place, defaults filled in. */
export type Config = z.output<typeof configSchema>;

/** The JSON Schema (draft 2020-12) of config files, for editors. Descriptions name the key's variable as well. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: "input" });
  nameVariables(schema, []);
  return { $schema, title: "panewright configuration", ...schema };
}

function nameVariables(schema: z.core.JSONSchema.BaseSchema, path: readonly string[]): void {
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (typeof inner === "boolean") continue;
    const variable = variableOf([...path, key].join("."));
    if (variable !== undefined) inner.description = `${inner.description} Variable: ${variable}.`;
    nameVariables(inner, [...path, key]);
  }
}

/** The schema inside of what only makes it optional or gives it a default. */
export function unwrapSchema(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
    inner = inner.def.innerType;
  }
  return inner;
}
