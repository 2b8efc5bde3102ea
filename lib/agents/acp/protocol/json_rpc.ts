import type { JsonRpcId } from "@agentclientprotocol/sdk";
import { isObject, present } from "../../../base/schema.ts";

/** The message is none that can be read. */
export const PARSE_ERROR = -32700;
/** The message is none that is taken. */
export const INVALID_REQUEST = -32600;
/** There is no such method. */
export const METHOD_NOT_FOUND = -32601;
/** Something else went wrong. */
export const INTERNAL_ERROR = -32603;

/** Whether a value can be the id of a message. */
export function isId(id: unknown): id is JsonRpcId {
  return id === null || typeof id === "string" || typeof id === "number" && Number.isFinite(id);
}

/** The error of a reply, made whole where it is not as JSON-RPC has it; undefined where there is none. */
export function errorOf({ error }: Readonly<Record<string, unknown>>) {
  if (error === undefined || error === null) return undefined;
  const { code, message, data } = isObject(error) ? error : {};
  return {
    code: Number.isInteger(code) ? code as number : INTERNAL_ERROR,
    message: typeof message === "string" ? message : "an error without a message",
    ...present({ data }),
  };
}

/** Which request or reply a message is that begins so, as far as that tells for certain. */
export function readHead(head: string): { readonly id: JsonRpcId; readonly isRequest: boolean } | undefined {
  // Before these names there are no others, so that they are the message's own.
  const [, digits, word = "", name] =
    /^\{(?:"jsonrpc":"2\.0",)?"id":(?:(\d+)|"([^"\\]*)"),"(result|error|method)"/.exec(head) ?? [];
  if (name === undefined) return undefined;
  return { id: digits === undefined ? word : Number(digits), isRequest: name === "method" };
}
