import {
  jetstream,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstreamManager,
} from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { type ObjectStore, Objm } from "@nats-io/obj";
import { connect, errors, type NatsConnection, nkeyAuthenticator, type TlsOptions } from "@nats-io/transport-node";
import { PanewrightError, RuntimeError, UsageError } from "../base/errors.ts";
import { errorText } from "../base/text/error_text.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { present } from "../base/schema.ts";
import type { Credentials } from "./credentials.ts";
import { BUCKETS, OBJECTS, STREAMS } from "./names.ts";
import { causes, isAway, keepsNothing } from "./reach.ts";
import { openSeals, type Seals } from "./seal.ts";

/** The oldest nats-server whose work queues, direct gets and consumers by name this relies on: that of Debian 12. */
const OLDEST = [2, 9] as const;

const CONNECT_MS = 5000;

/** A connection to a fleet. */
export interface Fleet extends AsyncDisposable {
  readonly credentials: Credentials;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly streams: JetStreamClient;
  readonly jobs: KV;
  readonly workers: KV;
  readonly labels: KV;
  readonly caps: KV;
  readonly objects: ObjectStore;
  readonly seals: Seals;
}

/** Connects without looking for streams: they may have to be made. */
export async function connectServer(credentials: Credentials): Promise<NatsConnection> {
  const { server, seed, ca, name } = credentials;
  // By an address the client would look at the certificate for "localhost"; by a name it takes that.
  const host = new URL(server.split(",")[0] ?? "").hostname.replaceAll(/[[\]]/g, "");
  const problem = (what: string, hint: string) =>
    new RuntimeError(`Cannot reach the fleet's server ${server}: ${what}`, { hint });
  let connection: NatsConnection;
  try {
    connection = await connect({
      servers: server.split(","),
      name: `panewright ${name}`,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      timeout: CONNECT_MS,
      maxReconnectAttempts: -1,
      // The names in the credentials are those in the servers' certificates; what a cluster tells of itself are addresses.
      ignoreClusterUpdates: true,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
      ...(ca === undefined ? {} : { tls: { caFile: ca, host } as TlsOptions }),
    });
  } catch (cause) {
    const text = errorText(cause);
    if (/authorization|permission|nkey|seed/i.test(text)) {
      throw problem(`it does not know ${name} by this key`, "Ask whoever runs the fleet for a file of credentials.");
    }
    if (/certificate|tls/i.test(text)) {
      throw problem(text, `Name the certificate of who signed the server's in the file of credentials: "ca".`);
    }
    throw problem(text, "Does it run? On this machine: panewright fleet up");
  }
  const { version = "0.0", jetstream: hasJetStream } = connection.info ?? {};
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (hasJetStream === true && !isOld) return connection;
  await connection.close();
  throw isOld
    ? problem(`nats-server ${version} is too old`, `It must be ${OLDEST.join(".")} or newer.`)
    : problem("it runs without JetStream", "Start it with -js, or with a jetstream block in its configuration.");
}

/**
 * Connects to a fleet, and stays so: what is asked while the server is away fails, and can be asked again.
 *
 * @throws {RuntimeError} when the server cannot be reached, does not know the key, is too old, or has no JetStream
 * @throws {UsageError} when the fleet's streams are not there
 */
export async function connectFleet(credentials: Credentials): Promise<Fleet> {
  const connection = await connectServer(credentials);
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    for (const stream of Object.values(STREAMS)) await manager.streams.info(stream);
    const kvm = new Kvm(connection);
    const [jobs, workers, labels, caps] = [
      await kvm.open(BUCKETS.jobs, { bindOnly: true }),
      await kvm.open(BUCKETS.workers, { bindOnly: true }),
      await kvm.open(BUCKETS.labels, { bindOnly: true }),
      await kvm.open(BUCKETS.caps, { bindOnly: true }),
    ];
    const objects = await new Objm(connection).open(OBJECTS, { check: false });
    const seals = await openSeals(credentials, credentials.fleet);
    return {
      ...{ credentials, connection, manager, jobs, workers, labels, caps, objects, seals },
      streams: jetstream(connection),
      [Symbol.asyncDispose]: () => connection.close(),
    };
  } catch (cause) {
    await connection.close();
    if (isAway(cause)) throw saidOfServer(cause, credentials.server);
    throw new UsageError(`Cannot use the fleet of ${credentials.server}: ${errorText(cause)}`, {
      ...present({ cause }),
      hint: "Its streams are made by whoever runs it: panewright fleet up, or panewright fleet apply.",
    });
  }
}

/** For people: what the fleet's server has not done, in place of the client's own error. Any other error is as it was. */
export function saidOfServer(error: unknown, server: string): unknown {
  const problem = (what: string, hint: string) =>
    new RuntimeError(`Cannot use the fleet of ${server}: ${what}`, { ...present({ cause: error }), hint });
  if (error instanceof PanewrightError) return error;
  const words = error instanceof JetStreamApiError ? `: "${sanitizeLine(error.message)}"` : "";
  if (keepsNothing(error)) {
    return problem(`its server keeps nothing now${words}`, `Its disk, or a stream, may be full. ${CALL_AGAIN}`);
  }
  if (words !== "") return problem(`its server refuses this${words}`, CALL_AGAIN);
  if (causes(error).some((cause) => cause instanceof errors.PermissionViolationError)) {
    return problem("you have no right to this", "Use the credentials of somebody who has: --fleet FILE.");
  }
  return isAway(error) ? problem("its server does not answer", `Does it run? ${CALL_AGAIN}`) : error;
}

const CALL_AGAIN = "What was done is kept: the same call can be made again.";
