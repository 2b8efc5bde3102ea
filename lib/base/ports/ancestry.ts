import { present } from "../schema.ts";
import { ASK_CHANNEL_VARIABLE, CHECK_VARIABLE, PANE_MARK_VARIABLE, ROLE_VARIABLE } from "./marks.ts";
import { type ProcessRunner, systemProcessRunner } from "./process.ts";
import { listProcesses, type ProcessInfo } from "./process_table.ts";

/** A process of a chain, as the system told it when it was looked at. */
export interface Ancestor extends Pick<ProcessInfo, "pid" | "startTime"> {
  /** What it calls itself; empty where that is not told. */
  readonly name: string;
  /** Its program, where it is this user's to see. */
  readonly program?: string;
}

/** Where a process comes from, as far as the system tells. */
export interface Ancestry {
  /** The boot and the process namespace in which ids and times have their meaning; empty where that is not told. */
  readonly place: string;
  /** The process itself, and all above it, the nearest first. */
  readonly chain: readonly Ancestor[];
  /** Who adopts what is left of its children, and of all others below that: pid 1, or a nearer one. */
  readonly adopter: number;
  /** The process that leads its session. */
  readonly session: number;
  /** Whether the last of the chain has no parent here, and is not the first process: it was put into this container. */
  readonly isFromOutside: boolean;
  /** Whether one of the chain has a run's mark in its environment. */
  readonly isMarked: boolean;
  readonly terminal?: string;
}

const PLACE = 'read -r t </proc/sys/kernel/random/boot_id; echo "$t"; readlink /proc/self/ns/pid';

/** The parent of this shell alone: most of {@linkcode LOOK} starts programs, and takes four times as long. */
const LOOK_AT_SELF = `${PLACE}; printf '\\n\\n\\n'; cat /proc/$PPID/stat`;

/**
 * Each process from the parent of this shell on, with its mark; the place; the terminal; and at last the parent that an
 * orphan gets: nothing else tells who adopts.
 */
const LOOK = `
o=$$ p=$PPID
${PLACE}
for f in 0 1 2; do t=$(readlink /proc/$p/fd/$f); case $t in /dev/pts/*|/dev/tty*) break;; esac; t=; done; echo "$t"
while [ "$p" -gt 0 ] && l=$(cat "/proc/$p/stat"); do
  m=; tr '\\0' '\\n' <"/proc/$p/environ" | grep -qE "$1" && m=marked
  printf '%s\\n%s\\n%s\\n' "$m" "$(readlink "/proc/$p/exe")" "$l"
  set -- "$1" \${l##*) }; p=$3
done
{ while read -r _ _ _ a _ </proc/self/stat && [ "$a" = "$o" ]; do :; done; echo "$a"; } &`;

const MARKS = `^(${[PANE_MARK_VARIABLE, ASK_CHANNEL_VARIABLE, CHECK_VARIABLE, ROLE_VARIABLE].join("|")})=`;

/** Programs of the system come first: an agent may have set PATH. */
const PATH = "/usr/bin:/bin";

interface LookOptions {
  readonly runner?: ProcessRunner;
}

/** Where this process comes from. Elsewhere than on Linux environments, places and adopters are not told. */
export async function lookAtAncestry({ runner = systemProcessRunner }: LookOptions = {}): Promise<Ancestry> {
  return await look(LOOK, runner);
}

/** This process alone: the first of its chain, and the place. */
export async function lookAtSelf(
  { runner = systemProcessRunner }: LookOptions = {},
): Promise<Pick<Ancestry, "place" | "chain">> {
  const { place, chain } = await look(LOOK_AT_SELF, runner);
  return { place, chain: chain.slice(0, 1) };
}

async function look(script: string, runner: ProcessRunner): Promise<Ancestry> {
  if (Deno.build.os !== "linux") return chainIn(await listProcesses(runner));
  const own = Deno.env.get("PATH");
  const env = { PATH: own === undefined ? PATH : `${PATH}:${own}` };
  const { stdout } = await runner.run({ argv: ["/bin/sh", "-c", script, "sh", MARKS], cwd: "/", env, clearEnv: true });
  return parseAncestry(stdout);
}

/** Reads what {@linkcode LOOK} prints. What cannot be read proves nothing. */
export function parseAncestry(printed: string): Ancestry {
  const [boot = "", namespace = "", terminal = "", ...rows] = printed.trimEnd().split("\n");
  const chain: Ancestor[] = [];
  let [session, parent, isMarked] = [0, 0, false];
  for (let row = 0; row + 2 < rows.length; row += 3) {
    const [mark, program = "", stat = ""] = rows.slice(row);
    const [, pid = "", name = "", rest = ""] = /^(\d+) \((.*)\) (.*)$/.exec(stat) ?? [];
    const [, parentPid, , sessionId, ...fields] = rest.split(" ");
    const startTime = fields[15];
    if (startTime === undefined) break;
    chain.push({ pid: Number(pid), name, startTime, ...(program === "" ? {} : { program }) });
    if (chain.length === 1) session = Number(sessionId);
    parent = Number(parentPid);
    isMarked ||= mark === "marked";
  }
  const adopter = rows.length % 3 === 1 ? Number(rows.at(-1)) : 0;
  const isFromOutside = chain.length > 0 && parent === 0 && chain.at(-1)?.pid !== 1;
  return {
    ...{ place: `${boot} ${namespace}`, chain, adopter, session, isFromOutside, isMarked },
    ...present({ terminal: terminal === "" ? undefined : terminal }),
  };
}

function chainIn(all: readonly ProcessInfo[]): Ancestry {
  const chain: Ancestor[] = [];
  for (let pid = Deno.pid; pid > 0;) {
    const one = all.find((other) => other.pid === pid);
    if (one === undefined || chain.some((other) => other.pid === pid)) break;
    chain.push({ pid, startTime: one.startTime, name: "" });
    pid = one.parentPid;
  }
  return { place: "", chain, adopter: 1, session: 0, isFromOutside: false, isMarked: false };
}
