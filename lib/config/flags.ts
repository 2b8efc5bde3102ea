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
export const CONFIG_FLAGS: readonly ConfigFlag[] = SETTINGS.flatMap((setting) =>
  setting.flag === undefined || setting.job === "exec" ? [] : [flagOf(setting, setting.flag)]
);

function flagOf({ value, description }: TableEntry, flag: NonNullable<TableEntry["flag"]>): ConfigFlag {
  if ("sets" in flag) return { name: flag.name, type: "switch", description: flag.description };
  const sentence = `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, "")}`;
  switch (value.kind) {
    case "seconds":
    case "count":
    case "bytes":
      return {
        placeholder: "N",
        ...flag,
        type: value.kind === "seconds" ? "number" : "integer",
        description: sentence,
      };
    case "choice": {
      const choices = value.of.map(String);
      return { ...flag, type: "choice", choices, description: `${sentence}; one of ${choices.join(", ")}` };
    }
    default:
      return { ...flag, type: "string", description: sentence };
  }
}
