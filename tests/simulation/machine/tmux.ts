import type { NightProcess, Program, Programs } from "./programs.ts";
import { type Command, commandsIn, controlWords, expand, plain, readArguments, readFlags } from "./tmux_words.ts";

/** A program in a pane: what it shows, and what it does with what is typed there. */
export interface Terminal {
  frame(size: { readonly columns: number; readonly rows: number }): {
    readonly rows: readonly string[];
    readonly cursor: readonly [x: number, y: number] | undefined;
    readonly title: string;
  };
  paste(text: string): void;
  press(key: string): void;
  /** Called whenever it draws something else. */
  onDraw: () => void;
}

interface Pane {
  readonly id: string;
  readonly process: NightProcess;
  readonly options: Map<string, string>;
  window: string;
  columns: number;
  rows: number;
}

interface Session {
  readonly name: string;
  readonly panes: Pane[];
}

interface Server {
  readonly socket: string;
  readonly sessions: Map<string, Session>;
  readonly buffers: Map<string, string>;
  readonly clients: Set<NightProcess>;
}

/** What a command came to. */
interface Reply {
  readonly ok: boolean;
  readonly text: string;
}

const VERSION = "tmux 3.3a\n";

/** The tmux servers of a night's machine, as tmux 3.3a has them: they outlive who started them. */
export class Tmux {
  readonly #servers = new Map<string, Server>();
  readonly #terminals = new Map<number, Terminal>();
  #lastPane = 0;
  #replies = 0;

  constructor(readonly programs: () => Programs) {}

  /** The program itself: a client of a server. */
  readonly program: Program = (process) => {
    const { socket, words } = readArguments(process.argv);
    if (words[0] === "-V") return finish(process, { ok: true, text: VERSION });
    if (words[0] === "-C") return this.#attach(process, { socket, session: words[words.indexOf("-t") + 1] ?? "" });
    const commands = commandsIn(words);
    if (!commands.some(([name]) => name === "load-buffer")) {
      return finish(process, this.#runAll(commands, { socket, stdin: "" }));
    }
    let stdin = "";
    process.onInput = (text) => {
      if (text !== undefined) stdin += text;
      else if (process.isAlive) finish(process, this.#runAll(commands, { socket, stdin }));
    };
  };

  /** What a program draws in the pane that it runs in. */
  show({ pid }: NightProcess, terminal: Terminal): void {
    this.#terminals.set(pid, terminal);
    terminal.onDraw = () => this.#drawn(pid);
  }

  /** Whether there is a server: `tmux kill-server` by somebody else ends them all. */
  killServers(): boolean {
    const all = [...this.#servers.values()];
    for (const server of all) this.#end(server);
    return all.length > 0;
  }

  /** The client of control mode: it stays, is told what happens in panes, and answers line by line. */
  #attach(process: NightProcess, { socket, session }: { readonly socket: string; readonly session: string }): void {
    const server = this.#servers.get(socket);
    const found = server?.sessions.get(session.replace(/^=/, ""));
    const number = () => `1795164560 ${++this.#replies}`;
    const reply = ({ ok, text }: Reply, flags: 0 | 1) => {
      const guard = `${number()} ${flags}`;
      process.print(`%begin ${guard}\n${text}%${ok ? "end" : "error"} ${guard}\n`);
    };
    if (server === undefined || found === undefined) {
      reply({ ok: false, text: `can't find session: ${session}\n` }, 0);
      return process.exit(1);
    }
    server.clients.add(process);
    process.onEnd = () => void server.clients.delete(process);
    reply({ ok: true, text: "" }, 0);
    let rest = "";
    process.onInput = (text) => {
      if (text === undefined) return process.exit(0);
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        for (const command of commandsIn(controlWords(line))) {
          const answer = this.#run(server, command, "");
          reply(answer, 1);
          if (!answer.ok) break;
        }
        if (line.includes("refresh-client -B")) { for (const pane of found.panes) this.#tellDead(server, pane); }
      }
    };
  }

  #runAll(
    commands: readonly Command[],
    { socket, stdin }: { readonly socket: string; readonly stdin: string },
  ): Reply {
    let text = "";
    for (const command of commands) {
      const isStart = command[0] === "new-session";
      const server = this.#servers.get(socket) ?? (isStart ? this.#start(socket) : undefined);
      if (server === undefined) return { ok: false, text: `no server running on ${pathOf(socket)}\n` };
      const reply = this.#run(server, command, stdin);
      if (!reply.ok) return reply;
      text += reply.text;
    }
    return { ok: true, text };
  }

  #start(socket: string): Server {
    const server = { socket, sessions: new Map(), buffers: new Map(), clients: new Set<NightProcess>() };
    this.#servers.set(socket, server);
    return server;
  }

  #run(server: Server, [name = "", ...args]: Command, stdin: string): Reply {
    const { flags, has, words } = readFlags(name, args);
    const done = (text = ""): Reply => ({ ok: true, text });
    const target = flags.get("t") ?? "";
    const pane = () => this.#paneAt(server, target);
    const missing = (): Reply => ({ ok: false, text: `can't find pane: ${target}\n` });
    const session = sessionAt(server, flags.get("s") ?? target);
    switch (name) {
      case "new-session": {
        const opened: Session = { name: flags.get("s") ?? "0", panes: [] };
        server.sessions.set(opened.name, opened);
        this.#open(opened, {
          window: flags.get("n") ?? "",
          argv: words,
          env: {},
          size: [flags.get("x"), flags.get("y")],
        });
        return done();
      }
      case "new-window": {
        if (session === undefined) return { ok: false, text: `can't find session: ${target}\n` };
        const variables = args.flatMap((word, index) => args[index - 1] === "-e" ? [word] : []);
        const env = Object.fromEntries(
          variables.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
        );
        const opened = this.#open(session, { window: flags.get("n") ?? "", argv: words, env });
        if (opened === undefined) return { ok: false, text: "create window failed: spawn failed\n" };
        return done(has.has("P") ? `${expand(flags.get("F") ?? "", this.#facts(server, opened))}\n` : "");
      }
      case "list-sessions":
        return done([...server.sessions.keys()].map((each) => `${each}: 1 windows\n`).join(""));
      case "has-session":
        return session === undefined ? { ok: false, text: `can't find session: ${target}\n` } : done();
      case "list-panes": {
        if (!has.has("a") && session === undefined) return { ok: false, text: `can't find session: ${target}\n` };
        const panes = has.has("a") ? [...server.sessions.values()].flatMap((each) => each.panes) : session?.panes ?? [];
        return done(panes.map((each) => `${expand(flags.get("F") ?? "", this.#facts(server, each))}\n`).join(""));
      }
      case "display-message": {
        const found = target === "" ? undefined : pane();
        if (target !== "" && found === undefined) return missing();
        return done(`${expand(words[0] ?? "", this.#facts(server, found))}\n`);
      }
      case "capture-pane": {
        const found = pane();
        if (found === undefined) return missing();
        const rows = this.#rowsOf(found).map((row) => has.has("e") ? row : plain(row));
        const from = Math.max(0, Number(flags.get("S") ?? 0));
        const to = Number(flags.get("E") ?? rows.length - 1);
        return done(`${rows.slice(from, to + 1).map((row) => row.trimEnd()).join("\n")}\n`);
      }
      case "load-buffer":
        server.buffers.set(flags.get("b") ?? "", stdin);
        return done();
      case "paste-buffer": {
        const found = pane();
        if (found === undefined) return missing();
        const text = server.buffers.get(flags.get("b") ?? "");
        if (text === undefined) return { ok: false, text: `no buffer ${flags.get("b")}\n` };
        if (has.has("d")) server.buffers.delete(flags.get("b") ?? "");
        if (found.process.isAlive) this.#terminals.get(found.process.pid)?.paste(text);
        return done();
      }
      case "delete-buffer":
        server.buffers.delete(flags.get("b") ?? "");
        return done();
      case "send-keys": {
        const found = pane();
        if (found === undefined) return missing();
        for (const key of words) if (found.process.isAlive) this.#terminals.get(found.process.pid)?.press(key);
        return done();
      }
      case "set-option":
      case "resize-window":
      case "rename-window": {
        const found = pane();
        if (found === undefined && !has.has("g")) return missing();
        if (found === undefined) return done();
        if (name === "rename-window") found.window = words[0] ?? "";
        else if (name === "set-option") found.options.set(words[0] ?? "", words[1] ?? "");
        else {
          found.columns = Number(flags.get("x"));
          found.rows = Number(flags.get("y"));
        }
        return done();
      }
      case "kill-pane":
      case "kill-window": {
        const found = pane();
        if (found === undefined) return missing();
        this.#close(server, found);
        return done();
      }
      case "kill-session":
      case "kill-server":
        this.#end(server);
        return done();
      case "refresh-client":
        return done();
      default:
        return { ok: false, text: `unknown command: ${name}\n` };
    }
  }

  #open(session: Session, { window, argv, env, size = [] }: {
    readonly window: string;
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly size?: readonly (string | undefined)[];
  }): Pane | undefined {
    const programs = this.programs();
    const id = `%${++this.#lastPane}`;
    const [program = "", ...args] = argv;
    const { pid } = programs.spawn(program, { args: [...args], env: { ...env, TMUX_PANE: id } });
    const process = programs.all.find((one) => one.pid === pid);
    if (process === undefined) return undefined;
    process.parentPid = 1;
    const [columns = "220", rows = "50"] = size;
    const pane = { id, process, window, options: new Map(), columns: Number(columns), rows: Number(rows) };
    session.panes.push(pane);
    return pane;
  }

  #close(server: Server, pane: Pane): void {
    for (const session of server.sessions.values()) {
      const at = session.panes.indexOf(pane);
      if (at < 0) continue;
      session.panes.splice(at, 1);
      if (session.panes.length === 0) server.sessions.delete(session.name);
    }
    pane.process.signal("SIGHUP");
    if (server.sessions.size === 0) this.#end(server);
  }

  #end(server: Server): void {
    this.#servers.delete(server.socket);
    const panes = [...server.sessions.values()].flatMap((session) => session.panes);
    server.sessions.clear();
    for (const client of server.clients) {
      client.print("%exit\n");
      client.exit(0);
    }
    for (const { process } of panes) process.signal("SIGHUP");
  }

  #drawn(pid: number): void {
    for (const server of this.#servers.values()) {
      const panes = [...server.sessions.values()].flatMap((session) => session.panes);
      const pane = panes.find(({ process }) => process.pid === pid);
      if (pane !== undefined) { for (const client of server.clients) client.print(`%output ${pane.id} .\n`); }
    }
  }

  /** A pane's program has ended: its last screen stays. */
  noteEnd(pid: number): void {
    for (const server of this.#servers.values()) {
      for (const { panes } of server.sessions.values()) {
        const pane = panes.find(({ process }) => process.pid === pid);
        if (pane !== undefined) this.#tellDead(server, pane);
      }
    }
  }

  #tellDead(server: Server, pane: Pane): void {
    const dead = pane.process.isAlive ? 0 : 1;
    for (const client of server.clients) {
      client.print(`%subscription-changed panewright $0 @0 0 ${pane.id} : ${dead}\n`);
    }
  }

  #paneAt(server: Server, target: string): Pane | undefined {
    const panes = [...server.sessions.values()].flatMap(({ name, panes }) => panes.map((pane) => ({ name, pane })));
    const [session = "", window = ""] = target.replace(/^=/, "").split(":");
    return panes.find(({ name, pane }) =>
      pane.id === target || name === session && pane.window === window.replace(/^=/, "")
    )?.pane;
  }

  #rowsOf(pane: Pane): readonly string[] {
    const { rows: count, columns } = pane;
    const shown = this.#terminals.get(pane.process.pid)?.frame({ columns, rows: count }).rows ?? [];
    return Array.from({ length: count }, (_, index) => shown[index] ?? "");
  }

  #facts(server: Server, pane: Pane | undefined): Readonly<Record<string, string | number>> {
    const common = { socket_path: pathOf(server.socket) };
    if (pane === undefined) return common;
    const { process, columns, rows, window, options } = pane;
    const { cursor, title } = this.#terminals.get(process.pid)?.frame({ columns, rows }) ??
      { cursor: undefined, title: "" };
    const { code = 0, signal } = process.end ?? {};
    const number = { SIGKILL: 9, SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal as string];
    return {
      ...{ ...common, ...Object.fromEntries(options), pane_id: pane.id, pane_pid: process.pid, window_name: window },
      ...{ pane_width: columns, pane_height: rows, pane_title: title, alternate_on: 1 },
      ...{ cursor_x: cursor?.[0] ?? 0, cursor_y: cursor?.[1] ?? 0, cursor_flag: cursor === undefined ? 0 : 1 },
      pane_dead: process.isAlive ? 0 : 1,
      pane_current_command: "codex",
      ...(process.isAlive ? {} : number === undefined ? { pane_dead_status: code } : { pane_dead_signal: number }),
    };
  }
}

function pathOf(socket: string): string {
  return socket.includes("/") ? socket : `/tmp/tmux-1000/${socket}`;
}

function finish(process: NightProcess, { ok, text }: Reply): void {
  if (ok) process.print(text);
  else process.printError(text);
  process.exit(ok ? 0 : 1);
}

function sessionAt(server: Server, target: string): Session | undefined {
  return server.sessions.get(target.replace(/^=/, "").split(":")[0] ?? "");
}
