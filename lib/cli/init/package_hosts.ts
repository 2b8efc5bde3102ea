import { lstatOrUndefined } from "../../base/ports/files.ts";
import PACKAGE_HOSTS from "./package_hosts.json" with { type: "json" };

/**
 * The hosts that the package managers of a project install from, by the files in its folder. What these files themselves
 * name is not taken over: they are the project's, and what is let through is the person's choice.
 */
export function packageHostsIn(folder: string): readonly string[] {
  const known: Readonly<Record<string, readonly string[]>> = PACKAGE_HOSTS;
  const there = Object.entries(known).filter(([name]) => lstatOrUndefined(`${folder}/${name}`)?.isFile === true);
  return [...new Set(there.flatMap(([, hosts]) => hosts))];
}
