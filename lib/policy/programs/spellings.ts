import type { OptionSpec } from "./use.ts";

/** The names of its table that an option may stand for. */
export type OtherNames = (name: string) => readonly string[];

const SPELLINGS: Readonly<Record<string, (options: readonly OptionSpec[]) => OtherNames>> = {
  // node reads underscores like dashes.
  underscores: () => (name) => name.startsWith("--") && name.includes("_") ? [name.replaceAll("_", "-")] : [],
  dashes: () => withoutDashes,
  loose: loosely,
  none: () => () => [],
};

/** How a program lets its options be spelled, by the name that `programs.json` uses. */
export function otherNamesOf(spelling = "none", options: readonly OptionSpec[]): OtherNames {
  const names = Object.hasOwn(SPELLINGS, spelling) ? SPELLINGS[spelling] : undefined;
  if (names === undefined) throw new TypeError(`There is no spelling ${spelling}`);
  return names(options);
}

/** npm reads "-x", "---x" and "--no-x" like "--x". */
function withoutDashes(name: string): readonly string[] {
  const bare = name.replace(/^-+/, "").replace(/^(?:no-)+/i, "");
  // pnpm takes any setting in this way.
  if (bare.startsWith("config.")) return ["--config.script-shell"];
  return bare.length > 1 && `--${bare}` !== name ? [`--${bare}`] : [];
}

function loosely(options: readonly OptionSpec[]): OtherNames {
  const names = options.filter(({ kind, name }) =>
    kind !== "enters" && kind !== "finds" && kind !== "valued" && name.startsWith("--")
  );
  const spelled = new Map(names.map(({ name }) => [bareName(name), [name]]));
  return (name) => spelled.get(bareName(name)) ?? [];
}

/** The name of a long option without what programs spell differently; what a setting of several parts is a part of. */
function bareName(name: string): string {
  const bare = name.replace(/^--?/, "").replaceAll(/[-_]/g, "").toLowerCase();
  if (/^pooloptions\..*execargv/.test(bare)) return "execargv";
  return /^(outputfile|browser\.provideroptions|alias|execargv)\./.exec(bare)?.[1] ?? bare;
}
