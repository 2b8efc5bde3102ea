/** The hosts of what a project installs from, by the name that a configuration may give for all of them. */
export const HOST_GROUPS = {
  npm: ["registry.npmjs.org", "registry.yarnpkg.com", "jsr.io", "npm.jsr.io"],
  pypi: ["pypi.org", "files.pythonhosted.org"],
  crates: ["crates.io", "index.crates.io", "static.crates.io"],
  go: ["proxy.golang.org", "sum.golang.org"],
  rubygems: ["rubygems.org", "index.rubygems.org"],
  maven: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
  debian: ["deb.debian.org", "security.debian.org"],
  github: ["github.com", "codeload.github.com", "objects.githubusercontent.com", "raw.githubusercontent.com"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const LABEL = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
const NAME = new RegExp(String.raw`^(?:\*\.)?${LABEL}(?:\.${LABEL})*$`, "i");

/**
 * Why this names no host that a sandbox can let through; `undefined` where it does: `example.org`, `*.example.org`,
 * `example.org:8443`, `127.0.0.1:11434`, or a name of {@linkcode HOST_GROUPS}.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(hostProblem("*.example.org:443"), undefined);
 * assertEquals(hostProblem("https://example.org"), "it is an address of a page: name its host alone");
 * ```
 */
export function hostProblem(text: string): string | undefined {
  if (Object.hasOwn(HOST_GROUPS, text)) return undefined;
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

/** All hosts that these entries name, groups resolved. */
export function hostsOf(entries: readonly string[]): readonly string[] {
  const groups: Readonly<Record<string, readonly string[]>> = HOST_GROUPS;
  return [...new Set(entries.flatMap((entry) => Object.hasOwn(groups, entry) ? groups[entry] ?? [] : [entry]))];
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
