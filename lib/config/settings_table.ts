import * as z from "zod";
import { DIALOG_SETTINGS } from "../turn/desk/settings.ts";
import { HANDOFF_SETTINGS } from "../turn/settings.ts";
import { LANE_SETTINGS } from "../lanes/settings.ts";
import { EXEC_SETTINGS } from "../jobs/pipeline/settings.ts";
import {
  POST_PROCESSING_SETTINGS,
  REVIEW_LOOP_SETTINGS,
  REVIEW_RUN_SETTINGS,
  TMUX_SETTINGS,
} from "../jobs/review_loop/settings.ts";
import { OFFERED_PROVIDER_IDS, OFFERED_SCREEN_IDS } from "../agents/mod.ts";
import type { ProviderId } from "../agents/provider.ts";
import { rolesSchema } from "./roles_schema.ts";
import { ASK_POLICIES, ON_ANSWER } from "../base/terms.ts";
import { CAP_SETTINGS } from "../run/caps.ts";
import { NO_CHANGE_SETTINGS, REPETITION_SETTINGS } from "../run/no_progress.ts";
import type { Setting, SettingSlice, SettingValue, ValueOf } from "../base/settings.ts";
import { fallbackSettings } from "./fallback_schema.ts";
import { NOTIFICATION_SETTINGS } from "./notification_settings.ts";
import { EVIDENCE_SETTINGS, SANDBOX_SETTINGS, TEST_FILE_SETTINGS, WORKSPACE_SETTINGS } from "./place_settings.ts";
import { pattern, permissionRuleSettings } from "./permissions_schema.ts";
import { pipelineSettings } from "./pipeline_schema.ts";
import { layoutsSchema, rulesSchema } from "./rules_schema.ts";
import type { ShapedSlice, ShapeValue } from "./shapes.ts";
import { AGENT_ID, agentKeys, prices, text } from "./shapes.ts";
import { variablesOf } from "./variables.ts";

const LEVELS = EXEC_SETTINGS.autonomyLevel.value.of.map(String);

const commonSettings = (ids: readonly ProviderId[]) => ({
  schema: {
    names: { key: "$schema" },
    value: { kind: "text" },
    description: "Where an editor finds the JSON Schema of this file.",
    example: "panewright.schema.json",
  },
  provider: {
    names: { key: "provider", env: "PANEWRIGHT_PROVIDER", flag: "--provider ID" },
    value: { kind: "choice", of: ids, default: ids[0] ?? "", isOpen: true },
    description: "The agent CLI of every role and step that names no other.",
  },
  providers: {
    names: { key: "providers" },
    value: {
      kind: "shape",
      schema: () => objectOf(ids, (id) => z.strictObject(agentKeys()).optional().describe(`For every agent of ${id}.`)),
      must: "an object with an entry for each provider",
      default: {},
    },
    description: "How the agents of each provider are started.",
    example: { [ids[0] ?? ""]: { args: ["--search"], env: { LANG: "C.UTF-8" } } },
  },
  agents: {
    names: { key: "agents" },
    value: {
      kind: "shape",
      schema: () => z.record(z.string().regex(AGENT_ID), text()),
      must: "an object with the file of each agent",
      default: {},
    },
    description:
      "Agents of your own: a name, and the file that describes the agent. A role or a step takes it as its `provider`.",
    example: { "my-agent": "agents/my-agent.jsonc" },
  },
  workdir: {
    names: { key: "wd", env: "PANEWRIGHT_WD", flag: "--wd DIR" },
    value: { kind: "text", default: "." },
    description: "The folder in which the agents work.",
  },
  ...fallbackSettings(ids),
  ...WORKSPACE_SETTINGS,
  ...TEST_FILE_SETTINGS,
  ...SANDBOX_SETTINGS,
  leaveRunning: {
    names: { key: "leave_running" },
    value: {
      kind: "shape",
      schema: () => z.array(pattern("command")),
      must: "an array of command patterns",
      default: [],
    },
    description:
      "What an agent may leave running when its turn ends, until the run ends: command patterns as in `permissions.deny`. " +
      "Any other command that it leaves is told, and ended.",
    example: ["npm run dev"],
  },
  askPolicy: {
    names: { key: "ask_policy" },
    value: {
      kind: "shape",
      schema: () =>
        z.union([
          z.enum(ASK_POLICIES),
          z.strictObject(Object.fromEntries(LEVELS.map((level) => [level, z.enum(ASK_POLICIES).optional()]))),
        ]),
      must: "ask, assume, or an object of these by autonomy level",
      default: "ask",
    },
    description:
      "What a question of an agent leads to: `ask` a person; or `assume`: the agent continues with its best guess, which " +
      'the report has as an assumption to confirm. For steps also by their autonomy level, as in `{ "1": "assume" }`. Permissions are asked for in any case.',
    example: "assume",
  },
  onAnswer: {
    names: { key: "on_answer" },
    value: { kind: "choice", of: ON_ANSWER },
    description:
      "What comes of an answer while no process executes the run: `resume` continues it, in a process of its own; `keep` " +
      "keeps the answer for whoever resumes it. Without it, `resume` for a run that was started with `--detach`, over HTTP, " +
      "by a model over MCP or by a notification, else `keep`. A run that somebody has stopped is not resumed.",
    example: "resume",
  },
  prices: {
    names: { key: "prices" },
    value: { kind: "shape", schema: prices, must: "an object with the day of the prices, and those of each model" },
    description:
      "What a million tokens of each model cost: for `max_cost`, and for the cost that the end of a run shows.",
    example: { date: "2026-11-01", models: { "gpt-5.1-codex": { input: 1.25, cached_input: 0.125, output: 10 } } },
  },
} as const satisfies ShapedSlice);

const runSettings = (ids: readonly ProviderId[], withScreens: readonly ProviderId[]) => ({
  prompt: {
    names: { key: "prompt", env: "PANEWRIGHT_PROMPT", flag: "--prompt TEXT" },
    value: { kind: "text" },
    description: "The text of the job; either this or `prompt_file`.",
  },
  promptFile: {
    names: { key: "prompt_file", env: "PANEWRIGHT_PROMPT_FILE", flag: "--prompt-file FILE" },
    value: { kind: "text" },
    description: "The file with the text of the job.",
    example: "job.md",
  },
  roles: {
    names: { key: "roles" },
    value: {
      kind: "shape",
      schema: () => rolesSchema(ids),
      must: "an object with an entry for each role",
      default: {},
    },
    description:
      "What differs for one role, and the roles of your own, which have `gives` or `reviews`, and a `prompt`. It " +
      "takes precedence over the entry of the role's provider.",
    example: { tester: { provider: ids[0], model: "gpt-5.5" } },
  },
  rules: {
    names: { key: "rules" },
    value: {
      kind: "shape",
      schema: () => rulesSchema(withScreens),
      must: "an object with an array of rules for each provider",
      default: {},
    },
    description: "Your own rules for the agents' screens, which add to the built-in ones or replace them.",
    example: {
      [ids[0] ?? ""]: [{
        id: "busy-again",
        status: "processing",
        region: "status",
        pattern: "^• Busy: press q to stop",
      }],
    },
  },
  layouts: {
    names: { key: "layouts" },
    value: {
      kind: "shape",
      schema: () => layoutsSchema(withScreens),
      must: "an object with what differs in the layout of each provider",
      default: {},
    },
    description: "What differs in how the agents build their screens, such as the glyph and the lines of the composer.",
    example: { [ids[0] ?? ""]: { composer: { first: "^❱(?: (?<text>.*))?$" } } },
  },
  rulesFile: {
    names: { key: "rules_file" },
    value: { kind: "text" },
    description: "A file of rules to share, in the form of `rules`.",
    example: "rules.jsonc",
  },
} as const satisfies ShapedSlice);

const { autoAcceptPermissions, maxErrorRetries, errorRetrySeconds, stallMinutes, ...HANDOFF_ONLY } = HANDOFF_SETTINGS;
const HANDOFF_OF_BOTH = { autoAcceptPermissions, maxErrorRetries, errorRetrySeconds, stallMinutes };
const { dryRun, hookTrial, modelAnswers, answersFrom, ...DIALOGS_ONLY } = DIALOG_SETTINGS;

const slicesFor = (ids: readonly ProviderId[], withScreens: readonly ProviderId[]) =>
  [
    { job: "both", settings: commonSettings(ids) },
    { job: "both", settings: NOTIFICATION_SETTINGS },
    { job: "run", settings: runSettings(ids, withScreens) },
    { job: "both", settings: CAP_SETTINGS },
    { job: "run", settings: REVIEW_LOOP_SETTINGS },
    { job: "run", settings: REVIEW_RUN_SETTINGS },
    { job: "run", settings: NO_CHANGE_SETTINGS },
    { job: "both", settings: REPETITION_SETTINGS },
    { job: "run", settings: HANDOFF_ONLY },
    { job: "both", settings: HANDOFF_OF_BOTH },
    { job: "both", settings: permissionRuleSettings(ids) },
    { job: "both", settings: { dryRun, hookTrial, modelAnswers, answersFrom } },
    { job: "run", settings: DIALOGS_ONLY },
    { job: "run", settings: TMUX_SETTINGS },
    { job: "exec", settings: pipelineSettings(ids) },
    { job: "exec", settings: EXEC_SETTINGS },
    { job: "exec", settings: LANE_SETTINGS },
    { job: "both", settings: EVIDENCE_SETTINGS },
    { job: "run", settings: POST_PROCESSING_SETTINGS },
  ] as const;

export type TableSlice = Extract<ReturnType<typeof slicesFor>[number]["settings"], SettingSlice>;

export interface TableEntry extends Omit<Setting<SettingValue | ShapeValue>, "names"> {
  readonly job: "run" | "exec" | "both";
  readonly key: string;
  readonly variables: readonly string[];
  readonly flag: { readonly name: string; readonly placeholder: string | undefined } | undefined;
}

export function settingsTable(
  providerIds: readonly ProviderId[],
  withScreens: readonly ProviderId[],
): readonly TableEntry[] {
  return slicesFor(providerIds, withScreens).flatMap(({ job, settings }) =>
    Object.values<Setting<SettingValue | ShapeValue>>(settings).map(({ names: { key, env, flag }, ...setting }) => {
      const [name, placeholder] = flag?.slice(2).split(" ") ?? [];
      const variables = env === undefined ? [] : variablesOf(env);
      return { ...setting, job, key, variables, flag: name === undefined ? undefined : { name, placeholder } };
    })
  );
}

/** The settings table as people see it: with the providers that are offered. */
export const SETTINGS: readonly TableEntry[] = settingsTable(OFFERED_PROVIDER_IDS, OFFERED_SCREEN_IDS);

type EntriesOf<Slice> = Slice extends unknown ? Slice[keyof Slice] : never;
type Entry = EntriesOf<ReturnType<typeof slicesFor>[number]["settings"]>;
type KeyOf<E extends Entry> = E["names"]["key"];
type Group = KeyOf<Entry> extends infer Key ? Key extends `${infer Name}.${string}` ? Name : never : never;
type Effective<E extends Entry> =
  | ValueOf<E["value"]>
  | (E["value"] extends { default: unknown } ? never : undefined);

export type Config =
  & { readonly [E in Entry as KeyOf<E> extends `${string}.${string}` ? never : KeyOf<E>]: Effective<E> }
  & {
    readonly [Name in Group]: {
      readonly [E in Entry as KeyOf<E> extends `${Name}.${infer Key}` ? Key : never]: Effective<E>;
    };
  };

export const GROUPS: Readonly<Record<Group, string>> = {
  limits: "When a run ends, or stops for a person.",
  condensation: "How prompts are shortened when work is repeated.",
  handoff: "How a response is waited for.",
  permissions: "How agents that ask for a permission are answered, in their dialogs and in steps.",
  tmux: "Where the agents' panes live.",
  exec: "How the steps of a pipeline are run.",
  evidence: "What of a PASS is looked into.",
  workspace: "What a workspace has besides the files of its commit.",
  notifications: "Who gets messages about a run.",
  post_processing: "What happens after PASS.",
};

function objectOf<Name extends string, Value extends z.ZodType>(names: readonly Name[], value: (name: Name) => Value) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>);
}
