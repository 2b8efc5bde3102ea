import { present } from "../base/schema.ts";
import type { Setting, SettingsOf } from "../base/settings.ts";
import type { TableSlice } from "./settings_table.ts";
import { valueAt } from "./source.ts";

/** The values that a configuration has for a slice of the settings table, by their names in code. */
export function settingsIn<Slice extends TableSlice>(config: object, slice: Slice): SettingsOf<Slice> {
  const values = Object.entries<Setting>(slice).map((
    [name, { names }],
  ) => [name, valueAt(config, names.key.split("."))]);
  return present(Object.fromEntries(values)) as SettingsOf<Slice>;
}
