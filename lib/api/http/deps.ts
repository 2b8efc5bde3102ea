import type { FollowDeps, ServeContext } from "../operations/context.ts";

/** What one client, and all of them together, may ask of the server. */
export interface ServeLimits {
  /** Connections at the same time; each one more is refused. */
  readonly connections: number;
  /** Requests of one client within a second, over a longer time; it may have saved up ten seconds of them. */
  readonly requestsPerSecond: number;
  /** Wrong tokens of one client within a minute. */
  readonly failuresPerMinute: number;
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Bytes of a request's address and headers. */
  readonly headerBytes: number;
  /** How long a client may take for a request's head, and then for its body. */
  readonly readMs: number;
  /** How long an answer may take that is not a stream. */
  readonly requestMs: number;
  /** Bytes that wait for a client that reads a stream slowly; one that has more is dropped. */
  readonly queueBytes: number;
  /** How often a stream tells that it is alive. */
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

/** What a server is made of. */
export interface ServeDeps extends FollowDeps {
  /** Tells whether the token that a client has given is the right one. */
  readonly checkToken: (given: string) => Promise<boolean>;
  /** What clients may call the server, in lower case: `127.0.0.1:8484`. */
  readonly hosts: ReadonlySet<string>;
  /** How clients reach it: `https` with TLS. */
  readonly scheme: "http" | "https";
  readonly limits: ServeLimits;
  /** Tells the person at the server's terminal something, without a line end. */
  readonly log: (message: string) => void;
}

/** What the parts of a server share. */
export type ServerContext = ServeDeps & ServeContext;
