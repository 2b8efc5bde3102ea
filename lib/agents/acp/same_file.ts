import { resolve } from "@std/path/posix";
import { realPathSnapshot } from "../../base/ports/real_path.ts";
import type { AgentLaunch } from "../launch_plan.ts";

export function sameFileIn(
  { workdir, env = {} }: Pick<AgentLaunch, "workdir" | "env">,
): (one: string, other: string) => boolean {
  const home = env["HOME"] ?? Deno.env.get("HOME") ?? "~";
  const absolute = (path: string) => resolve(workdir, path.replace(/^~(?=\/|$)/, () => home));
  return (one, other) => {
    const paths = [one, other].map(absolute);
    if (paths[0] === paths[1]) return true;
    const [real, otherReal] = paths.map(realPathSnapshot());
    return real !== undefined && real === otherReal;
  };
}
