import { type ProcessInfo, processTree } from "./process_table.ts";

/**
 * All processes of the commands that these are a part of. A program gives each of its commands a group of its own, so a
 * command reaches up to the last process that is not in the program's group: what else is in its groups, or below it,
 * belongs to it.
 *
 * @param own all processes of the program and of what it has started
 * @param group the program's own group; what runs in that is no command that can be told from the program
 */
export function processesOfCommands(
  pids: readonly number[],
  { own, group }: { readonly own: readonly ProcessInfo[]; readonly group: number },
): readonly ProcessInfo[] {
  const byPid = new Map(own.filter(({ groupId }) => groupId !== group).map((one) => [one.pid, one]));
  const found = new Map<number, ProcessInfo>();
  for (const pid of pids) {
    let top = byPid.get(pid);
    for (let above = top; above !== undefined; above = byPid.get(above.parentPid)) top = above;
    if (top === undefined) continue;
    const { groupId } = top;
    const roots = [top, ...[...byPid.values()].filter((one) => one.groupId === groupId)];
    for (const one of roots.flatMap((root) => processTree(own, root.pid))) found.set(one.pid, one);
  }
  return [...found.values()];
}
