import * as z from "zod";
import { BUILTIN_RULE_NAMES, DECIDED_KINDS, patternProblem } from "../dialogs/policy/mod.ts";
import { ROLES } from "../roles.ts";
import { DEFAULT_HANDOFF_SETTINGS } from "../handoff/settings.ts";
import { PROVIDER_IDS } from "../providers/mod.ts";
import { count, seconds, secondsOrNone } from "./values.ts";

const HANDOFF = DEFAULT_HANDOFF_SETTINGS;

const pattern = (noun: string) =>
  z.string().superRefine((text, context) => {
    const problem = patternProblem(text);
    if (problem === undefined) return;
    context.addIssue({ code: "custom", message: `is no ${noun} pattern: ${JSON.stringify(text)} ${problem}` });
  });

const rule = () =>
  z.union([
    pattern("command"),
    z.strictObject({
      command: pattern("command").optional()
        .describe("The command's words; * is one word, ** any number of words; within a word, any characters."),
      path: pattern("path").optional()
        .describe("The file's path, from the working directory on; * stops at a slash, ** does not."),
      roles: z.array(z.enum(ROLES)).min(1).optional().describe("The roles that it holds for; all without it."),
      providers: z.array(z.enum(PROVIDER_IDS)).min(1).optional()
        .describe("The providers that it holds for; all without it."),
      kinds: z.array(z.enum(DECIDED_KINDS)).min(1).optional()
        .describe("The dialogs that it holds for. The others are never accepted automatically."),
    }).superRefine((value, context) => {
      const { command, path } = value;
      const problem = Object.keys(value).length === 0
        ? "says nothing: a rule has at least one of command, path, roles, providers and kinds"
        : command !== undefined && path !== undefined
        ? "has both command and path: a dialog is about one of them"
        : undefined;
      // Where keys are unknown, they are what is wrong with it.
      if (problem !== undefined && context.issues.length === 0) context.addIssue({ code: "custom", message: problem });
    }),
  ]);

/** The keys of `permissions`. */
export const permissions = z.strictObject({
  auto_accept: z.boolean().default(HANDOFF.autoAcceptPermissions)
    .describe("Whether permission prompts of agents are answered with yes. Only for work in a sandbox."),
  accept_cooldown_seconds: secondsOrNone().default(HANDOFF.acceptCooldownSeconds)
    .describe("Seconds between two accepted prompts of one terminal."),
  accept_cap: count(0).default(HANDOFF.acceptCap).describe("How many prompts may be accepted in one turn."),
  deny: z.array(rule()).default([])
    .describe(
      "What is answered with no. A string is a command pattern: * is one word, ** any number; more words may follow it.",
    ),
  ask: z.array(rule()).default([])
    .describe("What is put to a person, unless it is denied. Patterns as in deny."),
  allow: z.array(rule()).default([])
    .describe("Where it has an entry, what no entry names is put to a person. Patterns are for whole commands."),
  lift_builtin: z.array(z.enum(BUILTIN_RULE_NAMES)).default([])
    .describe(`Rules of panewright's own that shall not hold: ${BUILTIN_RULE_NAMES.join(", ")}.`),
  dry_run: z.boolean().default(false)
    .describe("Whether decisions are only written to the audit log, and nothing is sent to the agents."),
  dialog_timeout_seconds: seconds().default(600)
    .describe("Seconds that a dialog may wait for a person."),
});
