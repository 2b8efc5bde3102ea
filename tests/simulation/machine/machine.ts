import { createHash } from "node:crypto";
import { createRandom, type Random } from "../../support/random.ts";
import { MemoryFiles, noSpace, type OpenFile } from "./files.ts";
import { type Program, Programs } from "./programs.ts";
import { Tmux } from "./tmux.ts";
import { NightTime } from "./time.ts";

/** What the process of panewright meets that was killed: nothing of it goes on. */
export class Killed extends Error {
  override name = "Killed";
}

/** A call of panewright's to the machine. */
export interface PortCall {
  /** Counted over all processes of a night, from 1. */
  readonly number: number;
  readonly name: string;
  readonly path: string;
  readonly writes: boolean;
}

/** What happens at a call. */
export type PortFault = "kill" | "full_disk" | undefined;

const HOME = "/night/home";

/** The variables of a night. */
const VARIABLES: Readonly<Record<string, string>> = {
  HOME,
  PATH: "/usr/bin:/bin",
  USER: "ada",
  LANG: "C.UTF-8",
  XDG_STATE_HOME: "/night/state",
};

/** Whether an error comes from the end of the process itself. */
function isOfKilled(error: unknown): boolean {
  if (error instanceof Killed || String(error).includes("the process was killed")) return true;
  return error instanceof Error && error.cause !== undefined && isOfKilled(error.cause);
}

/** A promise of a process that is gone. */
const never = () => new Promise<never>(() => {});

/**
 * The machine of one night: time, files, programs and chance, in place of Deno's own. It is the only thing that
 * panewright's code meets; nothing of it is real.
 */
export class Machine {
  readonly time = new NightTime();
  readonly files = new MemoryFiles(() => this.time.wall());
  readonly programs: Programs;
  readonly tmux = new Tmux(() => this.programs);
  readonly #chance: Random;
  calls = 0;
  /** Whether the process of panewright was killed. */
  isDead = false;
  /** Told of what became of promises that nobody waited for. */
  onUnhandled: (error: unknown) => void = () => {};
  /** Told of what was thrown where nobody can catch it, which ends a process. */
  onCrash: (error: unknown) => void = () => {};

  constructor(
    { seed, programs, onCall }: {
      readonly seed: number;
      readonly programs: ReadonlyMap<string, Program>;
      readonly onCall: (call: PortCall) => PortFault;
    },
  ) {
    this.#chance = createRandom(seed ^ 0x5eed);
    this.programs = new Programs(this.time, new Map([...programs, ["tmux", this.tmux.program], ["sleep", () => {}]]));
    this.onCall = onCall;
  }

  readonly onCall: (call: PortCall) => PortFault;

  /** Every call of panewright's to the machine comes through here. */
  #port(
    name: string,
    path: string,
    { writes = false, torn }: { readonly writes?: boolean; readonly torn?: () => void } = {},
  ) {
    if (this.isDead) throw new Killed("the process was killed");
    const fault = this.onCall({ number: ++this.calls, name, path, writes });
    if (fault === "kill") {
      torn?.();
      this.isDead = true;
      throw new Killed("the process was killed");
    }
    if (fault === "full_disk" && writes) throw noSpace();
  }

  /** A process of panewright begins. */
  begin(): void {
    this.isDead = false;
    this.programs.beginSelf();
  }

  /** The process of panewright has ended, by itself or not: nothing of it goes on. */
  end(): void {
    this.isDead = true;
    this.time.dropTimers();
    this.files.closeAll();
    this.programs.orphanAll();
  }

  /** Takes the place of what Deno has, until disposal. */
  install(): Disposable {
    const undo: (() => void)[] = [];
    const put = (target: object, name: string, value: unknown) => {
      const before = Object.getOwnPropertyDescriptor(target, name);
      Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
      undo.push(() => {
        if (before === undefined) Reflect.deleteProperty(target, name);
        else Object.defineProperty(target, name, before);
      });
    };
    this.#installFiles(put);
    this.#installTime(put);
    this.#installChance(put);
    put(Deno, "Command", this.#command());
    put(Deno, "kill", (pid: number, signal: Deno.Signal = "SIGTERM") => {
      this.#port("kill", String(pid));
      this.programs.kill(pid, signal);
    });
    put(Deno, "env", {
      get: (name: string) => VARIABLES[name],
      has: (name: string) => Object.hasOwn(VARIABLES, name),
      toObject: () => ({ ...VARIABLES }),
      set: () => {},
      delete: () => {},
    });
    put(Deno, "uid", () => 1000);
    // Errors of the machine are many, and few of them are looked at.
    put(Error, "stackTraceLimit", 12);
    put(Deno, "mainModule", "file:///usr/lib/panewright.mjs");
    put(Deno, "execPath", () => "/usr/bin/deno");
    put(Deno, "makeTempDir", async ({ dir = "/tmp", prefix = "" }: Deno.MakeTempOptions = {}) => {
      const path = `${dir}/${prefix}${crypto.randomUUID().slice(0, 8)}`;
      await Deno.mkdir(path, { recursive: true });
      return path;
    });
    const onRejection = (event: PromiseRejectionEvent) => {
      event.preventDefault();
      if (!this.isDead && !isOfKilled(event.reason)) this.onUnhandled(event.reason);
    };
    globalThis.addEventListener("unhandledrejection", onRejection);
    undo.push(() => globalThis.removeEventListener("unhandledrejection", onRejection));
    const onError = (event: ErrorEvent) => {
      event.preventDefault();
      if (!this.isDead && !isOfKilled(event.error)) this.onCrash(event.error);
    };
    globalThis.addEventListener("error", onError);
    undo.push(() => globalThis.removeEventListener("error", onError));
    return { [Symbol.dispose]: () => undo.reverse().forEach((act) => act()) };
  }

  #installFiles(put: (target: object, name: string, value: unknown) => void): void {
    const { files } = this;
    const both = (
      name: string,
      act: (...args: never[]) => unknown,
      { writes = false, torn }: {
        readonly writes?: boolean | ((...args: never[]) => boolean);
        readonly torn?: (...args: never[]) => void;
      } = {},
    ) => {
      const call = (...args: never[]) => {
        const isWrite = typeof writes === "boolean" ? writes : writes(...args);
        this.#port(name, String(args[0]), { writes: isWrite, ...(torn && { torn: () => torn(...args) }) });
        return act(...args);
      };
      put(Deno, `${name}Sync`, call);
      put(Deno, name, (...args: never[]) => this.#later(() => call(...args)));
    };
    both("stat", (path: string) => files.stat(path));
    both("lstat", (path: string) => files.lstat(path));
    both("mkdir", (path: string, options?: Deno.MkdirOptions) => files.mkdir(path, options), { writes: true });
    both("remove", (path: string, options?: Deno.RemoveOptions) => files.remove(path, options));
    both("rename", (from: string, to: string) => files.rename(from, to));
    both("link", (from: string, to: string) => files.link(from, to), { writes: true });
    both("symlink", (target: string, path: string) => files.symlink(target, path), { writes: true });
    both("readLink", (path: string) => files.readLink(path));
    both("realPath", (path: string) => files.realPath(path));
    both("chmod", (path: string, mode: number) => files.chmod(path, mode));
    both("readTextFile", (path: string) => files.text(path));
    both("readFile", (path: string) => files.read(path));
    const half = (path: string, data: Uint8Array | string, options?: Deno.WriteFileOptions) =>
      files.write(path, data.slice(0, Math.floor(data.length / 2)), options);
    const write = (path: string, data: Uint8Array | string, options?: Deno.WriteFileOptions) =>
      files.write(path, data, options);
    both("writeTextFile", write, { writes: true, torn: half });
    both("writeFile", write, { writes: true, torn: half });
    both(
      "open",
      (path: string, options?: Deno.OpenOptions) => this.#opened(files.open(path, options), path),
      // What is there already takes no space.
      {
        writes: (path: string, { create, createNew }: Deno.OpenOptions = {}) =>
          (create || createNew) === true && !files.has(path),
      },
    );
    put(Deno, "readDirSync", (path: string) => {
      this.#port("readDir", path);
      return files.readDir(path);
    });
    const readDir = (path: string) =>
      this.#later(() => {
        this.#port("readDir", path);
        return files.readDir(path);
      });
    put(Deno, "readDir", async function* (path: string) {
      yield* await readDir(path);
    });
    put(Deno, "watchFs", () => ({
      close() {},
      [Symbol.dispose]() {},
      [Symbol.asyncIterator]: () => ({ next: never, return: () => Promise.resolve({ done: true, value: undefined }) }),
    }));
  }

  /** Panewright's own calls on a file that it has open. */
  #opened(file: OpenFile, path: string): Deno.FsFile {
    const call = <Result>(
      name: string,
      act: () => Result,
      how: { readonly writes?: boolean; readonly torn?: () => void } = {},
    ) => {
      this.#port(name, path, how);
      return act();
    };
    const sync = {
      readSync: (into: Uint8Array) => call("read", () => file.readSync(into)),
      writeSync: (bytes: Uint8Array) => {
        const torn = () => void file.writeSync(bytes.subarray(0, Math.floor(bytes.length / 2)));
        return call("write", () => file.writeSync(bytes), { writes: true, torn });
      },
      seekSync: (offset: number, whence: Deno.SeekMode) => file.seekSync(offset, whence),
      truncateSync: (size?: number) => call("truncate", () => file.truncateSync(size)),
      statSync: () => call("fstat", () => file.statSync()),
      syncSync: () => call("sync", () => file.syncSync()),
      syncDataSync: () => call("sync", () => file.syncSync()),
      tryLockSync: (exclusive = false) => call("lock", () => file.tryLockSync(exclusive)),
      lockSync: (exclusive = false) => call("lock", () => file.tryLockSync(exclusive)),
      unlockSync: () => file.unlockSync(),
    };
    const later = Object.fromEntries(
      Object.entries(sync).map(([name, act]) => [
        name.slice(0, -"Sync".length),
        (...args: never[]) => this.#later(() => (act as (...args: never[]) => unknown)(...args)),
      ]),
    );
    const close = () => this.isDead ? undefined : file.close();
    return { ...sync, ...later, close, [Symbol.dispose]: close } as unknown as Deno.FsFile;
  }

  /** What takes a moment: once in a while others come first. */
  #later<Result>(act: () => Result): Promise<Result> {
    if (this.isDead) return never();
    let result: Promise<Result>;
    try {
      result = Promise.resolve(act());
    } catch (error) {
      if (this.isDead) return never();
      result = Promise.reject(error);
    }
    if (this.calls % 8 !== 0) return result;
    const delayed = new Promise<Result>((resolve) =>
      void this.time.after(1 + this.calls % 5, () => resolve(result), { owner: "panewright" })
    );
    result.catch(() => {});
    return delayed;
  }

  #installTime(put: (target: object, name: string, value: unknown) => void): void {
    const { time } = this;
    const set = (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      this.isDead ? 0 : time.after(ms, () => act(...args), { owner: "panewright" });
    put(globalThis, "setTimeout", set);
    put(globalThis, "clearTimeout", (id?: number) => id !== undefined && time.cancel(id));
    const intervals = new Map<number, number>();
    put(globalThis, "setInterval", (act: () => void, ms = 0) => {
      const repeat = (): number =>
        set(() => {
          act();
          if (intervals.has(first)) intervals.set(first, repeat());
        }, Math.max(1, ms));
      const first = repeat();
      intervals.set(first, first);
      return first;
    });
    put(globalThis, "clearInterval", (id?: number) => {
      const latest = id === undefined ? undefined : intervals.get(id);
      if (latest !== undefined) time.cancel(latest);
      if (id !== undefined) intervals.delete(id);
    });
    const RealDate = Date;
    put(
      globalThis,
      "Date",
      class extends RealDate {
        constructor(...args: readonly unknown[]) {
          super(...(args.length === 0 ? [time.wall()] : args) as [number]);
        }

        static override now(): number {
          return time.wall();
        }
      },
    );
    put(performance, "now", () => time.now());
  }

  #installChance(put: (target: object, name: string, value: unknown) => void): void {
    const fill = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => {
      for (let index = 0; index < bytes.length; index++) bytes[index] = this.#chance.int(256);
      return bytes;
    };
    put(crypto, "getRandomValues", fill);
    put(crypto, "randomUUID", () => {
      const hex = fill(new Uint8Array(16)).toHex();
      return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join(
        "-",
      );
    });
    put(Math, "random", () => this.#chance.int(1 << 30) / (1 << 30));
    put(crypto, "subtle", {
      // deno-lint-ignore require-await
      async digest(algorithm: string, data: BufferSource) {
        const bytes = data instanceof ArrayBuffer
          ? new Uint8Array(data)
          : new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
        return Uint8Array.from(createHash(algorithm.replace("-", "").toLowerCase()).update(bytes).digest()).buffer;
      },
    });
  }

  #command() {
    const spawn = (program: string, options: Deno.CommandOptions) => {
      this.#port("spawn", program);
      return this.programs.spawn(program, options);
    };
    return class {
      constructor(readonly program: string, readonly options: Deno.CommandOptions = {}) {}

      spawn(): Deno.ChildProcess {
        return spawn(this.program, this.options);
      }

      outputSync() {
        return { code: 127, success: false, signal: null, stdout: new Uint8Array(), stderr: new Uint8Array() };
      }
    };
  }
}
