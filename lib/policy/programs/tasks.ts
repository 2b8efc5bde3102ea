import { namesIn, type ShellWord, wordText } from "../../shell/mod.ts";
import DATA from "./programs.json" with { type: "json" };
import { type Operand, type Use, usesOf } from "./use.ts";

const LEAVING = new RegExp(`^(?:pre|post|re|un)?(?:${namesIn(DATA.tasks.leaving).join("|")})(?:s|ing|only|\\d+)?$`);
const INSTALLING = new Set(namesIn(DATA.tasks.installing));
const PREPARING = new Set(namesIn(DATA.tasks.preparing));

/**
 * Tasks and scripts that by their names act beyond the project, as `deploy` and `release:patch` do: an entry must name
 * them. So does one that is not known, or a pattern of names.
 *
 * @param options `installs`: whether `install` puts files into the system, as for make; npm's prepares the project
 */
export function leavingTasks(
  operands: readonly (Operand | undefined)[],
  { installs = false }: { readonly installs?: boolean } = {},
): readonly Use[] {
  const leaving = operands.filter((one) => one !== undefined).filter(({ word }) => leaves(word, installs));
  return usesOf("leaves", leaving).map((use) => ({ ...use, length: Infinity }));
}

function leaves(word: ShellWord, installs: boolean): boolean {
  const name = wordText(word);
  if (word.parts.some(({ type }) => type !== "literal") || word.parts.length === 0 || /[*^$]/.test(name)) return true;
  const parts = name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z\d]+/);
  return parts.some((part, index) =>
    LEAVING.test(part) ||
    (installs && INSTALLING.has(part.replace(/\d+$/, "")) && !PREPARING.has(parts[index + 1] ?? ""))
  );
}
