import { createUser } from "@nats-io/nkeys";
import { UsageError } from "../base/errors.ts";
import { createFileOnce } from "../base/ports/own_files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { runInForeground } from "../base/ports/process.ts";
import type { Credentials } from "./credentials.ts";
import { BUCKETS, isToken, OBJECTS, type Rights, STREAMS } from "./names.ts";
import { ROUTE, type ServerNode } from "./nodes.ts";
import { grantOf, newKeys } from "./seal.ts";

export interface ServerUser {
  readonly name: string;
  readonly rights: Rights;
  /** The nkey's public half. */
  readonly key: string;
}

export interface ServerPlan {
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** Where JetStream keeps its streams; absolute. */
  readonly store: string;
  readonly users: readonly ServerUser[];
  /** Of each team, whose jobs the others do not see. @default {"team"} */
  readonly team?: string;
  /** @param ca who has signed what the other servers of a cluster show */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string } | undefined;
  /** The file that its log goes to. @default standard error */
  readonly log?: string;
  /** What makes it one of several that keep the same. */
  readonly cluster?: ServerCluster;
}

/** A server's place among those of a cluster. */
export interface ServerCluster {
  readonly node: string;
  readonly host: string;
  /** Where it listens for the others. */
  readonly port: number;
  /** Of all others, as `host:port`. */
  readonly others: readonly string[];
  readonly password: string;
}

const infoOf = (stream: string) => `$JS.API.STREAM.INFO.${stream}`;
/** Reading a stream: by its sequence, its subject, or a consumer of one's own, which lasts as long as it is read. */
const readOf = (stream: string) => [
  infoOf(stream),
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.CONSUMER.CREATE.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.>`,
  `$JS.API.CONSUMER.DELETE.${stream}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
  `$JS.ACK.${stream}.>`,
];
const KV = (bucket: string) => `KV_${bucket}`;
const STORE = `OBJ_${OBJECTS}`;

const READ = [
  "$JS.API.INFO",
  ...[STREAMS.log, STREAMS.said, ...Object.values(BUCKETS).map(KV), STORE].flatMap(readOf),
  infoOf(STREAMS.queue),
];

/** What each user may publish: least that their part needs. A job's author stands in its subjects. */
function mayPublish({ name, rights }: ServerUser): readonly string[] {
  switch (rights) {
    case "admin":
      return [">"];
    case "viewer":
      return READ;
    case "submitter":
      return [
        ...READ,
        ...[`pw.queue.${name}.>`, `pw.said.${name}.>`, "pw.wake"],
        ...[`$KV.${BUCKETS.jobs}.${name}.>`, `$KV.${BUCKETS.labels}.>`, `$O.${OBJECTS}.>`],
      ];
    case "worker":
      return [
        ...READ,
        ...readOf(STREAMS.queue),
        `$JS.API.CONSUMER.DURABLE.CREATE.${STREAMS.queue}.>`,
        ...["pw.log.>", "pw.wake"],
        ...[
          `$KV.${BUCKETS.jobs}.>`,
          `$KV.${BUCKETS.workers}.${name}.>`,
          `$KV.${BUCKETS.caps}.spent.>`,
          `$O.${OBJECTS}.>`,
        ],
      ];
  }
}

/**
 * The configuration of a nats-server for a fleet: an account with JetStream, and each user by the public half of a key.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 *
 * const users = [{ name: "anna", rights: "submitter", key: "UABC" }] as const;
 * const text = serverConfig({ host: "127.0.0.1", port: 4222, store: "/srv/fleet", users });
 * assertStringIncludes(text, "pw.queue.anna.>");
 * ```
 */
export function serverConfig({ cluster, host, port, store, users, team = "team", tls, log }: ServerPlan): string {
  const quoted = (value: string | readonly string[]) => JSON.stringify(value);
  const userLines = users.flatMap((user) => [
    `      # ${user.name}: ${user.rights}`,
    `      {`,
    `        nkey: ${user.key}`,
    `        permissions: {`,
    `          publish: { allow: ${quoted([...mayPublish(user), "_INBOX.>"])} }`,
    `          subscribe: { allow: ${quoted(user.rights === "admin" ? [">"] : ["_INBOX.>", "pw.wake"])} }`,
    `        }`,
    `      }`,
  ]);
  return [
    `listen: ${quoted(`${host}:${port}`)}`,
    `max_payload: 1MB`,
    ...(log === undefined ? [] : [`log_file: ${quoted(log)}`, `log_size_limit: 10MB`]),
    `jetstream { store_dir: ${quoted(store)} }`,
    // Who has signed others' certificates is asked by servers, of one another: people have none.
    ...(tls === undefined ? [] : [tlsLine({ cert: tls.cert, key: tls.key })]),
    ...(cluster === undefined ? [] : clusterLines(cluster, tls)),
    `accounts {`,
    `  ${team} {`,
    `    jetstream: enabled`,
    `    users: [`,
    ...userLines,
    `    ]`,
    `  }`,
    `}`,
    ``,
  ].join("\n");
}

function tlsLine({ cert, key, ca }: NonNullable<ServerPlan["tls"]> & { readonly ca?: string }): string {
  const files = { cert_file: cert, key_file: key, ...(ca === undefined ? {} : { ca_file: ca }) };
  const lines = Object.entries(files).map(([name, path]) => `${name}: ${JSON.stringify(path)}`);
  return `tls { ${lines.join(", ")}${ca === undefined ? "" : ", verify: true"} }`;
}

function clusterLines(
  { node, host, port, others, password }: ServerCluster,
  tls: ServerPlan["tls"],
): readonly string[] {
  const routes = others.map((other) => `nats-route://node:${password}@${other}`);
  return [
    `server_name: ${JSON.stringify(node)}`,
    `cluster {`,
    `  name: fleet`,
    `  listen: ${JSON.stringify(`${host}:${port}`)}`,
    `  authorization { user: node, password: ${JSON.stringify(password)}, timeout: 5 }`,
    ...(tls === undefined ? [] : [`  ${tlsLine(tls)}`]),
    `  routes: ${JSON.stringify(routes)}`,
    `}`,
  ];
}

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
