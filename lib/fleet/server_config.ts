import { BUCKETS, OBJECTS, type Rights, STREAMS } from "./names.ts";

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
