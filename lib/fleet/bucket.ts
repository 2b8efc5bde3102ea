import type { KV } from "@nats-io/kv";
import type { Fleet } from "./connect.ts";
import { followSubject } from "./read_subject.ts";

/** What stands in a bucket under one key. */
export interface Kept {
  readonly key: string;
  readonly text: string;
  /** What the next change has to name. */
  readonly revision: number;
  /** When it was put there, by the server's clock; ISO 8601. */
  readonly at: string;
}

/** All that stands in a bucket, by the order of its keys. */
export async function readBucket(
  { manager }: Pick<Fleet, "manager">,
  bucket: KV,
  name: string,
): Promise<readonly Kept[]> {
  const prefix = `$KV.${name}.`;
  // Not by a consumer: to make one for each look costs the server more than the look.
  const { state } = await manager.streams.info(`KV_${name}`, { subjects_filter: `${prefix}>` });
  const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length)).sort();
  const found = await Promise.all(keys.map((key) => readKey(bucket, key)));
  return found.filter((one) => one !== undefined);
}

/** @returns undefined where nothing does */
export async function readKey(bucket: KV, key: string): Promise<Kept | undefined> {
  const entry = await bucket.get(key);
  if (entry?.operation !== "PUT") return undefined;
  return { key, text: entry.string(), revision: entry.revision, at: entry.created.toISOString() };
}

/** What stands under a key, and then each change of it, until the signal comes. */
export async function* followKey(
  fleet: Pick<Fleet, "streams">,
  { bucket, name, key, signal }: {
    readonly bucket: KV;
    readonly name: string;
    readonly key: string;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string> {
  const now = await readKey(bucket, key);
  if (now !== undefined) yield now.text;
  const asked = { stream: `KV_${name}`, subject: `$KV.${name}.${key}`, after: now?.revision ?? 0, signal };
  for await (const message of followSubject(fleet, asked)) if (message.data.length > 0) yield message.string();
}
