import { makeOwnFolder } from "../../base/ports/state_folder.ts";
import { type HookAnswer, hookOutput, readHookPayload } from "../../agents/hook_payload.ts";
import { openCallChannel } from "./call_channel.ts";
import { placeBelow, removeSpool, type SpoolPlace } from "../../agents/spool.ts";
import type { HookedRequest } from "./hooked_request.ts";
import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import type { HookCommand } from "../../agents/hook_command.ts";
import { isRoleName, type Role } from "../../base/roles.ts";
import { RuntimeError } from "../../base/errors.ts";
import { hookCommand } from "./hook_command.ts";
import { CHANNEL_FILE, HOOK_TIMEOUT_SECONDS, MAX_PAYLOAD_BYTES, readText, writeLine } from "./hook_protocol.ts";
import type { Request } from "../../policy/request.ts";
import { present } from "../../base/schema.ts";

export type HookChannel = Awaited<ReturnType<typeof openHookChannel>>;

interface HookChannelOptions {
  /** Where its files are. It is made, and removed. */
  readonly place: SpoolPlace;
  readonly panewright?: readonly string[];
  /** Why a call is refused that comes while nobody listens. @default {() => undefined} it is not */
  readonly refusalOf?: ((role: Role, request: Request) => string | undefined) | undefined;
}

/** Longer paths are not possible for a socket (104 bytes with the end on macOS, 108 on Linux). */
const MAX_SOCKET_PATH_BYTES = 100;

/** How long a hook may take to say what it wants. */
const READ_TIMEOUT_MS = 5000;

const MAX_CONNECTIONS = 32;

const MAX_PENDING = 50;

const MESSAGE = { maxBytes: 2 * MAX_PAYLOAD_BYTES, to: "line_end" } as const;

const LIMIT = { timeoutSeconds: HOOK_TIMEOUT_SECONDS } as const;

/**
 * Opens the channel of a run: a unix socket that only its owner can reach, and a file with its path and a secret. Where
 * the folder's path is too long for a socket, that is in a temporary folder of its own.
 *
 * The folder keeps its path for as long as the run has agents: those of an earlier process find the new socket in it.
 *
 * @throws {RuntimeError} for a folder with a comma in its path, which no Deno can be given access to
 * @throws when the folder or the socket cannot be made
 */
export async function openHookChannel(options: HookChannelOptions) {
  const { place, place: { folder }, panewright, refusalOf } = options;
  await using cleanUp = new AsyncDisposableStack();
  if (folder.includes(",")) throw new RuntimeError(`Cannot open a channel in ${folder}: there is a comma in the path`);
  makeOwnFolder(folder);
  cleanUp.defer(() => removeSpool(place));
  const path = await socketPath(folder, cleanUp);
  const listener = await listenAt(path, cleanUp);
  const secret = await writeChannelFile(folder, path);

  const pending = new Map<Role, Request[]>();
  const deciders = new Map<Role, (asked: HookedRequest) => Promise<void>>();
  const open = new Set<Deno.Conn>();
  const calls = cleanUp.use(await openCallChannel(placeBelow(place, "calls"), { deciders, refusalOf }));

  async function serve(connection: Deno.Conn): Promise<void> {
    const closed = new AbortController();
    const timer = setTimeout(() => close(connection), READ_TIMEOUT_MS);
    const line = await readText(connection, MESSAGE).finally(() => clearTimeout(timer));
    const { role, ...message } = objectOf(parseJsonObject(line ?? ""));
    if (message["secret"] !== secret || !isRoleName(role) || !pending.has(role)) return;
    const request = readHookPayload(textOf(message["payload"]) ?? "", { id: `hook-${crypto.randomUUID()}` });
    if (request === undefined) return;
    // A hook says nothing more: what ends here is its wait.
    void connection.read(new Uint8Array(1)).catch(() => null).then(() => closed.abort());
    let settled = false;
    const reply = async (answer: HookAnswer) => {
      closed.signal.throwIfAborted();
      await writeLine(connection, { output: hookOutput(answer) });
      settled = true;
    };
    const dismiss = () => void (settled = true);
    await deciders.get(role)?.({ request, signal: closed.signal, reply, dismiss }).catch(() => {});
    if (!settled) pending.set(role, [...pending.get(role) ?? [], request].slice(-MAX_PENDING));
  }

  function close(connection: Deno.Conn): void {
    if (open.delete(connection)) connection.close();
  }

  async function acceptAll(): Promise<void> {
    for await (const connection of listener) {
      if (open.size >= MAX_CONNECTIONS) {
        connection.close();
        continue;
      }
      open.add(connection);
      void serve(connection).catch(() => {}).finally(() => close(connection));
    }
  }
  const accepting = acceptAll().catch(() => {});
  const resources = cleanUp.move();
  return {
    hookOf(role: Role): HookCommand {
      pending.set(role, pending.get(role) ?? []);
      return { ...LIMIT, command: hookCommand({ folder, socket: path, role, ...present({ panewright }) }) };
    },
    callHookOf: calls.hookOf,
    /** Requests that got no answer, the oldest first: each has a dialog, is about to have one, or had one. */
    pending: (role: Role): readonly Request[] => pending.get(role) ?? [],
    forget(role: Role, gone: readonly Request[]): void {
      pending.set(role, (pending.get(role) ?? []).filter((one) => !gone.includes(one)));
    },
    /** From now on `decide` is asked about the requests of a role's agent, until disposal. */
    listen(role: Role, decide: (asked: HookedRequest) => Promise<void>): Disposable {
      deciders.set(role, decide);
      return {
        [Symbol.dispose]() {
          if (deciders.get(role) === decide) deciders.delete(role);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync();
      for (const connection of open) close(connection);
      await accepting;
    },
  };
}

/** Returns the secret in it. */
async function writeChannelFile(folder: string, socket: string): Promise<string> {
  const secret = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const staging = `${folder}/.${crypto.randomUUID()}`;
  await Deno.writeTextFile(staging, JSON.stringify({ socket, secret }), { createNew: true, mode: 0o600 });
  await Deno.rename(staging, `${folder}/${CHANNEL_FILE}`);
  return secret;
}

async function listenAt(path: string, cleanUp: AsyncDisposableStack): Promise<Deno.UnixListener> {
  await Deno.remove(path).catch(() => {});
  const listener = Deno.listen({ transport: "unix", path });
  cleanUp.defer(() => listener.close());
  await Deno.chmod(path, 0o600);
  return listener;
}

async function socketPath(folder: string, cleanUp: AsyncDisposableStack): Promise<string> {
  const path = `${folder}/s`;
  if (new TextEncoder().encode(path).length <= MAX_SOCKET_PATH_BYTES) return path;
  const short = await Deno.makeTempDir({ dir: "/tmp", prefix: "pw-" });
  cleanUp.defer(() => Deno.remove(short, { recursive: true }).catch(() => {}));
  return `${short}/s`;
}
