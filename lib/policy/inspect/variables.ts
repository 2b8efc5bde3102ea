import type { ShellCommand, ShellVariable, ShellWord } from "../../shell/mod.ts";
import { secretPart } from "../protected_paths.ts";
import { changesCommands } from "../variables.ts";
import { checkRead } from "./files.ts";
import type { Doubt, Here, Inspection } from "./inspection.ts";

export function inspectAssignments(command: ShellCommand, { here, context }: Here): void {
  const { assignments, words } = command;
  const unless = { words: [...assignments.map(({ word }) => word), ...words], folders: here.folders };
  for (const { name, word, elements = [] } of assignments) {
    const values = [valueOf(word), ...elements.map(({ parts }) => parts)];
    // "IFS= read -r line": the shell takes it for this one read.
    const separatesLine = name === "IFS" && words[0]?.value === "read" && word.value !== undefined;
    if (separatesLine) context.variables.push({ name, values });
    else inspectVariable({ name, values }, { handed: words.length > 0, unless }, context);
  }
}

export function valueOf({ parts }: ShellWord): ShellWord["parts"] {
  const at = parts.findIndex(({ text }) => text.includes("="));
  const part = parts[at];
  return part === undefined
    ? parts
    : [{ ...part, text: part.text.slice(part.text.indexOf("=") + 1) }, ...parts.slice(at + 1)];
}

export function inspectVariable(
  variable: ShellVariable,
  { handed, unless }: { readonly handed: boolean; readonly unless?: Doubt["unless"] },
  { variables, doubts, violations }: Inspection,
): void {
  variables.push(variable);
  if (variable.name === "PANEWRIGHT_TRUST") {
    violations.push({ rule: "panewright", message: "it sets PANEWRIGHT_TRUST, which trusts a configuration" });
  }
  const { name, values } = variable;
  const [value] = values ?? [];
  const literal = values?.length === 1 && value?.every(({ type }) => type === "literal");
  const text = literal ? value?.map((part) => part.text).join("") : undefined;
  if (!changesCommands({ name, value: text, handed })) return;
  doubts.push({
    message: `it sets ${name}, which changes what other commands do`,
    ...(unless === undefined ? {} : { unless: { ...unless, naming: `${name}=` } }),
  });
}

export function checkAssigned(word: ShellWord, { here, context }: Here): void {
  const value = word.value?.slice(word.value.indexOf("=") + 1);
  if (value === undefined) return;
  const secret = secretPart(value);
  if (secret !== undefined) context.guarded.push(`it names ${value}, and ${secret} is secret`);
  else if (/^(?:\/|~\/|\.\.(?:\/|$))/.test(value)) checkRead({ word, path: value }, "a variable", { here, context });
}
