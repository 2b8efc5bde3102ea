import { PERMISSION_OFFERS, type PermissionOffer } from "../../config/permission_offers.ts";
import { UsageError } from "../../base/errors.ts";
import { findProvider, hasAcp, PROVIDERS } from "../../agents/mod.ts";
import type { Provider, ProviderId } from "../../agents/provider.ts";
import { systemHost } from "../../base/ports/host.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import { findSandboxObstacle } from "../../sandbox/obstacles.ts";
import { askLine } from "../console/ask_line.ts";
import type { CliIo, TerminalInput } from "../console/command.ts";
import { findProgram } from "../../run/programs.ts";
import { placeIn } from "../preflight/look_context.ts";
import { type InstallHost, installHostsOf } from "./install_hosts.ts";
import { present } from "../../base/schema.ts";
import { isRepository } from "./git_ignore.ts";
import { testFilesText } from "./test_files.ts";
import { testCommandsIn } from "../find_test_command.ts";
import type { FoundTestCommand } from "../usual_test_commands.ts";

export interface InitChoices {
  readonly provider: ProviderId;
  readonly permissions: PermissionOffer;
  /** The command that tests the project; missing where there is none, or none is known. */
  readonly testCommand?: string;
  readonly foundTestCommands: readonly string[];
  /** Which files count as tests; missing where git cannot tell what is there. */
  readonly testFiles?: string;
  /** What a sandbox is to let through for the project's package manager. */
  readonly installHosts: readonly InstallHost[];
}

interface InitFlags {
  readonly provider?: string | undefined;
  readonly permissions?: PermissionOffer | undefined;
  readonly testCommand?: string | undefined;
}

export const NO_TEST_COMMAND = "none";

export async function chooseForInit(
  flags: InitFlags,
  { io, folder, mayAsk }: { readonly io: CliIo; readonly folder: string; readonly mayAsk: boolean },
): Promise<InitChoices> {
  using opened = new DisposableStack();
  let input: TerminalInput | undefined;
  const ask = async (question: string) => {
    input ??= opened.use(io.openTerminalInput());
    const line = await askLine(question, { io, input });
    if (line !== undefined) return line.trim();
    io.stderr("\n");
    throw new UsageError("Cannot ask: the input ended", { hint: NOTHING_WRITTEN });
  };
  const asking = mayAsk ? ask : undefined;
  if (flags.testCommand?.trim() === "") {
    throw new UsageError("Cannot use --test-cmd: it names no command", {
      hint: `A project without tests is --test-cmd ${NO_TEST_COMMAND}.`,
    });
  }
  const provider = flags.provider ?? await chooseProvider(io, asking);
  const permissions = await choosePermissions(flags.permissions, { provider: findProvider(provider), ask: asking, io });
  const found = testCommandsIn(folder);
  const testCommand = flags.testCommand ?? await chooseTestCommand(found, asking);
  const foundTestCommands = found.map(({ command }) => command);
  const installHosts = permissions === "sandbox" ? installHostsOf(folder) : [];
  return {
    provider,
    permissions,
    foundTestCommands,
    installHosts,
    ...present({ testFiles: isRepository(folder) ? await testFilesText(folder, io.signal) : undefined }),
    ...(testCommand === NO_TEST_COMMAND ? {} : { testCommand }),
  };
}

const NOTHING_WRITTEN = "Nothing was written.";

type Ask = ((question: string) => Promise<string>) | undefined;

async function chooseProvider(io: CliIo, ask: Ask): Promise<ProviderId> {
  // What needs a command of its own is for a person who writes the configuration.
  const offered = PROVIDERS.filter(({ cli }) => cli !== undefined);
  const there = offered.filter((each) => isOnPath(each, io));
  const ordered = [...there, ...offered.filter((each) => !there.includes(each) && !hasAcp(each))];
  const first = ordered[0]?.id ?? "";
  if (ask === undefined || there.length === 1) return first;
  const rows = ordered.map((each) => ({
    value: each.id,
    words: there.includes(each) ? each.label : `${each.label} (not on PATH)`,
  }));
  const more = offered.filter((each) => !ordered.includes(each)).length;
  const question = "Which agent CLI should do the work?" +
    (more === 0 ? "" : ` ("panewright agents" lists ${more} more)`);
  return await chooseRow(question, rows, ask) ?? first;
}

async function choosePermissions(
  given: PermissionOffer | undefined,
  { provider: { whole }, ask, io }: { readonly provider: Provider; readonly ask: Ask; readonly io: CliIo },
): Promise<PermissionOffer> {
  if (given !== undefined) return given;
  const holds = whole !== undefined && await canHoldAgents(io);
  const standard: PermissionOffer = holds ? "sandbox" : "allow-list";
  if (ask === undefined) return standard;
  const offers: readonly PermissionOffer[] = [standard, ...PERMISSION_OFFERS.filter((value) => value !== standard)];
  const rows = offers.map((value) => ({ value, words: PERMISSION_WORDS[value] }));
  return await chooseRow("How may agents work unattended?", rows, ask) ?? standard;
}

async function canHoldAgents(io: CliIo): Promise<boolean> {
  const host = systemHost({ PATH: placeIn("/", io, {}).searchPath });
  return await findSandboxObstacle({ host, processRunner: systemProcessRunner, signal: io.signal }) === undefined;
}

const PERMISSION_WORDS: Readonly<Record<PermissionOffer, string>> = {
  "allow-list": `What a list names is accepted; you are asked about the rest.
The list is about what an agent asks for; nothing checks what
an accepted command then does. Works on every machine.`,
  sandbox: `The operating system keeps agents in the working directory,
and to the hosts that are named; inside, all is accepted.
"panewright doctor --sandbox" tries to get out of it.`,
};

async function chooseTestCommand(found: readonly FoundTestCommand[], ask: Ask): Promise<string> {
  const [first, ...others] = found;
  const standard = first?.command ?? NO_TEST_COMMAND;
  // Without the person, nothing tells which of several is meant.
  if (ask === undefined) return others.length > 0 ? NO_TEST_COMMAND : standard;
  const known = found.map(({ command, file }, index) => `  ${index + 1}  ${command} (${file})\n`).join("");
  let question =
    `\nWhich command tests the project? A PASS counts only if this command passes too.\n\n${known}${known && "\n"}` +
    `${found.length === 0 ? "The command" : "A number, or another command"} ("${NO_TEST_COMMAND}" if there is none) ` +
    `[${standard}]: `;
  while (true) {
    const answer = await ask(question);
    if (answer === "") return standard;
    const chosen = found[Number(answer) - 1]?.command;
    if (chosen !== undefined || !/^\d+$/.test(answer)) return chosen ?? answer;
    question = `${wrongNumber(answer, found.length)} [${standard}]: `;
  }
}

async function chooseRow<Value extends string>(
  question: string,
  rows: readonly { readonly value: Value; readonly words: string }[],
  ask: NonNullable<Ask>,
): Promise<Value | undefined> {
  const width = Math.max(...rows.map(({ value }) => value.length));
  const lines = rows.map(({ value, words }, index) =>
    `  ${index + 1}  ${value.padEnd(width)}  ${words.replaceAll("\n", `\n${" ".repeat(width + 7)}`)}\n`
  );
  let prompt = `\n${question}\n\n${lines.join("")}\nYour choice [1]: `;
  while (true) {
    const answer = await ask(prompt);
    if (answer === "") return undefined;
    const chosen = rows.find(({ value }, index) => answer === value || answer === String(index + 1));
    if (chosen !== undefined) return chosen.value;
    prompt = `${wrongNumber(answer, rows.length)} [1]: `;
  }
}

function wrongNumber(answer: string, most: number): string {
  const numbers = Array.from({ length: most }, (_, index) => index + 1);
  return `${JSON.stringify(answer)} is not ${most === 0 ? "a command" : numbers.join(" or ")}. Your choice`;
}

export function chosenAgent(id: ProviderId, io: CliIo): string {
  const provider = findProvider(id);
  return isOnPath(provider, io) ? provider.label : `${provider.label} (not on PATH: install it first)`;
}

function isOnPath({ cli }: Provider, io: CliIo): boolean {
  return cli !== undefined &&
    findProgram(cli.program, placeIn(io.cwd, io)) !== undefined;
}
