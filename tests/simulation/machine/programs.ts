import type { NightTime } from "./time.ts";

/** A program that runs in a night, as the operating system has it. */
export class NightProcess {
  readonly started: number;
  readonly env: Readonly<Record<string, string>>;
  parentPid: number;
  isAlive = true;
  /** How it ended. */
  end: { readonly code: number; readonly signal: Deno.Signal | null } | undefined;
  #out: ReadableByteStreamController | undefined;
  #err: ReadableByteStreamController | undefined;
  #ended: PromiseWithResolvers<Deno.CommandStatus> | undefined = Promise.withResolvers();
  /** What it does with bytes on its standard input; `undefined` for its end. */
  onInput: (text: string | undefined) => void = () => {};
  /** Returns whether it takes care of the signal itself. */
  onSignal: (signal: Deno.Signal) => boolean = () => false;
  onEnd: () => void = () => {};

  constructor(
    readonly programs: Programs,
    readonly pid: number,
    readonly argv: readonly string[],
    options: { readonly env: Readonly<Record<string, string>>; readonly parentPid: number; readonly started: number },
  ) {
    ({ env: this.env, parentPid: this.parentPid, started: this.started } = options);
  }

  print(text: string): void {
    if (this.isAlive && text !== "") this.#out?.enqueue(new TextEncoder().encode(text));
  }

  printError(text: string): void {
    if (this.isAlive) this.#err?.enqueue(new TextEncoder().encode(text));
  }

  exit(code: number, signal: Deno.Signal | null = null): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.end = { code, signal };
    this.onEnd();
    for (const stream of [this.#out, this.#err]) {
      try {
        stream?.close();
        // A reader that gave its own buffer learns of the end by it.
        stream?.byobRequest?.respond(0);
      } catch { /* nobody reads it any more */ }
    }
    this.#out = this.#err = undefined;
    this.#ended?.resolve({ code, success: code === 0, signal });
  }

  signal(signal: Deno.Signal): void {
    if (!this.isAlive || signal === "SIGSTOP" || signal === "SIGCONT") return;
    if (signal !== "SIGKILL" && this.onSignal(signal)) return;
    const number = { SIGKILL: 9, SIGINT: 2, SIGHUP: 1 }[signal as string] ?? 15;
    this.exit(128 + number, signal);
  }

  /** Nobody reads what it prints any more, and its input has ended: who started it is gone. */
  orphan(): void {
    this.#out = this.#err = this.#ended = undefined;
    this.parentPid = 1;
    this.onInput(undefined);
  }

  child(): Deno.ChildProcess {
    const bytes = (keep: (controller: ReadableByteStreamController) => void) =>
      new ReadableStream({ type: "bytes", start: keep, cancel: () => {} });
    const decoder = new TextDecoder();
    const child = {
      pid: this.pid,
      status: this.#ended?.promise,
      stdout: bytes((controller) => void (this.#out = controller)),
      stderr: bytes((controller) => void (this.#err = controller)),
      stdin: new WritableStream<Uint8Array>({
        write: (piece) => {
          if (!this.isAlive) throw new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
          this.onInput(decoder.decode(piece, { stream: true }));
        },
        close: () => this.onInput(undefined),
        abort: () => this.onInput(undefined),
      }),
      kill: (signal: Deno.Signal = "SIGTERM") => this.signal(signal),
      ref() {},
      unref() {},
      async [Symbol.asyncDispose]() {},
    };
    return child as unknown as Deno.ChildProcess;
  }
}

export type Program = (process: NightProcess) => void;

/** When the machine was started before the night, in the process table's notation: who is older is of the person's. */
const LOGIN = 100;
const OLDEST = [[1, "init", 0, 1], [500, "bash", 1, LOGIN]] as const;

/** All programs of a night's machine, and those that run. */
export class Programs {
  #lastPid = 1000;
  #looks = 0;
  readonly all: NightProcess[] = [];
  /** Which process of panewright is executed, and when it was started. */
  self = { pid: Deno.pid, started: LOGIN + 1 };
  /** Who looks where a process comes from: a person at a shell, or what an agent has started. */
  asker: "panewright" | "person" | "agent" = "panewright";

  /** Which of them are not there now. */
  readonly away = new Set<string>();

  constructor(readonly time: NightTime, readonly known: ReadonlyMap<string, Program>) {}

  #ticks(): number {
    return LOGIN + 1 + Math.floor(this.time.now() / 10);
  }

  beginSelf(): void {
    this.self = { pid: Deno.pid, started: this.#ticks() + 1 };
  }

  /** What panewright has started goes on without it. */
  orphanAll(): void {
    for (const one of this.all) if (one.isAlive) one.orphan();
  }

  alive(): readonly NightProcess[] {
    return this.all.filter(({ isAlive, argv }) => isAlive && !looks(argv));
  }

  kill(pid: number, signal: Deno.Signal): void {
    const found = this.all.find((one) => one.pid === Math.abs(pid) && one.isAlive);
    if (found === undefined) throw new Deno.errors.NotFound("No such process (os error 3)");
    found.signal(signal);
  }

  spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
    const argv = [program, ...options.args ?? []].map(String);
    const isLook = looks(argv);
    // A shell that runs a command is that command.
    const run = argv.map(nameOf).find((name) => this.known.has(name));
    const known = isLook ? this.#look : run === undefined ? undefined : this.known.get(run);
    if (known === undefined || run !== undefined && this.away.has(run)) {
      throw new Deno.errors.NotFound(`entity not found: ${program}`);
    }
    const process = new NightProcess(this, ++this.#lastPid, argv, {
      ...{ env: options.env ?? {}, parentPid: this.self.pid, started: this.#ticks() },
    });
    this.all.push(process);
    const child = process.child();
    known.call(this, process);
    return child;
  }

  #look(process: NightProcess): void {
    const printed = this.#answer(process.argv);
    // How long it takes differs a little.
    this.time.after(1 + this.#looks++ % 3, () => {
      if (printed !== undefined) process.print(printed);
      process.exit(printed === undefined ? 128 : 0);
    });
  }

  #stat(pid: number): string | undefined {
    const row = ([id, name, parent, started]: readonly [number, string, number, number]) =>
      `${id} (${name}) S ${parent} ${id} ${id}${" 0".repeat(16)} ${started}`;
    const oldest = OLDEST.find(([id]) => id === pid);
    if (oldest !== undefined) return row(oldest);
    if (pid === this.self.pid) return row([pid, "panewright", 500, this.self.started]);
    const one = this.all.find((each) => each.pid === pid && each.isAlive);
    return one && row([pid, nameOf(one.argv[0]!), one.parentPid, one.started]);
  }

  #answer([program = "", ...args]: readonly string[]): string | undefined {
    const name = nameOf(program);
    if (name === "git") return undefined;
    if (name === "cat") return `${this.#stat(Number(/^\/proc\/(\d+)\/stat$/.exec(args[0] ?? "")?.[1])) ?? ""}\n`;
    const running = this.alive();
    const [file] = args.flatMap((arg) => /\/proc\/\[0-9\]\*\/(\w+)$/.exec(arg)?.slice(1) ?? []);
    if (file === undefined) return this.#ancestry();
    if (file === "stat") {
      const pids = [1, 500, this.self.pid, ...running.map(({ pid }) => pid)];
      return `${pids.map((pid) => this.#stat(pid)).join("\n")}\n`;
    }
    if (file === "cmdline") {
      const rows = running.flatMap(({ pid, argv }) => argv.map((word) => `/proc/${pid}/cmdline:${word}\0`));
      return rows.join("");
    }
    const entries = ({ env }: NightProcess) => Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const pattern = args.at(args.indexOf("-e") + 1) ?? "";
    if (args.includes("-lsF") || args.includes("-lszxE")) {
      const whole = new RegExp(`^(?:${pattern})$`);
      const isMeant = (entry: string) => args.includes("-lsF") ? entry.includes(pattern) : whole.test(entry);
      const found = running.filter((one) => entries(one).some(isMeant));
      return found.map(({ pid }) => `/proc/${pid}/environ\n`).join("");
    }
    const names = new RegExp(args.find((word) => word.startsWith("^(")) ?? "^$");
    return running.flatMap(entries).filter((entry) => names.test(entry)).map((entry) => `${entry}\0`).join("");
  }

  /** What the shell prints that looks where it comes from. */
  #ancestry(): string {
    const young = this.#ticks();
    const chains = {
      panewright: [this.#stat(this.self.pid)!, this.#stat(500)!, this.#stat(1)!],
      person: [`990 (panewright) S 500 990 500${" 0".repeat(15)} ${young}`.replace("500 0", "500 0"), this.#stat(500)!],
      agent: [`991 (panewright) S 992 991 992${" 0".repeat(16)} ${young}`],
    };
    const rows = this.asker === "person"
      ? [`990 (panewright) S 500 990 500${" 0".repeat(16)} ${young}`, this.#stat(500)!, this.#stat(1)!]
      : this.asker === "agent"
      ? [...chains.agent, `992 (sh) S 1 992 992${" 0".repeat(16)} ${young}`, this.#stat(1)!]
      : chains.panewright;
    const mark = this.asker === "agent" ? "marked" : "";
    return ["boot", "pid:[1]", "", ...rows.flatMap((row) => [mark, "", row]), "1", ""].join("\n");
  }
}

/** What a shell gives to a program that looks at all processes. */
const PROCESSES = /^exec "\$@" \/proc\/\[0-9\]\*\/\w+$/;

/** Programs of the system, which are looked at the machine with. */
const LOOKS: ReadonlySet<string> = new Set(["find", "cat", "git"]);

function looks(argv: readonly string[]): boolean {
  return LOOKS.has(nameOf(argv[0] ?? "")) || argv.some((word) => word.includes("boot_id") || PROCESSES.test(word));
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
