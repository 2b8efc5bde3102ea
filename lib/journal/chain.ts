import { sha256 } from "@noble/hashes/sha2.js";
import { sha256Hex } from "../base/text/digest.ts";

/**
 * How lines of a journal are chained: each one names the SHA-256 of the line before, without its end, as `prev`; one that
 * follows lines without a chain, or none, that of all the text before it.
 */
export function hashOfLine(line: Uint8Array): string {
  return sha256(line).toHex();
}

/** What of a line its chain goes by; `undefined` where it is not a record. */
interface ChainedLine {
  readonly prev?: string;
  readonly type?: string;
}

export type ChainVerdict =
  | {
    readonly intact: true;
    readonly lines: number; /** How many lines at the start have no chain. */
    readonly unchained: number;
  }
  | { readonly intact: false; readonly line: number; readonly problem: string };

/**
 * Checks the chain of a journal's text; a last line without its end does not count.
 *
 * Whoever can write the whole file can write a whole chain: it shows what was changed, and proves nothing of who wrote
 * it. What proves that is where the journal lies.
 */
export async function checkJournalChain(text: string): Promise<ChainVerdict> {
  const lines = text.split("\n").slice(0, -1);
  let unchained = 0;
  let before: string | undefined;
  for (const [index, line] of lines.entries()) {
    const broken = (problem: string) => ({ intact: false, line: index + 1, problem }) as const;
    const record = readLine(line);
    if (record === undefined) return broken("is not a record");
    const { prev } = record;
    if (before === undefined) {
      if (prev === undefined) {
        unchained++;
        continue;
      }
      before = await sha256Hex(lines.slice(0, index).map((one) => `${one}\n`).join(""));
    }
    if (prev !== before) {
      return broken(prev === undefined ? "has no hash of the line before" : "does not follow the line before");
    }
    before = await sha256Hex(line);
  }
  return { intact: true, lines: lines.length, unchained };
}

function readLine(line: string): ChainedLine | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === "object" && record !== null && !Array.isArray(record) ? record : undefined;
  } catch {
    return undefined;
  }
}
