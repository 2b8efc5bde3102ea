import type * as z from "zod";
import { CARD_OUTPUTS } from "./card_outputs.ts";
import { CONFIG_OUTPUTS } from "./config_outputs.ts";
import { FLEET_OUTPUTS } from "./fleet_outputs.ts";
import { EVIDENCE_OUTPUTS } from "./evidence_outputs.ts";
import { REPORT_OUTPUTS } from "./report_outputs.ts";
import { RUN_OUTPUTS } from "./run_outputs.ts";
import { SCREEN_OUTPUTS } from "./screen_outputs.ts";

/** All objects that `--json` prints besides records of journals, by type: their fields without `type` and `v`. */
export const OUTPUTS = {
  ...RUN_OUTPUTS,
  ...CARD_OUTPUTS,
  ...EVIDENCE_OUTPUTS,
  ...CONFIG_OUTPUTS,
  ...SCREEN_OUTPUTS,
  ...REPORT_OUTPUTS,
  ...FLEET_OUTPUTS,
};

export type OutputType = keyof typeof OUTPUTS;

export type OutputFields = { readonly [Type in OutputType]: ReadonlyOf<z.input<typeof OUTPUTS[Type]>> };

type ReadonlyOf<Value> = Value extends readonly (infer Item)[] ? readonly ReadonlyOf<Item>[]
  : Value extends object ? { readonly [Name in keyof Value]: ReadonlyOf<Value[Name]> }
  : Value;

/** What is optional is missing, and never undefined. */
export type Exact<Value> = Value extends object ? { [Name in keyof Value]: Exact<Exclude<Value[Name], undefined>> }
  : Value;
