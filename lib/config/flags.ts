import { SETTINGS, type TableEntry } from "./settings_table.ts";

/** A flag that sets a setting, as the command line's parser and help read it. */
export interface ConfigFlag {
  readonly name: string;
  readonly type: "switch" | "string" | "integer" | "number" | "choice";
  readonly choices?: readonly string[];
  readonly placeholder?: string;
  readonly description: string;
}

/** The flags of `panewright run` and `panewright config show` that set a setting. */
export const CONFIG_FLAGS: readonly ConfigFlag[] = SETTINGS.filter(({ job }) => job !== "exec").flatMap(flagsOf);

/** The flag of a setting, if it has one. */
export function flagsOf({ value, flag, description, flagDescription }: TableEntry): ConfigFlag[] {
  if (flag === undefined) return [];
  const { name, placeholder } = flag;
  const sentence = flagDescription ??
    `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, "")}`;
  const given = placeholder === undefined ? {} : { placeholder };
  switch (value.kind) {
    case "switch":
      return [{ name, type: "switch", description: sentence }];
    case "seconds":
      return [{ name, type: "number", placeholder: "N", description: sentence }];
    case "count":
    case "bytes":
      return [{ name, type: "integer", placeholder: "N", description: sentence }];
    case "choice": {
      const choices = value.of.map(String);
      return [{ name, type: "choice", choices, ...given, description: `${sentence}; one of ${choices.join(", ")}` }];
    }
    default:
      return [{ name, type: "string", ...given, description: sentence }];
  }
}
