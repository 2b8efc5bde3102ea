import { arithmeticNames, type ShellVariable, valueNames } from "../shell/mod.ts";
import { carriesText, changesCommands, isShellInteger } from "./variables.ts";

interface Evaluation {
  readonly variables: readonly ShellVariable[];
  readonly arithmetic: readonly string[];
}

/**
 * The expressions of a text that may do more than count: shells run the commands in a subscript, also where it comes
 * out of a variable's value, and an expression may set a variable such as `PATH`. What the text does not set is taken
 * to be a number.
 */
export function unprovenArithmetic({ variables, arithmetic }: Evaluation): readonly string[] {
  const users = new Map<string, string[]>();
  const unsafe: string[] = [];
  const evaluated: { readonly source: string; readonly names: readonly string[] | undefined }[] = [];
  for (const { name, values } of variables) {
    const names = values === undefined ? [undefined] : values.map(valueNames);
    if (names.includes(undefined)) unsafe.push(name);
    for (const used of names.flatMap((one) => one ?? [])) {
      const known = users.get(used);
      if (known === undefined) users.set(used, [name]);
      else known.push(name);
    }
    if (isShellInteger(name)) evaluated.push({ source: name, names: [name] });
  }
  const reached = new Set(unsafe);
  for (const used of users.keys()) if (carriesText(used)) reached.add(used);
  for (const name of reached) for (const user of users.get(name) ?? []) reached.add(user);
  for (const source of arithmetic) evaluated.push({ source, names: arithmeticNames(source) });
  const unproven = (name: string) =>
    reached.has(name) || carriesText(name) || changesCommands({ name, value: undefined, handed: false });
  return evaluated
    .filter(({ names }) => names?.some(unproven) ?? true)
    .map(({ source }) => source);
}
