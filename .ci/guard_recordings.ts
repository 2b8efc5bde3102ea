/**
 * Writes lib/lab/rule_packs/guard_recordings.json: the recorded screens that every pack of rules has to get right. Of each
 * provider and each version, the two plainest of each class; the newest versions with all their widths would be more
 * than an executable should carry.
 *
 *     deno task guards
 */
import { classesOf, readCorpus, type Recording, writePack } from "../lib/lab/mod.ts";
import { PROVIDERS } from "../lib/agents/mod.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const OUTPUT = `${ROOT}lib/lab/rule_packs/guard_recordings.json`;

/** Recordings of each class of each version. */
const PER_CLASS = 2;

async function choose(provider: string): Promise<readonly Recording[]> {
  const chosen = new Map<string, Recording>();
  const taken = new Map<string, number>();
  for await (const { recording } of readCorpus(`${ROOT}fixtures/screens/${provider}`)) {
    const { version = "", alone, expect } = recording;
    if (expect === undefined || alone === false) continue;
    for (const each of classesOf(recording)) {
      const key = `${version} ${each}`;
      const count = taken.get(key) ?? 0;
      if (count >= PER_CLASS) continue;
      taken.set(key, count + 1);
      // Names are unique within a version only.
      const name = `${version}/${recording.name}`;
      chosen.set(name, { ...recording, name });
    }
  }
  return [...chosen.values()];
}

const packs: Record<string, string> = {};
for (const { id, terminal } of PROVIDERS) {
  if (terminal?.screen !== undefined) packs[id] = (await writePack(await choose(id))).toBase64();
}
await Deno.writeTextFile(OUTPUT, `${JSON.stringify(packs, undefined, 2)}\n`);
