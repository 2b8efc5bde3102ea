import type { ServeDeps } from "./deps.ts";
import type { Admitted } from "./token.ts";
import { Problem } from "../control/problem.ts";
import { createRate } from "./rate.ts";

export interface Caller {
  /** What tells one client from another: its address; the same for all over a unix socket. */
  readonly client: string;
}

interface Guard {
  /**
   * @returns who asks; undefined without a token that is somebody's
   * @throws {Problem} `wrong_host`, `foreign_origin`, `headers_too_large`, `too_many_requests`
   */
  admit(request: Request, caller: Caller): Promise<Admitted | undefined>;
  unauthorized(request: Request, caller: Caller): Problem;
}

export function createGuard({ hosts, scheme, limits, clock, checkToken }: ServeDeps): Guard {
  const { requestsPerSecond, failuresPerMinute, headerBytes } = limits;
  const requests = createRate({ perSecond: requestsPerSecond, burst: requestsPerSecond * 10 });
  const failures = createRate({ perSecond: failuresPerMinute / 60, burst: failuresPerMinute });
  return {
    async admit(request, { client }) {
      if (sizeOfHead(request) > headerBytes) {
        throw new Problem("headers_too_large", `Cannot read the request: its head has more than ${headerBytes} bytes`);
      }
      requireHost(request, hosts);
      requireOwnOrigin(request, { hosts, scheme });
      const token = tokenOf(request);
      const admitted = token === undefined ? undefined : await checkToken(token);
      // On one machine all clients have one address: those without the token must not use up what the others may ask.
      const asking = admitted === undefined ? client : `${client} with the token of ${admitted.who ?? "its owner"}`;
      const waitMs = requests.take(asking, clock.now());
      if (waitMs > 0) throw tooMany(waitMs);
      return admitted;
    },
    unauthorized(request, { client }) {
      const isWrong = tokenOf(request) !== undefined;
      const waitMs = isWrong ? failures.take(client, clock.now()) : 0;
      if (waitMs > 0) return tooMany(waitMs);
      return new Problem("unauthorized", `Cannot answer: the token is ${isWrong ? "wrong" : "missing"}`, {
        hint: 'Send it as "Authorization: Bearer TOKEN"; "panewright serve" prints the file in which it is.',
        headers: { "WWW-Authenticate": 'Bearer realm="panewright"' },
      });
    },
  };
}

/**
 * The token that a request has: as a bearer's, or as the password of an address (`http://panewright:TOKEN@…`), which is
 * all that some programs take.
 */
function tokenOf({ headers }: Request): string | undefined {
  const [, scheme = "", value = ""] = /^(Bearer|Basic) ([!-~]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (scheme.toLowerCase() !== "basic") return value || undefined;
  try {
    return /^[^:]*:([!-~]+)$/.exec(atob(value))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * A page of another site can make a browser ask this server under a name of its own, once that name leads to this
 * machine: only the server's own names count.
 */
function requireHost(request: Request, hosts: ReadonlySet<string>): void {
  const named = [request.headers.get("host"), new URL(request.url).host].filter((host) => host !== null);
  const wrong = named.find((host) => !hosts.has(host.toLowerCase()));
  if (wrong === undefined) return;
  throw new Problem("wrong_host", `Cannot answer as ${JSON.stringify(wrong)}: the server is not called so`, {
    hint: `It is called ${[...hosts].join(", ")}. Another name: panewright serve --host NAME`,
  });
}

/** Browsers say from which site a request comes; other clients say nothing. */
function requireOwnOrigin(
  { headers }: Request,
  { hosts, scheme }: { readonly hosts: ReadonlySet<string>; readonly scheme: string },
): void {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isOwn = origin === null || [...hosts].some((host) => origin.toLowerCase() === `${scheme}://${host}`);
  // A link on another site may lead to a page, which tells nothing by itself.
  const isNavigation = headers.get("sec-fetch-mode") === "navigate";
  const isForeign = site !== null && !["same-origin", "none"].includes(site) && !isNavigation;
  if (isOwn && !isForeign) return;
  throw new Problem("foreign_origin", "Cannot answer: the request comes from a page of another site");
}

function sizeOfHead({ url, headers }: Request): number {
  let size = url.length;
  for (const [name, value] of headers) size += name.length + value.length + 4;
  return size;
}

function tooMany(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  return new Problem("too_many_requests", `Cannot answer: too many requests; try again in ${seconds} s`, {
    headers: { "Retry-After": String(seconds) },
  });
}
