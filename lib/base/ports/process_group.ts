import type { Clock } from "./clock.ts";
import { findMarkedPids, type ProcessMark, stillAlive } from "./end_processes.ts";
import { processesOfCommands } from "./command_processes.ts";
import { listProcesses, type ProcessInfo, processTree } from "./process_table.ts";
import { trySignal, writeInput } from "./process.ts";

export interface ProcessGroupSpec {
  /** Program and arguments; the program is looked up on PATH unless it is a path. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Text for standard input, which is closed after it; without it standard input is empty. */
  readonly stdin?: string;
  /**
   * Leaves standard input open, for {@linkcode ProcessGroup.write}. Such a program is ended by closing it: `stop` does
   * that in place of SIGINT.
   *
   * @default {false}
   */
  readonly keepsStdin?: boolean;
  readonly mark: ProcessMark;
  /** Called with each piece of what it prints, in order. */
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
  readonly clock: Clock;
}

export interface ProcessGroup {
  readonly pid: number;
  /** Resolves to the exit code (128 + n after a signal) as soon as the program itself has ended. */
  readonly ended: Promise<number>;
  /** Resolves when its standard output was closed and all of it delivered: at its end, or before. */
  readonly stdoutEnded: Promise<void>;
  /**
   * Resolves once the program, or the system for it, has taken the bytes.
   *
   * @throws when the program has closed its input, or has none
   */
  write(bytes: Uint8Array): Promise<void>;
  listPids(): Promise<readonly number[]>;
  /** The processes themselves, those that are kept left out. */
  listProcesses(): Promise<readonly ProcessInfo[]>;
  /** Leaves these processes, and what they start, to somebody else: they are not ended any more. */
  keep(processes: readonly ProcessInfo[]): void;
  /**
   * Stands the commands still (SIGSTOP) that these processes are a part of, whatever they do about signals. `stop` kills
   * them as soon as the program has been told to end: one that still worked would take their end for a result.
   */
  freeze(pids: readonly number[]): Promise<void>;
  /**
   * Ends the program and its descendants: SIGINT to the group, or the end of its input, SIGTERM after 1 s, SIGKILL
   * after 3 s. What is left when the program itself has ended gets SIGTERM at once and SIGKILL after 1 s. It may be
   * called at any time, and resolves when all of them have ended and all output has been delivered.
   */
  stop(): Promise<void>;
  /** Kills the group and all known descendants without waiting: the last act before this process exits. */
  killNow(): void;
}

/** Milliseconds from the first signal to the later ones, as in cat-herder. */
const LADDER = { terminateMs: 1000, killMs: 3000, giveUpMs: 5000 } as const;

/** How long what a program left behind has after SIGTERM, before SIGKILL. */
const LEFTOVER_GRACE_MS = 1000;

const LOOK_EVERY_MS = 20;

/** How long a program has to hear that it is to end, before commands of it that stand still are killed. */
const HEARD_MS = 250;

/** How long output may still arrive after all known processes have ended: one may have escaped. */
const OUTPUT_GRACE_MS = 500;

/**
 * Starts a program in a process group of its own.
 *
 * @throws {Deno.errors.NotFound} when there is no such program
 */
export function startProcessGroup(spec: ProcessGroupSpec): ProcessGroup {
  const [program, ...args] = spec.argv;
  const child = new Deno.Command(program, {
    args,
    cwd: spec.cwd,
    env: { ...spec.env, [spec.mark.name]: spec.mark.value },
    stdin: spec.stdin === undefined && !spec.keepsStdin ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const stdout = listen(child.stdout, spec.onStdout);
  const outputs = [stdout, listen(child.stderr, spec.onStderr)];
  const open = spec.keepsStdin ? child.stdin.getWriter() : undefined;
  // Each write reports its own failure.
  open?.closed.catch(() => {});
  const input = spec.stdin === undefined || open ? undefined : writeInput(child.stdin, spec.stdin);
  let hasEnded = false;
  const ended = child.status.then(({ code }) => {
    hasEnded = true;
    return code;
  });
  // A write that the program never takes must not keep its input open.
  const hangUp = open && (() => void open.abort().catch(() => {}));
  const group = new Group(child.pid, { spec, ended, hasEnded: () => hasEnded, hangUp });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await group.end();
    hangUp?.();
    await Promise.all([ended, input, ...outputs.map((output) => output.finish(spec.clock))]);
  };
  return {
    pid: child.pid,
    ended,
    stdoutEnded: stdout.done,
    write: async (bytes) => {
      if (open === undefined) throw new TypeError("Cannot write to a program without an open standard input");
      await open.write(bytes);
    },
    listPids: async () => (await group.find()).map(({ pid }) => pid),
    listProcesses: () => group.find(),
    keep: (processes) => group.keep(processes),
    freeze: (pids) => group.freeze(pids),
    stop: () => stopped ??= stop(),
    killNow() {
      if (!hasEnded) trySignal(-child.pid, "SIGKILL");
      group.killKnown();
    },
  };
}

interface GroupOptions {
  readonly spec: ProcessGroupSpec;
  readonly ended: Promise<number>;
  readonly hasEnded: () => boolean;
  readonly hangUp: (() => void) | undefined;
}

class Group {
  /** Every descendant ever seen: a process whose parent has ended is no longer below the program. */
  readonly #known = new Map<string, ProcessInfo>();
  #latest: readonly ProcessInfo[] = [];
  readonly #frozen = new Map<number, ProcessInfo>();
  #kept: readonly ProcessInfo[] = [];
  /** Whether a look after the program's end has found nothing: nothing can come of nothing. */
  #isGone = false;

  constructor(readonly pid: number, readonly options: GroupOptions) {}

  async find(): Promise<readonly ProcessInfo[]> {
    if (this.#isGone) return [];
    const { hasEnded, spec: { mark } } = this.options;
    const hadEnded = hasEnded();
    const [marked, all] = await Promise.all([findMarkedPids(mark), listProcesses()]);
    // Once the program has ended its id may be given to another, but not while a process of its group lives.
    const isReused = hasEnded() && all.some(({ pid, zombie }) => pid === this.pid && !zombie);
    const inGroup = all.filter(({ groupId }) => groupId === this.pid && !isReused);
    const alive = stillAlive([...this.#known.values()], all);
    const roots = new Set([...marked, ...[...inGroup, ...alive].map(({ pid }) => pid)]);
    for (const root of roots) {
      for (const one of processTree(all, root)) this.#known.set(`${one.pid} ${one.startTime}`, one);
    }
    const kept = new Set(stillAlive(this.#kept, all).flatMap(({ pid }) => processTree(all, pid)).map(({ pid }) => pid));
    this.#latest = stillAlive([...this.#known.values()], all).filter(({ pid }) => !kept.has(pid));
    this.#isGone = hadEnded && this.#latest.length === 0;
    return this.#latest;
  }

  keep(processes: readonly ProcessInfo[]): void {
    this.#kept = [...this.#kept, ...processes];
  }

  /** Kills what the last look found. */
  killKnown(): void {
    for (const { pid } of this.#latest) trySignal(pid, "SIGKILL");
  }

  async freeze(pids: readonly number[]): Promise<void> {
    for (;;) {
      const own = await this.find();
      const some = processesOfCommands(pids, { own, group: this.pid }).filter(({ pid }) => !this.#frozen.has(pid));
      // One that stands still starts nothing, so a look that finds no more is the last.
      if (some.length === 0) return;
      for (const one of some) {
        this.#frozen.set(one.pid, one);
        trySignal(one.pid, "SIGSTOP");
      }
    }
  }

  async #killFrozen(): Promise<void> {
    if (this.#frozen.size === 0) return;
    const left = stillAlive([...this.#frozen.values()], await listProcesses());
    for (const { pid } of left) trySignal(pid, "SIGKILL");
    this.#frozen.clear();
  }

  async end(): Promise<void> {
    if (this.#isGone) return;
    const { clock } = this.options.spec;
    let left = await this.find();
    const startMs = clock.now();
    const hadEnded = this.options.hasEnded();
    if (!hadEnded) {
      if (this.options.hangUp) this.options.hangUp();
      else trySignal(-this.pid, "SIGINT");
      await this.#pause(this.#frozen.size > 0 ? HEARD_MS : LOOK_EVERY_MS);
    } else if (left.length === 0) return;
    await this.#killFrozen();
    let sent: "SIGINT" | "SIGTERM" | "SIGKILL" = "SIGINT";
    let termMs = Infinity;
    for (;;) {
      left = await this.find();
      const nowMs = clock.now() - startMs;
      // However long a look takes on a machine that is busy: none is left that was not killed.
      if (left.length === 0 || sent === "SIGKILL" && nowMs >= LADDER.giveUpMs) return;
      const areLeftovers = hadEnded || !left.some(({ groupId }) => groupId === this.pid);
      const mayTerminate = nowMs >= LADDER.terminateMs || areLeftovers;
      const mayKill = nowMs >= LADDER.killMs || areLeftovers && nowMs - termMs >= LEFTOVER_GRACE_MS;
      if (sent === "SIGINT" && mayTerminate) {
        sent = "SIGTERM";
        termMs = nowMs;
        for (const { pid } of left) trySignal(pid, sent);
      } else if (mayKill) {
        // Again at each look: a process may have started another just before it was killed.
        sent = "SIGKILL";
        for (const { pid } of left) trySignal(pid, sent);
      }
      await this.#pause();
    }
  }

  /** Waits until the next look, or until the program ends. */
  async #pause(ms: number = LOOK_EVERY_MS): Promise<void> {
    const { spec: { clock }, ended, hasEnded } = this.options;
    const wake = new AbortController();
    if (!hasEnded()) ended.then(() => wake.abort());
    await clock.sleep(ms, wake.signal).catch(() => {});
  }
}

interface Listener {
  readonly done: Promise<void>;
  /** Waits for the end of the stream, but not forever; throws what the receiver threw. */
  finish(clock: Clock): Promise<void>;
}

function listen(stream: ReadableStream<Uint8Array>, receive: (bytes: Uint8Array) => void): Listener {
  const reader = stream.getReader();
  let failure: { readonly error: unknown } | undefined;
  const done = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      try {
        if (failure === undefined) receive(next.value);
      } catch (error) {
        // A program whose output nobody reads would block.
        failure = { error };
      }
    }
  })();
  return {
    done,
    async finish(clock) {
      const waited = new AbortController();
      const limit = clock.sleep(OUTPUT_GRACE_MS, waited.signal).then(() => reader.cancel(), () => {});
      await done;
      waited.abort();
      await limit;
      if (failure !== undefined) throw failure.error;
    },
  };
}
