/**
 * The folder where panewright keeps what belongs to the person and to no project: `$XDG_STATE_HOME/panewright`, or
 * `~/.local/state/panewright`. `undefined` without a home.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const folder = (values: Record<string, string>) => stateFolder((name) => values[name]);
 * assertEquals(folder({ HOME: "/home/me" }), "/home/me/.local/state/panewright");
 * assertEquals(folder({ HOME: "/home/me", XDG_STATE_HOME: "/state" }), "/state/panewright");
 * assertEquals(folder({ XDG_STATE_HOME: "relative" }), undefined);
 * ```
 */
export function stateFolder(
  env: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string | undefined {
  const [given, home] = [env("XDG_STATE_HOME"), env("HOME")];
  if (given?.startsWith("/")) return `${given}/panewright`;
  return home?.startsWith("/") ? `${home}/.local/state/panewright` : undefined;
}
