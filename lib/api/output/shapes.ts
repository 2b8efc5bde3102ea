import * as z from "zod";
import { ROLE_NAME } from "../../base/roles.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";

export function output<Shape extends z.ZodRawShape>(about: string, shape: Shape) {
  return z.object(shape).describe(about);
}

export const text = (about: string) => z.string().describe(about);
export const flag = (about: string) => z.boolean().describe(about);
/** A whole number from 0 on, and of what. */
export const count = (about: string) => z.int().min(0).describe(about);
/** A time, ISO 8601, and of what. */
export const time = (about: string) => z.string().describe(`${about}, ISO 8601.`);

/** One of the five, or one that the configuration of the run makes. */
export const roleName = z.string().regex(ROLE_NAME, "must be the name of a role").describe("The role.");
export const runId = text("The run's id.");
export const status = z.enum(TERMINAL_STATUSES);
export const evidence = z.array(z.object({
  row: z.int().describe("From 0; -1 for what is known besides the rows."),
  text: z.string(),
})).describe("What that rests on.");
export const origin = text("Where a person wrote the rule; missing for one that is built in.").optional();
export const packSource = z.object({
  version: z.string(),
  sha256: text("Of the pack, hexadecimal."),
  key: text("The id of the key that signed it."),
});
