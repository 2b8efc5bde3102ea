import type { JsonRpcId } from "@agentclientprotocol/sdk";
import { isObject, present } from "../../../base/schema.ts";

export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

export type RpcReply = { readonly result: unknown } | { readonly error: RpcError };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export function isId(id: unknown): id is JsonRpcId {
  return id === null || typeof id === "string" || typeof id === "number" && Number.isFinite(id);
}

export function readReply({ error, result }: Readonly<Record<string, unknown>>): RpcReply {
  if (error === undefined || error === null) return { result };
  const { code, message, data } = isObject(error) ? error : {};
  return {
    error: {
      code: Number.isInteger(code) ? code as number : RPC_CODES.internalError,
      message: typeof message === "string" ? message : "an error without a message",
      ...present({ data }),
    },
  };
}

export function readHead(head: string): { readonly id: JsonRpcId; readonly isRequest: boolean } | undefined {
  // Before these names there are no others, so that they are the message's own.
  const [, digits, word = "", name] =
    /^\{(?:"jsonrpc":"2\.0",)?"id":(?:(\d+)|"([^"\\]*)"),"(result|error|method)"/.exec(head) ?? [];
  if (name === undefined) return undefined;
  return { id: digits === undefined ? word : Number(digits), isRequest: name === "method" };
}
