import { oneLine } from "../../base/text/lines.ts";
import type { ArgumentSpec, FlagSpec } from "./command.ts";
import type { CommandHelp } from "./help.ts";
import { EXIT_CODES, INTRODUCTION, usageOf } from "./help_text.ts";
import { GLOBAL_FLAGS, valueName } from "./parse.ts";

export function renderManPage(help: CommandHelp, version: string): string {
  const { name, summary, description, arguments: args, flags, examples } = help;
  return page(`panewright-${name}`, {
    version,
    summary,
    synopsis: `${bold(`panewright ${name}`)} ${args.map(synopsisOf).concat("[OPTIONS]").join(" ")}`,
    sections: [
      section("DESCRIPTION", description.split(/\n\s*\n/).flatMap((paragraph) => [".PP", line(paragraph)])),
      section("ARGUMENTS", args.flatMap((arg) => item(italic(arg.name), arg.description))),
      section("OPTIONS", flags.flatMap(flagItem)),
      section("OPTIONS OF EVERY COMMAND", GLOBAL_FLAGS.flatMap(flagItem)),
      section(
        "EXAMPLES",
        examples.flatMap((example) => item(bold(`panewright ${example.command}`), example.description)),
      ),
      section("SEE ALSO", [reference("panewright")]),
    ],
  });
}

export function renderOverviewPage(
  commands: readonly Pick<CommandHelp, "name" | "summary">[],
  version: string,
): string {
  return page("panewright", {
    version,
    summary: "drive coding agents in their terminals, unattended",
    synopsis: `${bold("panewright")} COMMAND [ARGUMENTS] [OPTIONS]`,
    sections: [
      section("DESCRIPTION", [line(INTRODUCTION)]),
      section("COMMANDS", commands.flatMap(({ name, summary }) => item(reference(`panewright-${name}`), summary))),
      section("OPTIONS OF EVERY COMMAND", GLOBAL_FLAGS.flatMap(flagItem)),
      section("EXIT STATUS", EXIT_CODES.flatMap(([code, meaning]) => item(bold(code), meaning))),
      section("FILES", FILES.flatMap(([path, meaning]) => item(italic(path), meaning))),
      section("ENVIRONMENT", [line(ENVIRONMENT)]),
    ],
  });
}

const FILES: readonly (readonly [string, string])[] = [
  ["panewright.jsonc", "the configuration, in the working directory"],
  [".panewright/runs/", "the runs of a working directory, a folder each"],
];

const ENVIRONMENT =
  "PANEWRIGHT_ before the name of a setting sets it for a process; docs/configuration.md lists the variables. " +
  "NO_COLOR, FORCE_COLOR and TERM say whether the output is coloured.";

interface PageParts {
  readonly version: string;
  readonly summary: string;
  readonly synopsis: string;
  readonly sections: readonly (readonly string[])[];
}

function page(name: string, { version, summary, synopsis, sections }: PageParts): string {
  const lines = [
    `.TH "${escaped(name.toUpperCase())}" 1 "" "panewright ${escaped(version)}" "panewright"`,
    ".nh",
    ".ad l",
    ...section("NAME", [`${escaped(name)} \\- ${escaped(summary)}`]),
    ...section("SYNOPSIS", [synopsis]),
    ...sections.flat(),
  ];
  return `${lines.join("\n")}\n`;
}

function section(title: string, body: readonly string[]): readonly string[] {
  return body.length === 0 ? [] : [`.SH ${title}`, ...body];
}

function item(term: string, meaning: string): readonly string[] {
  return [".TP", term, line(meaning)];
}

function flagItem(flag: FlagSpec): readonly string[] {
  const names = [...(flag.short === undefined ? [] : [`-${flag.short}`]), `--${flag.name}`].map(bold).join(", ");
  const value = flag.type === "switch" ? "" : ` ${italic(valueName(flag))}`;
  return item(names + value, flag.description + (flag.repeatable === true ? " (repeatable)" : ""));
}

function synopsisOf(arg: ArgumentSpec): string {
  return escaped(usageOf(arg)).replace(escaped(arg.name), italic(arg.name));
}

function reference(name: string): string {
  return `${bold(name)}(1)`;
}

/** A line of text; what stands between backquotes is bold. */
function line(text: string): string {
  const marked = oneLine(text).split("`");
  // An odd number of backquotes marks nothing.
  const parts = marked.length % 2 === 0 ? [marked.join("`")] : marked;
  return parts.map((part, index) => index % 2 === 0 ? escaped(part) : bold(part)).join("").replace(/^(?=[.'])/, "\\&");
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
}

/** A hyphen stays one that a person can copy; quotation marks and accents stay those of a shell. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("'", "\\(aq").replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha").replaceAll("~", "\\(ti").replaceAll("…", "\\&...");
}
