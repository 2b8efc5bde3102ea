export const LOOPBACK = "127.0.0.1";

export function hostsOf(
  hostname: string | undefined,
  { port, more }: { readonly port: number | undefined; readonly more: readonly string[] },
): ReadonlySet<string> {
  const own = hostname === undefined
    ? ["localhost"]
    : [hostname, ...(hostname === LOOPBACK ? ["localhost"] : [])].map((name) => `${shownHost(name)}:${port}`);
  const named = more.map((name) => port === undefined || /:\d+$/.test(name) ? name : `${name}:${port}`);
  const all = [...own, ...named];
  // The default ports of a scheme are not told.
  const bare = all.filter((name) => /:(?:443|80)$/.test(name)).map((name) => name.replace(/:\d+$/, ""));
  return new Set([...all, ...bare].map((host) => host.toLowerCase()));
}

/** Whether clients can call a server so: a name or an address, with a port or without. */
export function isHost(text: string): boolean {
  return /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text);
}

export function shownHost(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
