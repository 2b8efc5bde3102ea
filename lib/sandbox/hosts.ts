const LABEL = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
const NAME = new RegExp(String.raw`^(?:\*\.)?${LABEL}(?:\.${LABEL})*$`, "i");

/**
 * Why this names no host that a sandbox can let through; `undefined` where it does: `example.org`, `*.example.org`,
 * `example.org:8443` or `127.0.0.1:11434`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(hostProblem("*.example.org:443"), undefined);
 * assertEquals(hostProblem("https://example.org"), "it is an address of a page: name its host alone");
 * ```
 */
export function hostProblem(text: string): string | undefined {
  if (/:\/\/|\//.test(text)) return "it is an address of a page: name its host alone";
  const { host, port } = splitHost(text);
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535)) {
    return `"${port}" is no port`;
  }
  if (/^\*(?:\.[^.]*)?$/.test(host)) return "it stands for every host";
  if (/^\[[0-9a-f:.]+\]$/i.test(host)) return undefined;
  if (!NAME.test(host)) return "it is no name of a host";
  return isLoopback(host) && port === undefined
    ? "a host of this machine needs a port: its other ones stay shut"
    : undefined;
}

function splitHost(text: string): { readonly host: string; readonly port: string | undefined } {
  const [, host = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  return { host, port };
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/i.test(host);
}

/** The ports of this machine among hosts: programs reach them directly, not by a proxy. */
export function loopbackPorts(hosts: readonly string[]): readonly number[] {
  return [...new Set(hosts.map(splitHost).flatMap(({ host, port }) => isLoopback(host) && port ? [Number(port)] : []))];
}

/** `host:port` of an address that a client is told to use, as `OPENAI_BASE_URL`; `undefined` where it is none. */
export function hostOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, port, protocol } = new URL(text);
  if (hostname === "") return undefined;
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}
