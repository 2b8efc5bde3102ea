// deno-lint-ignore-file no-console -- a script for people
/**
 * Builds packs from recordings: `deno run -R -W tests/lab/pack_screens.ts SOURCE [TARGET]`.
 *
 * SOURCE is a folder of captures with sidecars, or of packs, which are read alike. TARGET (default `fixtures/screens`)
 * gets one pack per provider and version; recordings join those of a pack that is there, and replace what has their
 * name.
 */
import { ensureDir, exists } from "@std/fs";
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import { PACK_SUFFIX, writePack } from "../../lib/lab/recordings/pack.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";

if (import.meta.main) {
  const [source, target = "fixtures/screens"] = Deno.args;
  if (source === undefined) {
    console.error("usage: pack_screens.ts SOURCE [TARGET]");
    Deno.exit(2);
  }
  const packs = new Map<string, Recording[]>();
  for await (const { file, recording } of readCorpus(source)) {
    const { provider, version } = recording;
    if (provider === undefined || version === undefined) {
      console.error(`Cannot pack ${file}: its sidecar names no provider or version`);
      Deno.exit(1);
    }
    const path = `${target}/${provider}/${version}${PACK_SUFFIX}`;
    packs.set(path, [...packs.get(path) ?? [], recording]);
  }
  for (const [path, added] of packs) {
    const names = new Set(added.map(({ name }) => name));
    const recordings = [...(await packed(path)).filter(({ name }) => !names.has(name)), ...added];
    const pack = await writePack(recordings);
    await ensureDir(path.slice(0, path.lastIndexOf("/")));
    await Deno.writeFile(path, pack);
    console.log(`${path}: ${recordings.length} recordings, ${pack.length} bytes`);
  }
}

/** The recordings of a pack; none where there is no such pack. */
async function packed(path: string): Promise<Recording[]> {
  if (!await exists(path)) return [];
  return (await Array.fromAsync(readCorpus(path))).map(({ recording }) => recording);
}
