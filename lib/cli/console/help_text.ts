import type { ArgumentSpec, CommandEntry, FlagSpec } from "./command.ts";
import { type CommandHelp, listed } from "./help.ts";
import { MAX_COLUMNS, padEnd, twoColumns, wrap } from "./layout.ts";
import { GLOBAL_FLAGS, valueName } from "./parse.ts";

export function renderOverview(entries: readonly CommandEntry[], columns: number): string {
  const width = Math.min(columns, MAX_COLUMNS);
  const longest = Math.max(...listed(entries).map(({ name }) => name.length));
  return lines([
    ...wrap(INTRODUCTION, width),
    "",
    "Usage:",
    '  panewright "TASK" [OPTIONS]    one task, apart from your checkout',
    "  panewright                     your runs: what needs you, works, is done",
    "  panewright COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    ...[...new Set(listed(entries).map(({ group }) => group))].flatMap((group) => {
      const own = listed(entries).filter((entry) => entry.group === group);
      return section(
        `${group}:`,
        twoColumns(own.map(({ name, summary }) => [padEnd(name, longest), summary]), { width }),
      );
    }),
    "Options of every command:",
    ...twoColumns(GLOBAL_FLAGS.map(flagRow), { width }),
    "",
    "Exit codes:",
    ...twoColumns(EXIT_CODES, { width }),
    "",
    ...wrap('Start with a task, or with "panewright init"; "panewright help COMMAND" explains one command.', width),
  ]);
}

export const INTRODUCTION =
  "panewright runs coding agents in their terminals, unattended, to a result that you can trust.";

export function renderCommandHelp(help: CommandHelp, columns: number): string {
  const width = Math.min(columns, MAX_COLUMNS);
  const { name, summary, description, arguments: args, flags, examples } = help;
  return lines([
    `panewright ${name}: ${summary}`,
    "",
    "Usage:",
    `  panewright ${[name, ...args.map(usageOf), "[OPTIONS]"].join(" ")}`,
    "",
    ...description.split(/\n\s*\n/).flatMap((paragraph) => [...wrap(paragraph, width), ""]),
    ...section("Arguments:", twoColumns(args.map((arg) => [arg.name, arg.description]), { width })),
    ...section("Options:", twoColumns(flags.map(flagRow), { width })),
    ...section("Options of every command:", twoColumns(GLOBAL_FLAGS.map(flagRow), { width })),
    ...section(
      "Examples:",
      examples.flatMap((example) =>
        twoColumns([[`panewright ${example.command}`, example.description]], { width, maxLeft: 0 })
      ),
    ),
  ].slice(0, -1));
}

export const EXIT_CODES: readonly (readonly [string, string])[] = [
  ["0", "the work is done and passed"],
  ["1", "the work failed"],
  ["2", "wrong usage or configuration; nothing was started"],
  ["3", "stopped for a decision that only a person can make"],
  ["130, 143", "interrupted by Ctrl-C, by SIGTERM"],
];

function section(title: string, body: readonly string[]): string[] {
  return body.length === 0 ? [] : [title, ...body, ""];
}

export function usageOf(arg: ArgumentSpec): string {
  const name = arg.rest === true ? `${arg.name}…` : arg.name;
  return arg.required === true ? name : `[${name}]`;
}

function flagRow(flag: FlagSpec): readonly [string, string] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "switch" ? "" : ` ${valueName(flag)}`;
  return [`${short}--${flag.name}${value}`, flag.description + (flag.repeatable === true ? " (repeatable)" : "")];
}

function lines(parts: readonly string[]): string {
  return parts.map((part) => `${part}\n`).join("");
}
