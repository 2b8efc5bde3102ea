import { LineSplitter } from "../base/follow/line_splitter.ts";
import { systemProcessRunner, trySignal } from "../base/ports/process.ts";
import { listProcesses, processTree } from "../base/ports/process_table.ts";
import { errorText } from "../base/text/error_text.ts";
import { parseJsonObject } from "../base/text/json.ts";
import { placeBrought, placeText } from "./brought.ts";
import { gitExcludeIn } from "./git_folder.ts";
import { type OpenFolder, openFolder } from "./open_folder.ts";
import { isOwn, mountsOf, type OwnFolder, ownFolderAt, ownFolders, readingMounts, showing } from "./own_folders.ts";
import { makePlaceholders } from "./placeholders.ts";
import { type FromHost, TO_HOST, type ToHost } from "./protocol.ts";

interface HostIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => Promise<void>;
}

type Message<Type extends ToHost["type"]> = Extract<ToHost, { type: Type }>;

/**
 * Holds the sandbox of a run until its standard input ends: the proxies through which its agents reach the hosts that
 * are let through, and the commands that put a program inside. A process of its own, whose working directory is the
 * agents': below that the library keeps files that are obeyed later from being written, and its proxies stand still with
 * the process that they live in.
 */
export async function holdSandbox({ stdin, write }: HostIo): Promise<void> {
  const { SandboxManager, process } = await import("./panewright-sandbox.mjs");
  const mapsRoot = Deno.uid() === 0 && await hasSetfcap();
  let place = "";
  const undecided = new Map<number, (allow: boolean) => void>();
  let asked = 0;
  let own: readonly OwnFolder[] = [];
  const tell = (message: FromHost) => write(JSON.stringify(message)).catch(() => {});

  let opening = Promise.resolve();
  let folderOpen: OpenFolder | undefined;
  async function open({ hosts, folder, locks, writable }: Message<"open">): Promise<void> {
    place = folder;
    folderOpen = await openFolder(Deno.cwd(), locks);
    await makePlaceholders(Deno.cwd());
    const { javaAgent, seccomp } = await placeBrought(folder);
    await SandboxManager.initialize(
      {
        network: { allowedDomains: [...hosts], deniedDomains: [] },
        filesystem: { denyRead: [], allowWrite: [...writable], denyWrite: [] },
        seccomp: { applyPath: seccomp },
        // Without it the library asks npm for a folder, in the agents' own.
        javaAgentJarPath: javaAgent,
      },
      async ({ host, port = 0 }) => {
        const id = asked++;
        const decision = Promise.withResolvers<boolean>();
        undecided.set(id, decision.resolve);
        await tell({ type: "asked", id, host, port });
        return await decision.promise;
      },
      true,
    );
    SandboxManager.getSandboxViolationStore().subscribe((all) => {
      const latest = all.at(-1);
      if (latest === undefined || isOwn(writtenPath(latest.line), own)) return;
      void tell({ type: "refused", what: latest.line, by: latest.command ?? "" });
    });
    await tell({ type: "opened" });
  }

  async function take(message: ToHost): Promise<void> {
    switch (message.type) {
      case "open":
        opening = open(message).catch((error) => tell({ type: "failed", message: errorText(error) }));
        return await opening;
      case "wrap":
        own = ownFoldersOf(message);
        return await tell(await wrapped(message, { mapsRoot, own, place }));
      case "decided":
        undecided.get(message.id)?.(message.allow);
        return void undecided.delete(message.id);
    }
  }

  const lines = new LineSplitter();
  try {
    for await (const bytes of stdin) {
      for (const line of lines.push(bytes)) {
        const message = TO_HOST.safeParse(parseJsonObject(line));
        // Its proxies answer while a message is carried out.
        if (message.success) void take(message.data);
      }
    }
  } finally {
    for (const decide of undecided.values()) decide(false);
    // What is being opened starts processes of its own, which nobody else would end.
    await opening;
    await folderOpen?.close(async (isLast) => {
      // The library would take away what it has made, now and at the process's end, whoever else is there (0.0.83).
      if (isLast) return await SandboxManager.reset().catch(() => {});
      process.removeAllListeners("exit");
    });
    for (const { pid } of processTree(await listProcesses(), Deno.pid)) {
      if (pid !== Deno.pid) trySignal(pid, "SIGKILL");
    }
    await Deno.remove(Deno.env.get("TMPDIR") ?? "", { recursive: true }).catch(() => {});
  }
}

/** With what a program finds things by, and what is there for it alone. */
function ownFoldersOf({ shown, writable }: Message<"wrap">): readonly OwnFolder[] {
  const { HOME = "", PATH = "", TMPDIR = "" } = Deno.env.toObject();
  const needed = [HOME, TMPDIR, ...PATH.split(":"), ...shown];
  return ownFolders(writable).map((path) => ownFolderAt(path, needed));
}

/** Where a program has written to, by what the library says of it: `deny openat /tmp/x`. */
function writtenPath(said: string): string {
  return /^deny \S+ (\/.*)$/s.exec(said)?.[1] ?? "";
}

async function wrapped(
  message: Message<"wrap">,
  { own, ...how }: Wrapping & { readonly own: readonly OwnFolder[] },
): Promise<FromHost> {
  const { id } = message;
  try {
    return { type: "wrapped", id, argv: await insideArgv(message, how), mounts: mountsOf(own) };
  } catch (error) {
    return { type: "not_wrapped", id, message: errorText(error) };
  }
}

/** The argv that runs a script inside. */
async function insideArgv(
  { name, script, writable, readOnly, hidden, shown }: Message<"wrap">,
  { mapsRoot, place }: Wrapping,
): Promise<[string, ...string[]]> {
  const { SandboxManager } = await import("./panewright-sandbox.mjs");
  const filesystem = {
    ...{ denyRead: [...hidden], allowRead: [...shown] },
    ...{ allowWrite: [...writable], denyWrite: [...readOnly] },
  };
  const told = { commandId: name, commandText: name };
  const { argv } = await SandboxManager.wrapWithSandboxArgv(script, "bash", { filesystem }, undefined, undefined, told);
  const exclude = gitExcludeIn(Deno.cwd());
  const files = exclude === undefined ? {} : { [exclude.path]: await placeText(place, exclude.text) };
  const instead = { empty: await placeText(place, ""), files };
  const [program, ...rest] = argv.map((word) => showing(readingMounts(mapsRoot ? withSetfcap(word) : word), instead));
  if (program === undefined) throw new Error("there is no command");
  // The library goes on without what bars Unix sockets where it does not find it.
  if (!argv.join(" ").includes("apply-seccomp")) throw new Error("it would not bar Unix sockets");
  return [program, ...rest];
}

interface Wrapping {
  readonly mapsRoot: boolean;
  /** A folder that is there inside, and cannot be written there. */
  readonly place: string;
}

const DROPS_ALL = "--cap-drop ALL";
const ADDS_SETFCAP = "--cap-add CAP_SETFCAP";

/**
 * Whether root may map itself into a user namespace: what bars Unix sockets makes one. The library reads that in /proc
 * itself, which Deno grants to `--allow-all` only, and takes silence for a no (0.0.83).
 */
async function hasSetfcap(): Promise<boolean> {
  const { stdout } = await systemProcessRunner.run({ argv: ["grep", "^CapBnd:", "/proc/self/status"] });
  const bits = /[0-9a-f]+\s*$/i.exec(stdout)?.[0].trim() ?? "0";
  return ((BigInt(`0x${bits}`) >> 31n) & 1n) === 1n;
}

function withSetfcap(word: string): string {
  return word.includes(ADDS_SETFCAP) ? word : word.replace(DROPS_ALL, `${DROPS_ALL} ${ADDS_SETFCAP}`);
}
