import { isObject } from "../../../base/schema.ts";
import { plainRow } from "../../../base/text/ansi.ts";
import { sanitizeLine } from "../../../base/text/sanitize.ts";
import type { AcpReplyError } from "./errors.ts";
import type { RpcError } from "./json_rpc.ts";
import { ACP_OTHER_VERSION, ACP_VERSION } from "./protocol.ts";

const MAX_VERSIONS = 5;

const MAX_CHARACTERS = 500;

export function describeError(error: RpcError): string {
  return `it says "${sanitizeLine(wordsOf(error))}" (error ${error.code})`;
}

/** Says that an agent speaks other versions of the protocol than ours, in words that can follow "Cannot X:". */
export function otherVersionText(versions: readonly number[]): string {
  const known = versions.slice(0, MAX_VERSIONS).join(", ");
  if (known === "") return `it speaks another version of the Agent Client Protocol than ${ACP_VERSION}`;
  return `it speaks version ${known} of the Agent Client Protocol, and not ${ACP_VERSION}`;
}

export function describeRefusal({ rpcCode, reason, data }: AcpReplyError["reply"]): string {
  if (rpcCode !== ACP_OTHER_VERSION) return reason;
  const supported = isObject(data) ? data["supported"] : undefined;
  return otherVersionText(Array.isArray(supported) ? supported.filter((one) => Number.isInteger(one)) : []);
}

/** An agent's own words for an error: several have the details apart. */
export function wordsOf({ message, data }: RpcError): string {
  const details = isObject(data) ? data["details"] ?? data["message"] : data;
  const more = typeof details === "string" && details !== message ? `: ${details}` : "";
  return `${message}${more}`.slice(0, MAX_CHARACTERS);
}

export function safeLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => plainRow(line).trimEnd());
  return lines.flatMap((line) => line.trim() === "" ? [] : sanitizeLine(line.slice(0, MAX_CHARACTERS).toWellFormed()));
}
