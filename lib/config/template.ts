import * as z from "zod";
import { variableOf } from "./env.ts";
import { configSchema, unwrapSchema } from "./schema.ts";

/** Keys that the written config sets; every other key is there as a comment with its default. */
export interface TemplateValues {
  readonly provider: string;
  readonly wd: string;
  readonly prompt_file: string;
}

/** What a key without a default may look like. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  "project_test_cmd": ["npm", "test"],
  "tmux.socket": "agents",
  "tmux.session": "work",
  "notifications.ntfy_topic": "my-runs",
  "post_processing.git_commit_message": "Finish the job",
  "post_processing.openspec_change": "add-login",
  "default_pipeline": "feature",
  "rules_file": "rules.jsonc",
  "exec.answer_timeout_seconds": 900,
  "exec.default_answer": "Decide yourself, and say in your last message what you decided.",
};

/** Keys whose value is an object with names of the person's own, or one that is best shown as an example. */
const GROUP_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  providers: { codex: { args: ["--search"], env: { LANG: "C.UTF-8" } } },
  roles: { tester: { provider: "codex", model: "gpt-5.5" } },
  rules: {
    codex: [{ id: "busy-again", status: "processing", region: "status", pattern: "^• Busy: press q to stop" }],
  },
  pipelines: {
    feature: [
      { name: "plan", prompt: "prompts/plan.md", check: { type: "fileExists", path: "PLAN.md" } },
      { name: "implement", prompt: "self", check: { type: "shell", command: ["npm", "test"] }, retry: 2 },
    ],
  },
};

/** Left out: a key that is another spelling of one that is set, and the editor's own. */
const LEFT_OUT = ["$schema", "prompt"];

/**
 * A config to start from: JSON with comments, every key with its explanation, made from the schema.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * const text = configTemplate({ provider: "codex", wd: ".", prompt_file: "job.md" });
 * assertStringIncludes(text, '\n  "prompt_file": "job.md",\n');
 * assertStringIncludes(text, '\n    // "max_rounds": 8,\n');
 * ```
 */
export function configTemplate(values: TemplateValues): string {
  const entries = Object.entries(configSchema.shape).filter(([key]) => !LEFT_OUT.includes(key));
  return [
    "// Configuration of panewright. JSON with comments; trailing commas are fine.",
    '// A line such as // "max_rounds": 8 shows a default: remove the slashes to change it.',
    '// Flags go before environment variables, those before this file: see "panewright config show".',
    "{",
    ...entries.flatMap(([key, schema], index) => [...(index === 0 ? [] : [""]), ...topEntry(key, schema, values)]),
    "}",
    "",
  ].join("\n");
}

function topEntry(key: string, schema: z.core.$ZodType, values: TemplateValues): string[] {
  return [...comments(key, schema, "  "), ...body()];

  function body(): string[] {
    const given = (values as unknown as Record<string, unknown>)[key];
    if (given !== undefined) return [`  ${entry(key, given)}`];
    const examples = GROUP_EXAMPLES[key];
    if (examples !== undefined) {
      return group(Object.entries(examples).map(([name, value]) => `    // ${entry(name, value)}`));
    }
    const object = unwrapSchema(schema);
    return object instanceof z.ZodObject
      ? group(Object.entries<z.core.$ZodType>(object.shape).flatMap(([name, inner]) => innerEntry(name, inner)))
      : [`  // ${entry(key, valueOf(key, schema))}`];
  }

  function innerEntry(name: string, schema: z.core.$ZodType): string[] {
    const path = `${key}.${name}`;
    return [...comments(path, schema, "    "), `    // ${entry(name, valueOf(path, schema))}`];
  }

  function group(lines: readonly string[]): string[] {
    return [`  ${JSON.stringify(key)}: {`, ...lines, "  },"];
  }
}

function entry(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${spaced(value)},`;
}

/** What a key means, and below it what it may be and which variable stands for it. */
function comments(path: string, schema: z.core.$ZodType, indent: string): string[] {
  const inner = unwrapSchema(schema);
  const variable = variableOf(path);
  const extras = [
    ...(inner instanceof z.ZodEnum ? [`One of: ${inner.options.join(", ")}.`] : []),
    ...(variable === undefined ? [] : [`Variable: ${variable}.`]),
  ];
  const lines = [z.globalRegistry.get(schema)?.description ?? "", ...(extras.length === 0 ? [] : [extras.join(" ")])];
  return lines.map((line) => `${indent}// ${line}`);
}

function valueOf(path: string, schema: z.core.$ZodType): unknown {
  return schema instanceof z.ZodDefault ? schema.def.defaultValue : EXAMPLES[path];
}

/** JSON on one line. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ").replaceAll("[ ", "[").replaceAll(" ]", "]");
}
