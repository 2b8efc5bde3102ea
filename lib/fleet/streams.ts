import { DiscardPolicy, jetstreamManager, RetentionPolicy, StorageType, type StreamConfig } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { Objm } from "@nats-io/obj";
import type { NatsConnection } from "@nats-io/transport-node";
import { connectServer, saidOfServer } from "./connect.ts";
import type { Credentials } from "./credentials.ts";
import { BUCKETS, OBJECTS, STREAMS } from "./names.ts";

/** What the same message is known by for so long; longer than anybody tries again. */
const DUPLICATES_NS = 10 * 60 * 1e9;

/** A full stream refuses new messages: nothing that was acknowledged is dropped for them. */
const KEPT = {
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  duplicate_window: DUPLICATES_NS,
} as const satisfies Partial<StreamConfig>;

export interface StreamOptions {
  /** Copies of each stream, on as many servers of a cluster. @default {1} */
  readonly replicas?: number;
  /** How long a job is a worker's without a sign of life. @default {30} */
  readonly leaseSeconds?: number;
}

/**
 * Makes the streams of the fleet on a server.
 *
 * @param credentials an admin's
 */
export async function setUpServer(credentials: Credentials, options: StreamOptions): Promise<void> {
  const connection = await connectServer(credentials);
  try {
    await setUpStreams(connection, options);
  } catch (error) {
    throw saidOfServer(error, credentials.server);
  } finally {
    await connection.close();
  }
}

/** Makes the streams of a fleet, and leaves those that are there, but for a lease that is named. */
export async function setUpStreams(
  connection: NatsConnection,
  { replicas = 1, leaseSeconds }: StreamOptions = {},
): Promise<void> {
  const manager = await jetstreamManager(connection);
  const known = new Set<string>();
  for await (const name of manager.streams.names()) known.add(name);
  const add = async (config: Partial<StreamConfig> & { readonly name: string }) => {
    if (!known.has(config.name)) await manager.streams.add({ ...KEPT, num_replicas: replicas, ...config });
  };
  await add({
    name: STREAMS.queue,
    subjects: ["pw.queue.>"],
    retention: RetentionPolicy.Workqueue,
    description: leaseText(leaseSeconds),
  });
  if (leaseSeconds !== undefined && known.has(STREAMS.queue)) {
    // Workers read it when they start.
    await manager.streams.update(STREAMS.queue, { description: leaseText(leaseSeconds) });
  }
  await add({ name: STREAMS.log, subjects: ["pw.log.>"] });
  await add({ name: STREAMS.said, subjects: ["pw.said.>"] });
  const kvm = new Kvm(connection);
  for (const bucket of Object.values(BUCKETS)) {
    if (!known.has(`KV_${bucket}`)) await kvm.create(bucket, { history: 1, replicas, storage: StorageType.File });
  }
  if (!known.has(`OBJ_${OBJECTS}`)) {
    await new Objm(connection).create(OBJECTS, { replicas, storage: StorageType.File });
  }
}

function leaseText(seconds = 30): string {
  return `lease ${seconds} s`;
}
