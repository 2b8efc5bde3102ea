import { removeTree } from "../base/ports/own_files.ts";
import { RuntimeError } from "../base/errors.ts";
import { LineSplitter } from "../base/follow/line_splitter.ts";
import type { Clock } from "../base/ports/clock.ts";
import type { ProcessMark } from "../base/ports/end_processes.ts";
import { startProcessGroup } from "../base/ports/process_group.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { parseJsonObject } from "../base/text/json.ts";
import { shellJoin } from "../shell/quote.ts";
import { loopbackPorts } from "./hosts.ts";
import { tidyFolder } from "./open_folder.ts";
import { MOUNTS_FD } from "./own_folders.ts";
import { insideScript } from "./prelude.ts";
import { FROM_HOST, type FromHost, type ToHost } from "./protocol.ts";
import type { SandboxSpec } from "./spec.ts";

/** Something that was refused to a program inside. */
export interface SandboxRefusal {
  /** Whose program it was. */
  readonly by: string;
  /** What it tried, as `write /home/me/.bashrc` or `connect evil.example:443`. */
  readonly what: string;
}

/** A sandbox that is open: programs can be put inside. */
export interface Sandbox extends AsyncDisposable {
  readonly hosts: readonly string[];
  /** The argv that runs a program inside. */
  confine(
    argv: readonly [string, ...string[]],
    spec: SandboxSpec,
    signal?: AbortSignal,
  ): Promise<[string, ...string[]]>;
}

interface SandboxOptions {
  /** The argv of the process that holds it: {@linkcode holdSandbox}. */
  readonly hostCommand: readonly [string, ...string[]];
  readonly workdir: string;
  readonly hosts: readonly string[];
  /** What any program inside may write. */
  readonly writable: readonly string[];
  /** Folder of its own for what it needs; it must not be writable inside. */
  readonly folder: string;
  /** Where processes tell each other in which working directories sandboxes are open; it must not be seen inside. */
  readonly locks: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mark: ProcessMark;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told each refusal once; `false` where it is to be told again, as this time it did not count. */
  readonly onRefusal?: (refusal: SandboxRefusal) => void | false;
  /** Told when it has ended by itself: what is inside reaches nothing any more. */
  readonly onGone?: (error: Error) => void;
  /** Whether a host that is not named is let through. @default {() => false} */
  readonly mayReach?: (target: { readonly host: string; readonly port: number }) => Promise<boolean>;
}

/**
 * Opens the sandbox of a run.
 *
 * @throws {RuntimeError} when it cannot be opened: nothing may be started then
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { hosts, locks, signal, writable } = options;
  signal.throwIfAborted();
  const opened = Promise.withResolvers<void>();
  const wraps = new Map<number, PromiseWithResolvers<Extract<FromHost, { type: "wrapped" }>>>();
  opened.promise.catch(() => {});
  let isClosing = false;
  let gone: Error | undefined;
  const host = startHost(options, {
    take,
    gone() {
      gone = cannot("the process that holds it has ended");
      opened.reject(gone);
      for (const { reject } of wraps.values()) reject(gone);
      if (!isClosing) options.onGone?.(gone);
    },
  });
  const tellRefusal = onceEach(options.onRefusal);
  function take(message: FromHost): void {
    switch (message.type) {
      case "opened":
        return opened.resolve();
      case "failed":
        return opened.reject(cannot(message.message));
      case "wrapped":
        return wraps.get(message.id)?.resolve(message);
      case "not_wrapped":
        return wraps.get(message.id)?.reject(cannot(message.message));
      case "refused": {
        const what = refusedWords(message.what);
        return NO_TRY.test(what) ? undefined : tellRefusal({ by: message.by, what });
      }
      case "asked":
        return void decide(message);
    }
  }

  async function decide({ id, ...target }: Extract<FromHost, { type: "asked" }>): Promise<void> {
    const allow = await (options.mayReach?.(target) ?? Promise.resolve(false)).catch(() => false);
    await host.tell({ type: "decided", id, allow }).catch(() => {});
  }

  const stop = () => opened.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await host.tell({ type: "open", hosts, writable, folder: options.folder, locks }).catch(() => {});
    await opened.promise;
  } catch (error) {
    isClosing = true;
    await host.dispose();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  let last = 0;
  return {
    hosts,
    async confine(argv, spec, signal) {
      signal?.throwIfAborted();
      if (gone !== undefined) throw gone;
      const id = ++last;
      const wrapped = Promise.withResolvers<Extract<FromHost, { type: "wrapped" }>>();
      wraps.set(id, wrapped);
      const { name, writable, readOnly, hidden, shown, temporary, variables } = spec;
      const script = insideScript(argv, { temporary, ports: loopbackPorts(hosts) });
      const folders = { writable, readOnly, hidden, shown: [...shown, options.folder] };
      await host.tell({ type: "wrap", id, name, script, ...folders }).catch(() => {});
      const { argv: inside, mounts } = await wrapped.promise.finally(() => wraps.delete(id));
      return await inFile(["/bin/sh", "-c", ONLY_THESE, "sh", variables.join(" "), ...inside], { ...options, mounts });
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await host.dispose();
    },
  };
}

/**
 * Runs a program without the variables that are not named: what starts it may have others than we do, as a tmux server.
 * Nothing inside can read them in the processes around it then, either.
 */
const ONLY_THESE = "set -f; names=$1; shift; " +
  "for n in $(env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do " +
  'keep=; for p in $names; do case $n in $p) keep=1; break;; esac; done; [ "$keep" ] || unset "$n" 2>/dev/null; ' +
  'done; unset n p keep names; set +f; exec "$@"';

/** The process that holds a sandbox, and what it is told. */
function startHost(
  { clock, hostCommand: argv, env, locks, mark, workdir: cwd }: SandboxOptions,
  { take, gone }: { readonly take: (message: FromHost) => void; readonly gone: () => void },
) {
  // Short, since a path of a socket has at most 107 bytes; it goes with the process, however that ends.
  const temporary = Deno.makeTempDirSync({ prefix: "panewright-sandbox-" });
  const lines = new LineSplitter();
  const group = startProcessGroup({
    ...{ argv, cwd, env: { ...env, TMPDIR: temporary }, mark, clock, keepsStdin: true },
    onStderr: () => {},
    onStdout(bytes) {
      for (const line of lines.push(bytes)) {
        const message = FROM_HOST.safeParse(parseJsonObject(line));
        if (message.success) take(message.data);
      }
    },
  });
  const dispose = async () => {
    await group.stop();
    // It may have been killed.
    await tidyFolder(cwd, locks).catch(() => {});
    await removeTree(temporary).catch(() => {});
  };
  group.ended.then(gone);
  return { tell: (message: ToHost) => group.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)), dispose };
}

/** A file starts it: tmux takes no command of this length, and no list of processes shows the proxy's password then. */
async function inFile(
  argv: readonly string[],
  { folder, mounts }: Pick<SandboxOptions, "folder"> & { readonly mounts: string },
): Promise<[string, ...string[]]> {
  const file = `${folder}/${crypto.randomUUID()}.sh`;
  const script = `exec ${MOUNTS_FD}<"$0.mounts"\nrm -f -- "$0" "$0.mounts"\nexec ${shellJoin(argv)}\n`;
  await Deno.writeTextFile(`${file}.mounts`, mounts, { createNew: true, mode: 0o600 });
  await Deno.writeTextFile(file, script, { createNew: true, mode: 0o600 });
  return ["/bin/sh", file];
}

function onceEach(tell: SandboxOptions["onRefusal"]): (refusal: SandboxRefusal) => void {
  const told = new Set<string>();
  return (refusal) => {
    const one = JSON.stringify(refusal);
    if (told.has(one) || told.size >= MAX_REFUSALS) return;
    if (tell?.(refusal) !== false) told.add(one);
  };
}

/** How many different refusals of a run are told: a program may try millions. */
const MAX_REFUSALS = 500;

/** What the library says, in words of ours: `deny openat /root/x`, `deny network-outbound evil.example:80 (why)`. */
function refusedWords(said: string): string {
  const [, call = "", target = said] = /^deny (\S+) (.*?)(?: \([^()]*\))?$/s.exec(said) ?? [];
  return sanitizeLine(`${call === "network-outbound" ? "connect" : call === "" ? "" : "write"} ${target}`.trim());
}

/**
 * What no program inside has tried: bubblewrap sets up a console for each pane; and of a path below an open folder only that
 * much is seen, whether it was refused or not.
 */
const NO_TRY = /^write \/(?:dev\/console$|proc\/self\/fd\/\d+(?:\/|$))/;

function cannot(why: string, cause?: unknown): RuntimeError {
  return new RuntimeError(`Cannot open the sandbox: ${why}`, {
    hint: 'See "panewright doctor". Nothing was started: an agent is not run without the sandbox that it is to have.',
    cause,
  });
}
