import type { Admitted } from "./token.ts";
import type { FollowDeps, ServeContext } from "../operations/context.ts";

export interface ServeLimits {
  /** Connections at the same time; each one more is refused. */
  readonly connections: number;
  /** Requests of one client within a second, over a longer time; it may have saved up ten seconds of them. */
  readonly requestsPerSecond: number;
  readonly failuresPerMinute: number;
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly readMs: number;
  readonly requestMs: number;
  /** Bytes that wait for a client that reads a stream slowly; one that has more is dropped. */
  readonly queueBytes: number;
  readonly heartbeatMs: number;
}

/** The limits that hold unless a test or a flag says otherwise. */
export const DEFAULT_LIMITS: ServeLimits = {
  connections: 256,
  requestsPerSecond: 50,
  failuresPerMinute: 10,
  bodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  readMs: 10_000,
  requestMs: 60_000,
  queueBytes: 1024 * 1024,
  heartbeatMs: 15_000,
};

export interface ServeDeps extends FollowDeps {
  /** @returns undefined for a token of nobody */
  readonly checkToken: (given: string) => Promise<Admitted | undefined>;
  /** What clients may call the server, in lower case: `127.0.0.1:8484`. */
  readonly hosts: ReadonlySet<string>;
  /** How clients reach it: `https` with TLS. */
  readonly scheme: "http" | "https";
  readonly limits: ServeLimits;
  readonly log: (message: string) => void;
}

export type ServerContext = ServeDeps & ServeContext;
