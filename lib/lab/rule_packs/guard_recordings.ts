import { readPack } from "../recordings/pack.ts";
import type { Recording } from "../recordings/recording.ts";

export async function readGuardRecordings(provider: string): Promise<readonly Recording[]> {
  // Only who checks a pack waits until they are loaded.
  const { default: packs } = await import("./guard_recordings.json", { with: { type: "json" } });
  const pack = (packs as Readonly<Record<string, string>>)[provider];
  if (pack === undefined) throw new Error(`panewright brings no recordings of ${provider} to check it with`);
  return await readPack(Uint8Array.fromBase64(pack), `the recordings of ${provider}`);
}
