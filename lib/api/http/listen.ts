import { UsageError } from "../../base/errors.ts";
import { lstatOrUndefined, removeIfThere } from "../../base/ports/files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { assertOwn } from "../../base/ports/state_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { ServeApp } from "./app.ts";
import { type GateConnection, openGate } from "./gate.ts";
import { isDeadSocket, openInnerFolder } from "./inner_folder.ts";
import { Problem, problemResponse } from "../control/problem.ts";

export type ListenAt =
  /** `tls`: paths of files in PEM form. */
  | {
    readonly hostname: string;
    readonly port: number;
    readonly tls?: { readonly cert: string; readonly key: string };
  }
  | { readonly path: string };

/** The port where none is named: a page keeps its address over restarts. */
export const DEFAULT_PORT = 8484;

interface OpenListener {
  readonly listener: Deno.Listener;
  readonly port: number | undefined;
}

/** Begins to listen; connections wait until they are served. */
export async function listenAt(at: ListenAt): Promise<OpenListener> {
  if ("path" in at) return { listener: await listenAtSocket(at.path), port: undefined };
  const { hostname, port, tls } = at;
  try {
    const listener = tls === undefined
      ? Deno.listen({ hostname, port })
      : Deno.listenTls({ hostname, port, cert: pem(tls.cert), key: pem(tls.key), alpnProtocols: ["http/1.1"] });
    return { listener, port: (listener.addr as Deno.NetAddr).port };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const isTaken = cause instanceof Deno.errors.AddrInUse;
    throw new UsageError(`Cannot listen on ${hostname} port ${port}: ${isTaken ? "it is in use" : errorText(cause)}`, {
      cause,
      ...(isTaken ? { hint: "Perhaps panewright serve runs already. Another port: panewright serve --port N" } : {}),
    });
  }
}

function pem(path: string): string {
  try {
    return readRegularText(path, { maxBytes: 1024 * 1024 });
  } catch (cause) {
    throw new UsageError(`Cannot read ${path}: ${errorText(cause)}`, { cause });
  }
}

async function listenAtSocket(path: string): Promise<Deno.Listener> {
  try {
    if (lstatOrUndefined(path) !== undefined) await removeDeadSocket(path);
    const listener = Deno.listen({ transport: "unix", path });
    Deno.chmodSync(path, 0o600);
    return listener;
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot listen on the socket ${path}: ${errorText(cause)}`, { cause });
  }
}

async function removeDeadSocket(path: string): Promise<void> {
  assertOwn(path);
  if (Deno.lstatSync(path).isSocket !== true) throw new Error("it is there, and not a socket");
  if (await isDeadSocket(path)) removeIfThere(path);
  else throw new UsageError(`Cannot listen on the socket ${path}: another server answers there`);
}

interface Inner {
  readonly path: string;
  readonly server: Deno.HttpServer;
  users: number;
}

/**
 * Answers what comes to a listener, until the server's signal is aborted. Each client has a `Deno.serve` of its own
 * behind the gate, which tells whose requests they are, on a socket that nobody else can reach.
 *
 * @returns when all connections are closed
 */
export async function serveOn(listener: Deno.Listener, app: ServeApp): Promise<void> {
  const { limits, clock, signal } = app.context;
  await using folder = await openInnerFolder();
  const inners = new Map<string, Inner>();
  // Short names: the path of a socket may have 100 bytes, and a temporary folder half of them.
  let made = 0;
  const ending = new Set<Promise<void>>();
  const leave = (client: string) => {
    const inner = inners.get(client)!;
    if (--inner.users > 0) return;
    inners.delete(client);
    const ended = inner.server.shutdown().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const connect = async (client: string): Promise<GateConnection> => {
    const inner = inners.get(client) ?? createInner(app, { path: `${folder.path}/${++made}`, client });
    inners.set(client, inner);
    inner.users++;
    try {
      const conn = await Deno.connect({ transport: "unix", path: inner.path });
      return { conn, [Symbol.dispose]: () => leave(client) };
    } catch (error) {
      leave(client);
      throw error;
    }
  };
  await openGate(listener, { limits, clock, signal, connect }).closed;
  await Promise.all(ending);
}

function createInner(app: ServeApp, { path, client }: { readonly path: string; readonly client: string }): Inner {
  const { scheme, redactor } = app.context;
  const handler = (request: Request): Promise<Response> | Response => {
    let asked: Request;
    try {
      asked = asAsked(request, scheme);
    } catch (cause) {
      return problemResponse(
        new Problem("malformed", "Cannot read the request: its method or its Host cannot be used", { cause }),
        redactor,
      );
    }
    return app.fetch(asked, { client });
  };
  return { path, server: Deno.serve({ path, onListen: () => {} }, handler), users: 0 };
}

function asAsked({ url, method, headers, body }: Request, scheme: string): Request {
  const [, authority = "", target = "/"] = /^[^:]+:\/\/([^/?#]*)(.*)$/.exec(url) ?? [];
  // Without a Host header it is the path of the socket.
  const host = /^[A-Za-z0-9.:[\]_-]+$/.test(authority) ? authority : "unknown";
  return new Request(`${scheme}://${host}${target}`, { method, headers, body });
}
