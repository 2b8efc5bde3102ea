import { createUser } from "@nats-io/nkeys";
import { UsageError } from "../base/errors.ts";
import { createFileOnce } from "../base/ports/own_files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { runInForeground } from "../base/ports/process.ts";
import type { Credentials } from "./credentials.ts";
import { isToken, type Rights } from "./names.ts";
import { ROUTE, type ServerNode } from "./nodes.ts";
import { grantOf, newKeys } from "./seal.ts";
import { serverConfig, type ServerUser } from "./server_config.ts";

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;

/** A new fleet's server, or the servers of its cluster. */
export interface NewServer {
  /** The folder for its configuration, its streams and everybody's credentials; made. */
  readonly folder: string;
  /** One, or those of a cluster. */
  readonly nodes: readonly [ServerNode, ...ServerNode[]];
  readonly users: readonly { readonly name: string; readonly rights: Rights }[];
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string } | undefined;
}

/**
 * Writes a server's configuration, and the credentials of each user, a file each.
 *
 * @returns the paths of the configurations, one for each server, and of the credentials by name
 * @throws {UsageError} when it would be open to a network without TLS, or is there already
 */
export async function makeServer(
  { folder, nodes, users, tls }: NewServer,
): Promise<
  { readonly configs: readonly [string, ...string[]]; readonly credentials: Readonly<Record<string, string>> }
> {
  const host = nodes.find((node) => !LOOPBACK.test(node.host))?.host;
  if (tls === undefined && host !== undefined) {
    throw new UsageError(`Cannot make a fleet on ${host} without TLS: what is sent could be read and changed`, {
      hint:
        "Name the server's certificate: --tls-cert FILE --tls-key FILE --tls-ca FILE. Without them it is for 127.0.0.1.",
    });
  }
  const addressed = nodes.find((node) => /^[\d.]+$|:/.test(node.host));
  // The client knows no more of a server than its address when it looks at the certificate: of several that would be any.
  if (tls !== undefined && nodes.length > 1 && addressed !== undefined) {
    throw new UsageError(`Cannot make a cluster with TLS of addresses: ${addressed.host}`, {
      hint: "Name each server by its name, as its certificate does: --node a=fleet1.example.org",
    });
  }
  const odd = users.find(({ name }) => !isToken(name));
  if (odd !== undefined) {
    throw new UsageError(`Cannot make a user "${odd.name}": a name has letters, digits, - and _ only`);
  }
  makeOwnFolder(folder);
  const credentials: Record<string, string> = {};
  const known: ServerUser[] = [];
  const admin = await newKeys();
  for (const { name, rights } of users) {
    const pair = createUser();
    const path = credentials[name] = `${folder}/${name}.json`;
    const server = nodes.map(({ host, port }) => `${tls === undefined ? "nats" : "tls"}://${host}:${port}`).join(",");
    const seed = new TextDecoder().decode(pair.getSeed());
    const { privateKey: key, publicKey } = rights === "admin" ? admin : await newKeys();
    const grant = await grantOf({ name, rights, key: publicKey }, { adminKey: admin.privateKey });
    const file: Credentials = {
      ...{ server, name, rights, seed, fleet: admin.publicKey, key, grant },
      ...(tls === undefined ? {} : { ca: tls.ca }),
    };
    await writeNew(path, `${JSON.stringify(file, undefined, 2)}\n`);
    known.push({ name, rights, key: pair.getPublicKey() });
  }
  const password = crypto.randomUUID();
  const write = async (node: ServerNode) => {
    const { name, host, port } = node;
    const [config, base] = nodes.length === 1 ? [`${folder}/nats.conf`, ""] : [`${folder}/${name}.conf`, `-${name}`];
    const others = nodes.filter((other) => other !== node).map((other) => `${other.host}:${other.port + ROUTE}`);
    const cluster = { node: name, host, port: port + ROUTE, others, password };
    const text = serverConfig({
      ...{ host, port, store: `${folder}/jetstream${base}`, users: known, tls, log: `${folder}/nats${base}.log` },
      ...(nodes.length === 1 ? {} : { cluster }),
    });
    await writeNew(config, text);
    return config;
  };
  const [first, ...others] = nodes;
  const configs: [string, ...string[]] = [await write(first)];
  for (const node of others) configs.push(await write(node));
  return { configs, credentials };
}

async function writeNew(path: string, text: string): Promise<void> {
  if (await createFileOnce(path, text)) return;
  throw new UsageError(`Cannot write ${path}: it is there already`, {
    hint: "Name another folder, or begin anew by removing this one: whoever has credentials of it is locked out then.",
  });
}

/**
 * Runs a nats-server until it ends, or the signal comes.
 *
 * @returns its exit code
 * @throws {UsageError} when there is no such program
 */
export async function startServer(config: string, { signal }: { readonly signal: AbortSignal }): Promise<number> {
  const start = (program: string) => runInForeground({ argv: [program, "--config", config], signal });
  try {
    // Debian has it where only root looks.
    return await start("nats-server").catch((cause) => {
      if (!(cause instanceof Deno.errors.NotFound)) throw cause;
      return start("/usr/sbin/nats-server");
    });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new UsageError("Cannot start the fleet's server: nats-server is not installed", {
      hint: "Install it with: apt-get install nats-server",
    });
  }
}
