// deno-lint-ignore-file no-console -- a script for people
/**
 * Makes one executable file of the bundle and of the Deno that runs this script, for systems like this one: a script
 * for `sh`, and behind it the parts of the program, compressed. It needs no network.
 *
 *     deno task pack [FILE]
 *
 * @module
 */
import { dirname } from "@std/path/posix";
import { shellJoin } from "../lib/shell/mod.ts";
import { sha256Hex } from "../lib/base/text/digest.ts";
import { VERSION } from "../lib/base/version.ts";
import { BUNDLE_FILES, fillIn, ROOT, RUN_ARGS } from "./runtime.ts";

/** The script is filled up to this length, as it names where the parts behind it begin. */
const HEAD_BYTES = 8192;

if (import.meta.main) {
  const [output = `${ROOT}dist/pack/panewright`] = Deno.args;
  await Deno.mkdir(dirname(output), { recursive: true });
  // Whoever starts the old file meanwhile reads the old file.
  const partial = `${output}.${Deno.pid}`;
  await Deno.writeFile(partial, await pack(), { mode: 0o755 });
  await Deno.rename(partial, output);
  console.log(output);
}

/** The bytes of the executable file. */
export async function pack(): Promise<Uint8Array> {
  const files = {
    deno: Deno.execPath(),
    ...Object.fromEntries(BUNDLE_FILES.map((name) => [name, `${ROOT}dist/${name}`])),
  };
  const parts = await Promise.all(
    Object.entries(files).map(async ([name, path]) => ({ name, bytes: await compressed(path) })),
  );
  const payload = await new Blob(parts.map(({ bytes }) => bytes)).bytes();
  const checksum = await sha256Hex(payload);
  let at = HEAD_BYTES + 1;
  const places = parts.map(({ name, bytes: { length } }) => `  part ${name} ${(at += length) - length} ${length}`);
  const script = await Deno.readTextFile(new URL("packed_head.sh", import.meta.url));
  const head = fillIn(script, {
    VERSION,
    TARGET: Deno.build.target,
    NAME: `${VERSION}-${checksum.slice(0, 16)}`,
    CHECKSUM: checksum,
    RUN_ARGS: shellJoin(RUN_ARGS),
    PARTS: places.join("\n"),
    FIRST_BYTE: `${HEAD_BYTES + 1}`,
  });
  if (head.length > HEAD_BYTES) throw new RangeError(`packed_head.sh is longer than ${HEAD_BYTES} bytes`);
  return await new Blob([head.padEnd(HEAD_BYTES, "\n"), payload]).bytes();
}

async function compressed(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await Deno.open(path);
  return await new Response(file.readable.pipeThrough(new CompressionStream("gzip"))).bytes();
}
