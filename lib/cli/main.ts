import { COLOR_CHOICES, type ColorChoice, colorsOf } from "./console/color.ts";
import type { CliIo, Command, CommandEntry, GlobalFlags } from "./console/command.ts";
import { COMMANDS, findCommand, findEntry } from "./command_table.ts";
import { checkPositionals, commandIndex, GLOBAL_FLAGS, parseFlags } from "./console/parse.ts";
import type { RenderErrorOptions } from "./console/render_error.ts";
import { outputLine } from "../api/output/line.ts";

export async function runCli(argv: readonly string[], given: CliIo): Promise<number> {
  const isElsewhere = given.env("GITHUB_ACTIONS") === undefined;
  const io = isElsewhere ? given : (await import("./console/actions_io.ts")).actionsIo(given);
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const reason = io.signal.aborted ? io.signal.reason : error;
    const { renderError } = await import("./console/render_error.ts");
    const rendered = await renderError(reason, renderOptions(argv, io));
    if (hasFlag(argv, "--json")) io.stdout(outputLine("error", rendered.json));
    io.stderr(rendered.text);
    return rendered.exitCode;
  }
}

async function dispatch(argv: readonly string[], io: CliIo): Promise<number> {
  const nameAt = commandIndex(argv);
  const leading = parseFlags(nameAt === -1 ? argv : argv.slice(0, nameAt), GLOBAL_FLAGS).values;
  const name = argv[nameAt];
  if (name === undefined) {
    if (leading["version"] === true) return await runEntry(findCommand("version"), { args: [], leading }, io);
    const asked = leading["help"] === true;
    if (asked) return await runEntry(findCommand("help"), { args: [], leading: { json: leading["json"] } }, io);
    const { listCards } = await import("./list_cards.ts");
    if (await listCards(io, globalFlags(leading, io))) return 0;
    const { renderOverview } = await import("./console/help_text.ts");
    io.stderr(renderOverview(COMMANDS, io.columns()));
    return 2;
  }
  const { entry, isTask } = await findEntry(name, io);
  return await runEntry(entry, { args: argv.slice(isTask ? nameAt : nameAt + 1), leading }, io);
}

interface Rest {
  readonly args: readonly string[];
  readonly leading: Readonly<Record<string, unknown>>;
}

async function runEntry(entry: CommandEntry, rest: Rest, io: CliIo): Promise<number> {
  const { command } = await entry.load();
  const { values, positionals } = parseFlags(rest.args, [...command.flags, ...GLOBAL_FLAGS]);
  const given = { ...rest.leading, ...values };
  if (given["help"] === true) {
    return await runEntry(findCommand("help"), { args: [entry.name], leading: { json: given["json"] } }, io);
  }
  if (given["version"] === true && entry.name !== "version") {
    return await runEntry(findCommand("version"), { args: [], leading: given }, io);
  }
  checkPositionals(positionals, command.arguments, { command: entry.name });
  return await command.run({ flags: ownFlags(command, values), positionals, global: globalFlags(given, io) }, io);
}

function ownFlags(command: Command, values: Readonly<Record<string, unknown>>): Record<string, never> {
  const own = command.flags.map((flag) => flag.name).filter((name) => name in values);
  return Object.fromEntries(own.map((name) => [name, values[name]])) as Record<string, never>;
}

function globalFlags(given: Readonly<Record<string, unknown>>, io: CliIo): GlobalFlags {
  const choice = given["no-color"] === true ? "never" : given["color"] as ColorChoice | undefined;
  return {
    json: given["json"] === true,
    quiet: given["quiet"] === true,
    verbose: given["verbose"] === true,
    color: colorsOf(choice ?? "auto", io),
  };
}

export function renderOptions(argv: readonly string[], io: CliIo): RenderErrorOptions {
  const next = hasFlag(argv, "--color") ? argv[argv.indexOf("--color") + 1] : undefined;
  const named = COLOR_CHOICES.find((choice) => hasFlag(argv, `--color=${choice}`) || next === choice);
  const choice = hasFlag(argv, "--no-color") ? "never" : named ?? "auto";
  return { verbose: hasFlag(argv, "--verbose", "-v"), color: colorsOf(choice, io).stderr, columns: io.columns() };
}

/** For errors, which may come before the arguments are parsed: none of these flags can be another flag's value. */
function hasFlag(argv: readonly string[], ...names: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).some((arg) => names.includes(arg));
}
