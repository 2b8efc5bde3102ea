import * as z from "zod";
import { screenSchema } from "../../screen/rules_schema.ts";
import type { Recording } from "../recordings/recording.ts";
import { isObject } from "../../base/schema.ts";
import type { ScreenData } from "../../screen/screen_data.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";
import { VERSION } from "../../base/version.ts";
import { isNewer, RULES_VERSION } from "./versions.ts";

export const PACK_FORMAT = 1;

const MAX_RECORDINGS = 10_000;
const MAX_RECORDING_LENGTH = 256 * 1024;

const version = z.string().regex(RULES_VERSION, "must be numbers with dots, such as 0.1.0.1");

const recording = z.strictObject({
  name: z.string().min(1).max(200),
  version: z.string().max(100).optional(),
  expect: z.enum(TERMINAL_STATUSES),
  alone: z.boolean().optional(),
  note: z.string().max(2000).optional(),
  cols: z.int().min(1).max(2000).optional(),
  rows: z.int().min(1).max(2000).optional(),
  title: z.string().max(2000).optional(),
  alternate: z.boolean().optional(),
  cursor: z.tuple([z.number(), z.number()]).optional(),
  cursorVisible: z.boolean().optional(),
  command: z.string().max(200).optional(),
  dead: z.boolean().optional(),
  ansi: z.string().max(MAX_RECORDING_LENGTH),
});

const RECORDING_FIELDS = Object.keys(recording.shape) as readonly (keyof typeof recording.shape)[];

const payloadSchema = z.strictObject({
  format: z.literal(PACK_FORMAT),
  provider: z.string(),
  version,
  minimum_engine: version,
  made_at: z.iso.datetime(),
  note: z.string().max(2000).optional(),
  screen: screenSchema(),
  recordings_sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
});

export type RulesPayload = Omit<z.output<typeof payloadSchema>, "screen"> & { readonly screen: ScreenData };

export function parsePayload(bytes: Uint8Array): RulesPayload {
  const value = jsonOf(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes), "its payload is not JSON");
  requireEngine(value);
  return formed(payloadSchema, value, "it has mistakes") as RulesPayload;
}

export function parseRecordings(text: string): readonly Recording[] {
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length > MAX_RECORDINGS) throw new Error(`it has more than ${MAX_RECORDINGS} recordings`);
  return lines.map((line, index) => {
    const where = `line ${index + 1} of its recordings`;
    return formed(recording, jsonOf(() => line, `${where} is not JSON`), `${where} has mistakes`) as Recording;
  });
}

export function jsonOf(text: () => string, fault: string): unknown {
  try {
    return JSON.parse(text());
  } catch (cause) {
    throw new Error(fault, { cause });
  }
}

export function recordingsText(recordings: readonly Recording[]): string {
  const line = (each: Recording) =>
    `${JSON.stringify(Object.fromEntries(RECORDING_FIELDS.map((name) => [name, each[name]])))}\n`;
  return recordings.map(line).join("");
}

function formed<Schema extends z.ZodType>(schema: Schema, value: unknown, fault: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const lines = issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, message }) => `${path.join(".")}: ${message}`);
  const more = issues.length > lines.length ? [`and ${issues.length - lines.length} more`] : [];
  throw new Error([fault, ...[...lines, ...more].map((line) => `  ${line}`)].join("\n"));
}

const MAX_SHOWN_ISSUES = 10;

/** Comes first: what only a newer version can read must not be told as a mistake. */
function requireEngine(value: unknown): void {
  if (!isObject(value)) throw new Error("its payload is not an object");
  const { format, minimum_engine: minimum } = value;
  if (typeof minimum === "string" && RULES_VERSION.test(minimum) && isNewer(minimum, VERSION)) {
    throw new NewerEngineError(`it needs panewright ${minimum} or newer, and this is ${VERSION}`);
  }
  if (typeof format === "number" && format > PACK_FORMAT) {
    throw new NewerEngineError(`it has the form ${format}, which needs a newer panewright than ${VERSION}`);
  }
}

export class NewerEngineError extends Error {
  override name = "NewerEngineError";
}
