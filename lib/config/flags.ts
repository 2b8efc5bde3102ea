import type { SettingSlice, SettingsOf } from "../base/settings.ts";
import { EVIDENCE_SETTINGS } from "../evidence/settings.ts";
import { SETTINGS, type TableEntry } from "./settings_table.ts";

interface ConfigFlag {
  readonly name: string;
  readonly type: "switch" | "string" | "integer" | "number" | "choice";
  readonly choices?: readonly string[];
  readonly placeholder?: string;
  readonly description: string;
}

export const CONFIG_FLAGS = flagsIn(SETTINGS.filter(({ job }) => job !== "exec"));

export const EXEC_FLAGS = flagsIn(SETTINGS.filter(({ job }) => job === "exec"));

function flagsIn(settings: readonly TableEntry[]): Readonly<Record<string, Omit<ConfigFlag, "name">>> {
  return Object.fromEntries(settings.flatMap(flagsOf).map(({ name, ...flag }) => [name, flag]));
}

export function chosenByFlags<const Slice extends SettingSlice>(
  slice: Slice,
  flags: Readonly<Record<string, unknown>>,
): Partial<SettingsOf<Slice>> {
  const chosen = Object.entries(slice).flatMap(([name, { names, value }]) => {
    const given = names.flag === undefined ? undefined : flags[names.flag.slice(2).split(" ")[0] ?? ""];
    return value.kind !== "choice" ? [] : value.of.filter((choice) => String(choice) === given).map((it) => [name, it]);
  });
  return Object.fromEntries(chosen);
}

/** Of a setting of both jobs, for the commands of `exec`. */
export const STRICT_FLAG = { type: "switch", description: sentenceOf(EVIDENCE_SETTINGS.strict.description) } as const;

/** A setting's description as help has it behind a flag. */
function sentenceOf(description: string): string {
  return `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, "")}`;
}

export function flagsOf({ value, flag, description, flagDescription }: TableEntry): ConfigFlag[] {
  if (flag === undefined) return [];
  const { name, placeholder } = flag;
  const sentence = flagDescription ?? sentenceOf(description);
  const given = placeholder === undefined ? {} : { placeholder };
  switch (value.kind) {
    case "switch":
      return [{ name, type: "switch", description: sentence }];
    case "seconds":
    case "amount":
      return [{ name, type: "number", placeholder: "N", description: sentence }];
    case "count":
    case "bytes":
      return [{ name, type: "integer", placeholder: "N", description: sentence }];
    case "choice": {
      const choices = value.of.map(String);
      const listed = flagDescription !== undefined || placeholder === undefined ? "" : `; one of ${choices.join(", ")}`;
      // What a configuration adds is known once it is read: it judges the value then.
      const type = value.isOpen === true ? "string" : "choice";
      return [{ name, type, choices, ...given, description: `${sentence}${listed}` }];
    }
    default:
      return [{ name, type: "string", ...given, description: sentence }];
  }
}
