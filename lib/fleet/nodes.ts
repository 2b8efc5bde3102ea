import { UsageError } from "../base/errors.ts";
import { isToken } from "./names.ts";

/** Where a server listens. */
export interface ServerNode {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** How far above a server's port the one for the other servers of its cluster is. */
export const ROUTE = 2000;

/**
 * Reads the servers of a cluster, such as `a=10.0.0.1` or `b=127.0.0.1:4223`.
 *
 * @throws {UsageError} for what is none, and for so few that the loss of one stops all
 */
export function readNodes(words: readonly string[], port: number): readonly [ServerNode, ...ServerNode[]] {
  const nodes = words.map((word) => {
    const [, name = "", host = "", own] = /^([^=]+)=(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(word) ?? [];
    const listens = own === undefined ? port : Number(own);
    if (isToken(name) && listens > 0 && listens < 65_536 - ROUTE) return { name, host, port: listens };
    throw new UsageError(`Cannot make the server "${word}": it is not NAME=HOST or NAME=HOST:PORT`);
  });
  const [first, ...others] = nodes;
  if (first !== undefined && others.length >= 2 && new Set(nodes.map(({ name }) => name)).size === nodes.length) {
    return [first, ...others];
  }
  throw new UsageError(
    `Cannot make a cluster of ${words.join(" ")}: it has three servers or more, each with its own name`,
    {
      hint: "With two of them the loss of either stops all. For one server, leave out --node.",
    },
  );
}
