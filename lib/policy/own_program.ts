import type { ShellWord } from "../shell/mod.ts";

/** Commands of panewright that only tell something, or ask a person, as agents are meant to; `man --to` writes. */
const HARMLESS =
  /^(?:ask|help|version|status|runs|logs|questions|explain|validate|show-roles|doctor|agents|fixtures|schema|completion|complete|man|--help|-h|--version|-V)$/;

const HARMLESS_PAIRS = /^(?:config (?:show|schema)|permissions test|audit (?:show|verify)|sandbox show)$/;

const OWN_NAME = /(?:^|[\\/])panewright(?:@[\w.^~-]+)?(?:\.m?[jt]s|\.exe)?$/i;

const RUNNERS = /^(?:sh|dash|bash|zsh|ksh|node|nodejs|deno|bun|bunx|npx|pnpx|pnpm|npm|yarn|corepack|tsx)$/;

/** Entry points that are called otherwise. */
const OWN_ENTRY = /(?:^|\/)(?:dist\/panewright\.m?js|panewright\/main\.ts)$/;

/**
 * What a command tells panewright to do that only a person may, such as `trust` and `answer`; `undefined` for any other
 * command. A run's agents may ask, and look at what there is.
 */
export function ownCommand(words: readonly ShellWord[]): string | undefined {
  const [first] = words;
  const runs = RUNNERS.test(first?.value?.slice(first.value.lastIndexOf("/") + 1) ?? "");
  const deno = /(?:^|\/)deno$/.test(first?.value ?? "");
  const at = words.findIndex(({ value }, index) => {
    if (value === undefined) return false;
    if (index === 0) return OWN_NAME.test(value);
    return runs && (OWN_NAME.test(value) || OWN_ENTRY.test(value) || (deno && /^(?:\.\/)?main\.ts$/.test(value)));
  });
  if (at === -1) return undefined;
  const rest = words.slice(at + 1);
  const command = rest.findIndex(({ value }) => value === undefined || !value.startsWith("-") || HARMLESS.test(value));
  const name = rest[command];
  // Without a command it shows its help.
  if (name === undefined) return undefined;
  if (name.value === undefined) return name.source;
  if (name.value === "man" && rest.some(({ value }) => value === undefined || /^--to(?:=|$)/.test(value))) return "man";
  // Another program's main.ts has other commands.
  if (words[at]?.value?.endsWith("main.ts") && !COMMANDS.test(name.value)) return undefined;
  const pair = `${name.value} ${rest[command + 1]?.value ?? ""}`;
  return HARMLESS.test(name.value) || HARMLESS_PAIRS.test(pair) ? undefined : name.value;
}

/** The commands that a run's agents may not give. */
const COMMANDS =
  /^(?:run|exec|task|show|evidence|approve|deny|resume|attach|stop|takeover|adopt|clean|workspaces|diff|undo|fork|apply|reply|pr|discard|answer|init|config|trust|permissions|audit|rules|record|fixture|demo|replay-agent|hook|detached|send|report|serve|mcp|notify|submit|worker|fleet|update|sandbox|sandbox-host)$/;
