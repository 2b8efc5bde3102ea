import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand, type FlagValues, switchFlag, textFlag } from "../console/command.ts";
import { rollback, update } from "../rules/change.ts";
import { listKeys, makeKey, removeKey, trustKey } from "../rules/keys.ts";
import { listRules } from "../rules/list.ts";
import { makePack, showRules } from "../rules/make.ts";

const FLAGS = {
  from: textFlag("FILE|URL", "update: the pack, a file or an https address"),
  "allow-downgrade": switchFlag("update: also to a pack that is not newer, or that you went back from"),
  "to-built-in": switchFlag("rollback: to the built-in rules, of every provider if none is named"),
  yes: switchFlag("trust: without being asked"),
  list: switchFlag("trust: list the keys that you trust"),
  remove: textFlag("ID", "trust: trust this key no longer"),
  provider: textFlag("NAME", "pack: whose screens the rules are for"),
  screen: textFlag("FILE", "pack: layout and rules, as rules show prints them"),
  recordings: textFlag("DIR", "pack: recorded screens of every class, with the status that each must have"),
  "pack-version": textFlag("N.N.N.N", "pack: its version, higher than that of the panewright that it is for: 0.1.0.1"),
  "minimum-engine": textFlag("N.N.N", "pack: the oldest panewright that can use it; this one if left out"),
  note: textFlag("TEXT", "pack: what it is for"),
  key: textFlag("FILE", "pack: the secret key that signs it"),
  out: textFlag("FILE", "pack: the file to write"),
};

type Flag = keyof typeof FLAGS;

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
  arguments: [
    {
      name: "ACTION",
      description: `one of ${Object.keys(ACTIONS).join(", ")}; list if left out`,
      choices: Object.keys(ACTIONS),
    },
    { name: "NAME", description: "rollback, show: the provider; trust, key: the file of the key" },
  ],
  flags: FLAGS,
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
