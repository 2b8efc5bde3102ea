import { systemProcessRunner } from "./process.ts";
import { readProc } from "./process_table.ts";

/**
 * The arguments of each of this user's processes, by its id. Where the system joins them by blanks (outside of Linux),
 * or a program has replaced them by a title, they are one text.
 */
export async function listCommandLines(): Promise<ReadonlyMap<number, readonly string[]>> {
  // Arguments end with a zero byte, and so are lines to `-z`; they may have line ends themselves.
  if (Deno.build.os === "linux") return readCmdlines(await readProc("cmdline", ["grep", "-zasH", ""]));
  const { stdout } = await systemProcessRunner.run({
    argv: ["ps", "-ww", "-U", String(Deno.uid() ?? 0), "-o", "pid=,args="],
    ...{ cwd: "/", env: { LC_ALL: "C" }, maxOutputBytes: 16 * 1024 * 1024 },
  });
  const found = stdout.matchAll(/^\s*(?<pid>\d+) (?<args>.*)$/gm);
  return new Map([...found].map(({ groups }) => [Number(groups?.["pid"]), [groups?.["args"] ?? ""]]));
}

/** Reads what `grep -zH ""` prints of files `/proc/PID/cmdline`. Zero bytes behind a title are left out. */
function readCmdlines(text: string): ReadonlyMap<number, readonly string[]> {
  const lines = new Map<number, string[]>();
  for (const entry of text.split("\0")) {
    const [head = "", pid] = /^\/proc\/(\d+)\/cmdline:/.exec(entry) ?? [];
    if (pid === undefined) continue;
    const argv = lines.get(Number(pid)) ?? [];
    lines.set(Number(pid), [...argv, entry.slice(head.length)]);
  }
  return new Map([...lines].map(([pid, argv]) => [pid, argv.slice(0, argv.findLastIndex((word) => word !== "") + 1)]));
}
