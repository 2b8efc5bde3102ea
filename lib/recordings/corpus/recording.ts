import { PanewrightError } from "../../errors.ts";
import { type ScreenMeta, TERMINAL_STATUSES, type TerminalStatus } from "../../screen/mod.ts";

/** What a recording's sidecar (`NAME.json`) says about the capture beside it (`NAME.ansi` or `NAME.txt`). */
export interface Sidecar extends ScreenMeta {
  readonly provider?: string;
  /** The CLI's version. */
  readonly version?: string;
  /** The truth, never used for deciding. */
  readonly expect?: TerminalStatus;
  /** False where one screen alone cannot tell. @default {true} */
  readonly alone?: boolean;
  readonly note?: string;
  /** What the dialog that is open is really about, such as the whole command; never used for deciding. */
  readonly subject?: string;
}

/** A recorded screen. */
export interface Recording extends Sidecar {
  /** Unique within its folder or pack, such as `idle-fresh-220x50`. */
  readonly name: string;
  /** The capture, ANSI kept. */
  readonly ansi: string;
}

type FieldType = "string" | "number" | "boolean" | "status" | "cursor";

const FIELDS: Readonly<Record<keyof Sidecar, FieldType>> = {
  provider: "string",
  version: "string",
  expect: "status",
  cols: "number",
  rows: "number",
  title: "string",
  alternate: "boolean",
  cursor: "cursor",
  cursorVisible: "boolean",
  command: "string",
  dead: "boolean",
  alone: "boolean",
  note: "string",
  subject: "string",
};

const WANTED: Readonly<Record<FieldType, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  status: `one of ${TERMINAL_STATUSES.join(", ")}`,
  cursor: "[column, row]",
};

function hasType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "status":
      return TERMINAL_STATUSES.some((status) => status === value);
    case "cursor":
      return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "number");
  }
}

/**
 * Checks what was read from a sidecar, and takes from it what is known. `null` counts as missing.
 *
 * @throws {PanewrightError} for a field of the wrong type; it names `where` and the field
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(toSidecar({ expect: "idle", cols: 80 }, "a.json"), { expect: "idle", cols: 80 });
 * ```
 */
export function toSidecar(value: unknown, where: string): Sidecar {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new PanewrightError(`Cannot read ${where}: it holds no JSON object`);
  }
  const sidecar: Record<string, unknown> = {};
  for (const [field, type] of Object.entries(FIELDS)) {
    const found = (value as Record<string, unknown>)[field];
    if (found === undefined || found === null) continue;
    if (!hasType(found, type)) throw new PanewrightError(`Cannot read ${where}: "${field}" must be ${WANTED[type]}`);
    sidecar[field] = found;
  }
  return sidecar;
}

/** Parses JSON from a file that a person may have written. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PanewrightError(`Cannot read ${where}: it is no valid JSON`, { cause: error });
  }
}
