import * as z from "zod";
import { BUILTIN_RULE_NAMES, DECIDED_KINDS, patternProblem, PERMISSION_DECISIONS } from "../policy/mod.ts";
import type { ProviderId } from "../agents/provider.ts";
import type { ShapedSlice } from "./shapes.ts";

/** A command or path pattern. */
export const pattern = (noun: "command" | "path") =>
  z.string().superRefine((text, context) => {
    const problem = patternProblem(text);
    if (problem === undefined) return;
    context.addIssue({ code: "custom", message: `is not a ${noun} pattern: ${JSON.stringify(text)} ${problem}` });
  });

/** A CLI's name of a tool, or several by `*`. */
const TOOL_NAME = /^[^\s()"'`]+$/;

const rule = (providerIds: readonly ProviderId[]) =>
  z.union([
    pattern("command"),
    z.strictObject({
      command: pattern("command").optional()
        .describe("The command's words; * is one word, ** any number of words; within a word, any characters."),
      path: pattern("path").optional()
        .describe("The path of the file, relative to the working directory; * stops at a slash, ** does not."),
      roles: z.array(z.string().min(1)).min(1).optional().describe("The roles that it applies to; all by default."),
      providers: z.array(z.enum(providerIds)).min(1).optional()
        .describe("The providers that it applies to; all by default."),
      kinds: z.array(z.enum(DECIDED_KINDS)).min(1).optional()
        .describe("The kinds of dialogs that it applies to. Other kinds are never accepted automatically."),
      tool: z.string().regex(
        TOOL_NAME,
        'must be the name of a tool alone, such as "WebFetch": "command" names commands',
      )
        .optional().describe("The tool, by the CLI's name for it: WebFetch, mcp__github__*; * is any characters."),
    }).superRefine((value, context) => {
      const { command, path } = value;
      const problem = Object.keys(value).length === 0
        ? "says nothing: a rule has at least one of command, path, tool, roles, providers and kinds"
        : command !== undefined && path !== undefined
        ? "has both command and path: a dialog is about one of them"
        : undefined;
      // Where keys are unknown, they are what is wrong with it.
      if (problem !== undefined && context.issues.length === 0) context.addIssue({ code: "custom", message: problem });
    }),
  ]);

export function permissionRuleSettings(providerIds: readonly ProviderId[]) {
  const rules = () => z.array(rule(providerIds));
  return {
    default: {
      names: { key: "permissions.default" },
      value: { kind: "choice", of: PERMISSION_DECISIONS },
      description:
        "What happens to what no list names; without it, ask where something is named as allowed, otherwise allow. " +
        "A command that leaves the CLI's sandbox needs an entry that names it.",
      written: "ask",
    },
    deny: {
      names: { key: "permissions.deny" },
      value: { kind: "shape", schema: rules, must: "an array of patterns and rules", default: [] },
      description:
        "What is denied. A string is a command pattern: * is one word, ** any number; more words may follow it.",
    },
    ask: {
      names: { key: "permissions.ask" },
      value: { kind: "shape", schema: rules, must: "an array of patterns and rules", default: [] },
      description: "What a person is asked about, unless it is denied; patterns as in `deny`.",
    },
    allow: {
      names: { key: "permissions.allow" },
      value: { kind: "shape", schema: rules, must: "an array of patterns and rules", default: [] },
      description:
        "What is accepted; patterns are for whole commands, and mean the harmless uses of a program (see docs/permissions.md).",
    },
    allowEveryday: {
      names: { key: "permissions.allow_everyday" },
      value: { kind: "switch", default: false },
      description:
        "Whether everyday commands, and edits in the working directory, are accepted as if `allow` named them: " +
        '"panewright permissions list" prints them. They do not let a command leave the CLI\'s sandbox.',
    },
    writable: {
      names: { key: "permissions.writable" },
      value: {
        kind: "shape",
        schema: () => z.array(z.string().regex(/^\/(?!$)/, "must be an absolute path, and not /")),
        must: "an array of absolute paths",
        default: [],
      },
      description: "Folders outside the working directory in which commands may write, such as /tmp.",
      example: ["/tmp"],
    },
    liftBuiltin: {
      names: { key: "permissions.lift_builtin" },
      value: {
        kind: "shape",
        schema: () => z.array(z.enum(BUILTIN_RULE_NAMES)),
        must: "an array of names of built-in rules",
        default: [],
      },
      description: `Built-in rules that do not apply: ${BUILTIN_RULE_NAMES.join(", ")}.`,
    },
  } as const satisfies ShapedSlice;
}
