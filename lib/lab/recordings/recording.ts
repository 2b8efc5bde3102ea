import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { TERMINAL_STATUSES } from "../../screen/mod.ts";

export interface Recording extends Sidecar {
  readonly name: string;
  readonly ansi: string;
}

const text = z.string().describe("a string");
const number = z.number().describe("a number");
const flag = z.boolean().describe("true or false");

const FIELDS = {
  provider: text,
  version: text,
  /** The true status; the rules never see it. */
  expect: z.enum(TERMINAL_STATUSES).describe(`one of ${TERMINAL_STATUSES.join(", ")}`),
  cols: number,
  rows: number,
  title: text,
  alternate: flag,
  cursor: z.tuple([z.number(), z.number()]).describe("[column, row]"),
  cursorVisible: flag,
  command: text,
  dead: flag,
  /** False if one screen alone cannot show the status. @default {true} */
  alone: flag,
  note: text,
  /** What the open dialog is really about, such as the whole command; the rules never see it. */
  subject: text,
};
type Sidecar = { readonly [K in keyof typeof FIELDS]?: Readonly<z.output<(typeof FIELDS)[K]>> };
const sidecarSchema = z.object(FIELDS).partial();

export function toSidecar(value: unknown, where: string): Sidecar {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`Cannot read ${where}: it is not a JSON object`);
  }
  const parsed = sidecarSchema.safeParse(Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)));
  if (parsed.success) return parsed.data as Sidecar;
  const field = parsed.error.issues[0]?.path[0] as keyof typeof FIELDS;
  throw new UsageError(`Cannot read ${where}: "${field}" must be ${FIELDS[field].description}`);
}

export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Cannot read ${where}: it is not valid JSON`, { cause: error });
  }
}
