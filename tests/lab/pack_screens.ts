// deno-lint-ignore-file no-console -- a script for people
/**
 * Builds packs from recordings: `deno run -R -W tests/lab/pack_screens.ts SOURCE [TARGET]`.
 *
 * SOURCE is a folder of captures with sidecars, or of packs, which are read alike. TARGET (default `fixtures/screens`)
 * gets one pack per provider and version; a pack that is there already is replaced as a whole.
 */
import { ensureDir } from "@std/fs";
import { readCorpus } from "../../lib/fixtures/corpus.ts";
import { PACK_SUFFIX, writePack } from "../../lib/fixtures/pack.ts";
import type { Recording } from "../../lib/fixtures/recording.ts";

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
  for (const [path, recordings] of packs) {
    const pack = await writePack(recordings);
    await ensureDir(path.slice(0, path.lastIndexOf("/")));
    await Deno.writeFile(path, pack);
    console.log(`${path}: ${recordings.length} recordings, ${pack.length} bytes`);
  }
}
