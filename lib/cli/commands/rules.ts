import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand, type FlagValues } from "../console/command.ts";
import { rollback, update } from "../rules/change.ts";
import { listKeys, makeKey, removeKey, trustKey } from "../rules/keys.ts";
import { listRules } from "../rules/list.ts";
import { makePack, showRules } from "../rules/make.ts";

const FLAGS = [
  {
    name: "from",
    type: "string",
    placeholder: "FILE|URL",
    description: "update: the pack, a file or an https address",
  },
  {
    name: "allow-downgrade",
    type: "switch",
    description: "update: also to a pack that is not newer, or that you went back from",
  },
  {
    name: "to-built-in",
    type: "switch",
    description: "rollback: to the built-in rules, of every provider if none is named",
  },
  { name: "yes", type: "switch", description: "trust: without being asked" },
  { name: "list", type: "switch", description: "trust: list the keys that you trust" },
  { name: "remove", type: "string", placeholder: "ID", description: "trust: trust this key no longer" },
  { name: "provider", type: "string", placeholder: "NAME", description: "pack: whose screens the rules are for" },
  {
    name: "screen",
    type: "string",
    placeholder: "FILE",
    description: "pack: layout and rules, as rules show prints them",
  },
  {
    name: "recordings",
    type: "string",
    placeholder: "DIR",
    description: "pack: recorded screens of every class, with the status that each must have",
  },
  {
    name: "pack-version",
    type: "string",
    placeholder: "N.N.N.N",
    description: "pack: its version, higher than that of the panewright that it is for: 0.1.0.1",
  },
  {
    name: "minimum-engine",
    type: "string",
    placeholder: "N.N.N",
    description: "pack: the oldest panewright that can use it; this one if left out",
  },
  { name: "note", type: "string", placeholder: "TEXT", description: "pack: what it is for" },
  { name: "key", type: "string", placeholder: "FILE", description: "pack: the secret key that signs it" },
  { name: "out", type: "string", placeholder: "FILE", description: "pack: the file to write" },
] as const;

type Flag = typeof FLAGS[number]["name"];

const ACTIONS: Readonly<Record<string, { readonly flags: readonly Flag[]; readonly argument?: string }>> = {
  list: { flags: [] },
  update: { flags: ["from", "allow-downgrade"] },
  rollback: { flags: ["to-built-in"], argument: "PROVIDER" },
  show: { flags: [], argument: "PROVIDER" },
  trust: { flags: ["yes", "list", "remove"], argument: "KEYFILE" },
  key: { flags: [], argument: "FILE" },
  pack: {
    flags: ["provider", "screen", "recordings", "pack-version", "minimum-engine", "note", "key", "out"],
  },
};

export const command = defineCommand({
  description:
    "Shows which rules decide what the agents' screens mean, and changes them without a new panewright. Rules " +
    "come in packs: signed files with a version, the oldest panewright that they work with, and recordings that " +
    "they must get right.\n\nrules update installs a pack once everything about it was checked: the signature of " +
    "a key that you trust, its form, the cost of its patterns, a version newer than what you use, its own " +
    "recordings and those that panewright brings. rules rollback goes back to the previous pack, or to the " +
    "built-in rules. Active runs keep their rules.\n\nrules key, rules show and rules pack make packs of your " +
    "own; rules trust says whose packs you use. All of it is kept in $XDG_STATE_HOME/panewright/rules, by " +
    "default below ~/.local/state.\n\nExit codes: 0 done, 1 a download failed, 2 refused, 3 you do not trust the " +
    "key.",
  arguments: [
    {
      name: "ACTION",
      description: `one of ${Object.keys(ACTIONS).join(", ")}; list if left out`,
      choices: Object.keys(ACTIONS),
    },
    { name: "NAME", description: "rollback, show: the provider; trust, key: the file of the key" },
  ],
  flags: FLAGS,
  examples: [
    { command: "rules", description: "the rules in use, and who signed them" },
    { command: "rules trust team-rules.pub", description: "use the packs that this key signs" },
    { command: "rules update --from https://example.com/codex.rules.json", description: "check a pack and install it" },
    { command: "rules rollback codex", description: "go back" },
    { command: "rules show codex", description: "the rules in use, to make a pack of your own with rules pack" },
  ],
  async run({ flags, positionals, global: { json } }, io) {
    const [action = "list", name] = positionals;
    checkAction(action, { flags, name });
    const options = { io, json };
    switch (action) {
      case "update":
        return await update(needed(flags.from, "--from"), {
          ...options,
          allowDowngrade: flags["allow-downgrade"] === true,
        });
      case "rollback":
        return await rollback(name, { ...options, toBuiltIn: flags["to-built-in"] === true });
      case "show":
        return await showRules(needed(name, "PROVIDER"), options);
      case "trust":
        if (flags.list === true) return await listKeys(options);
        if (flags.remove !== undefined) return await removeKey(flags.remove, options);
        return await trustKey(needed(name, "KEYFILE"), { ...options, yes: flags.yes === true });
      case "key":
        return await makeKey(needed(name, "FILE"), options);
      case "pack":
        return await makePack(packParts(flags), options);
      default:
        return await listRules(io, { json });
    }
  },
});

type Given = FlagValues<typeof FLAGS>;

function checkAction(
  action: string,
  { flags, name }: { readonly flags: Given; readonly name: string | undefined },
): void {
  const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (known === undefined) {
    const actions = Object.keys(ACTIONS);
    throw new UsageError(`Cannot do "${action}" with rules${didYouMean(action, actions)}`, {
      hint: `ACTION is one of ${actions.join(", ")}.`,
    });
  }
  const odd = (Object.keys(flags) as Flag[]).find((flag) => !known.flags.includes(flag));
  if (odd !== undefined) throw new UsageError(`Cannot use --${odd} with "rules ${action}"`);
  if (name !== undefined && known.argument === undefined) {
    throw new UsageError(`Cannot use the argument "${name}": "rules ${action}" takes none`);
  }
}

function packParts(flags: Given) {
  return {
    provider: needed(flags.provider, "--provider"),
    screen: needed(flags.screen, "--screen"),
    recordings: needed(flags.recordings, "--recordings"),
    version: needed(flags["pack-version"], "--pack-version"),
    minimumEngine: flags["minimum-engine"],
    note: flags.note,
    key: needed(flags.key, "--key"),
    out: needed(flags.out, "--out"),
  };
}

function needed(value: string | undefined, name: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`Cannot do that with rules: ${name} is missing`, { hint: '"panewright help rules" shows how.' });
}
