import { isObject } from "../base/schema.ts";
import { offeredSettings, type PermissionOffer } from "./permission_offers.ts";
import { isKeyed } from "./source.ts";
import { GROUPS, SETTINGS, type TableEntry } from "./settings_table.ts";

export interface TemplateValues {
  readonly $schema: string;
  readonly provider: string;
  /** The job of a review loop; missing where the config is for steps. */
  readonly prompt_file?: string;
  /** The project's test command of a review loop; missing where none is known. */
  readonly project_test_cmd?: string | readonly string[];
  /** The pipeline of one step; missing where the config is for a review loop. */
  readonly step?: StepTemplate;
  readonly permissions: PermissionOffer;
  /** What a sandbox lets through, as far as it is known. @default {[]} */
  readonly hosts?: readonly string[];
}

export interface StepTemplate {
  /** The command that must pass after it, for `sh -c`; missing where none is known. */
  readonly check: string | undefined;
  readonly args: readonly string[];
}

/** Left out: another spelling of a key that is set. */
const LEFT_OUT = "prompt";

/**
 * A config to start from that has every key: JSON with comments, each with its explanation, made from the settings
 * table. What is not set is a comment with its default.
 */
export function fullTemplate(values: TemplateValues): string {
  const { about, topLevel: offered, permissions } = offeredSettings(values.permissions, {
    full: true,
    hosts: values.hosts,
  });
  const chosen: Chosen = { ...offered, ...(values.step === undefined ? {} : { pipelines: pipelineText(values.step) }) };
  const topLevel = SETTINGS.filter(({ key }) => !key.includes(".") && key !== LEFT_OUT);
  return [
    "// Configuration of panewright. JSON with comments; trailing commas are fine. Relative paths start from this file.",
    '// A line such as // "max_rounds": 8 shows a default: remove the slashes to change it.',
    '// Flags take precedence over environment variables, and those over this file: see "panewright config show".',
    "{",
    ...topLevel.flatMap((
      setting,
      index,
    ) => [...(index === 0 ? [] : [""]), ...topEntry(setting, { ...values, chosen })]),
    ...Object.entries(GROUPS).flatMap(([group, description]) => [
      "",
      `  // ${description}`,
      ...(group === "permissions" ? about.map((line) => `  // ${line}`) : []),
      ...groupOf(
        group,
        SETTINGS.filter(({ key }) => key.startsWith(`${group}.`)).flatMap((setting) => [
          ...comments(setting, "    "),
          groupEntry(setting, { group, chosen: group === "permissions" ? permissions : {} }),
        ]),
      ),
    ]),
    "}",
    "",
  ].join("\n");
}

function pipelineText({ check, args }: StepTemplate): string {
  const checks = check === undefined
    ? [
      "        // Nothing is checked: name the command that must pass after the step, such as",
      '        // { "type": "shell", "command": "npm test" }',
      '        "check": { "type": "none" },',
    ]
    : [
      "        // The command that must pass after the step. While it fails, the step is tried again, and told why.",
      `        "check": { "type": "shell", "command": ${JSON.stringify(check)} },`,
      '        "retry": 2,',
    ];
  return [
    "{",
    '    "main": [',
    "      {",
    '        "name": "work",',
    "        // The step's prompt is the task itself; else a file.",
    '        "prompt": "self",',
    ...(args.length === 0 ? [] : [`        "args": ${oneLine(args)},`]),
    ...checks,
    "      },",
    "    ],",
    "  }",
  ].join("\n");
}

type Chosen = Readonly<Record<string, string>>;

function groupEntry(
  setting: TableEntry,
  { group, chosen }: { readonly group: string; readonly chosen: Chosen },
): string {
  const name = setting.key.slice(group.length + 1);
  const text = chosen[name];
  if (text !== undefined) return `    ${JSON.stringify(name)}: ${text},`;
  return `    ${setting.written !== undefined ? "" : "// "}${entry(name, shownValue(setting))}`;
}

function topEntry(
  setting: TableEntry,
  { chosen, ...values }: TemplateValues & { readonly chosen: Chosen },
): string[] {
  const { key, value, example } = setting;
  const text = chosen[key];
  if (text !== undefined) return [...comments(setting, "  "), `  ${JSON.stringify(key)}: ${text},`];
  const given = (values as unknown as Record<string, unknown>)[key];
  const explained = comments(setting, "  ");
  if (given !== undefined) return [...explained, `  ${entry(key, given)}`];
  // Only what is empty by default may be written empty.
  const isOpen = value.kind === "shape" && "default" in value && isObject(value.default);
  if (!isOpen) return [...explained, `  // ${entry(key, shownValue(setting))}`];
  const lines = Object.entries(example ?? {}).map(([name, inner]) => `    // ${entry(name, inner)}`);
  return [...explained, ...groupOf(key, lines)];
}

function groupOf(key: string, lines: readonly string[]): string[] {
  return [`  ${JSON.stringify(key)}: {`, ...lines, "  },"];
}

function entry(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${oneLine(value)},`;
}

function comments({ value, variables: [variable], description }: TableEntry, indent: string): string[] {
  const extras = [
    ...(value.kind === "choice" ? [`One of: ${value.of.join(", ")}.`] : []),
    ...(variable === undefined ? [] : [`Variable: ${variable}.`]),
  ];
  return [description, ...(extras.length === 0 ? [] : [extras.join(" ")])].map((line) => `${indent}// ${line}`);
}

function shownValue({ written, value, example }: TableEntry): unknown {
  return written !== undefined ? written : "default" in value ? value.default : example;
}

export function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (!isKeyed(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${oneLine(inner)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
