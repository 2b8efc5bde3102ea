import { assertEquals, assertRejects } from "@std/assert";
import { PanewrightError, UsageError } from "../../../lib/base/errors.ts";
import { readCapture, readCorpus } from "../../../lib/lab/recordings/corpus.ts";
import { readPack, writePack } from "../../../lib/lab/recordings/pack.ts";
import type { Recording } from "../../../lib/lab/recordings/recording.ts";

const ONE: Recording = {
  name: "one",
  provider: "codex",
  version: "1.0.0",
  expect: "idle",
  cursor: [2, 3],
  ansi: "\x1b[1m›",
};
const TWO: Recording = { name: "two", ansi: "›\n", alone: false, expect: "processing" };

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function gzip(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(stream).bytes();
}

Deno.test("a pack holds what was put in, sorted by name, and the same recordings give the same bytes", async () => {
  const pack = await writePack([TWO, ONE]);
  assertEquals(await readPack(pack, "p"), [ONE, TWO]);
  assertEquals(await writePack([ONE, TWO]), pack);
});

Deno.test("a malformed pack is refused with its name and line", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["{", "Cannot read p, line 1: it is not valid JSON"],
    ['\n{"name":"a"}', 'Cannot read p, line 2: "name" and "ansi" must be strings'],
    ['{"name":"a","ansi":"","expect":"busy"}', 'Cannot read p, line 1: "expect" must be one of idle'],
    ['{"name":"a","ansi":"","cursor":[1]}', 'Cannot read p, line 1: "cursor" must be [column, row]'],
    ["[]", "Cannot read p, line 1: it is not a JSON object"],
  ];
  for (const [text, message] of cases) {
    await assertRejects(async () => await readPack(await gzip(text), "p"), PanewrightError, message);
  }
  await assertRejects(() => readPack(new TextEncoder().encode("plain"), "p"), PanewrightError, "it is not a gzip file");
});

Deno.test("a folder's packs and captures are read alike, in the order of their paths", async () => {
  await inFolder(async (folder) => {
    await Deno.writeFile(`${folder}/b.ndjson.gz`, await writePack([TWO]));
    await Deno.writeTextFile(`${folder}/a.ansi`, ONE.ansi);
    await Deno.writeTextFile(`${folder}/a.json`, JSON.stringify({ expect: "idle", title: null, extra: 1 }));
    await Deno.writeTextFile(`${folder}/c.txt`, "no sidecar");
    const entries = await Array.fromAsync(readCorpus(folder));
    assertEquals(entries.map(({ file }) => file.slice(folder.length)), ["/a.ansi", "/b.ndjson.gz#two"]);
    assertEquals(entries[0]?.recording, { name: "a", expect: "idle", ansi: ONE.ansi });
    const all = await Array.fromAsync(readCorpus(folder, { captures: true }));
    assertEquals(all.map(({ recording }) => recording.name), ["a", "two", "c"]);
  });
});

Deno.test("a capture's sidecar may be missing, but not malformed", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.txt`, "›");
    assertEquals(await readCapture(`${folder}/a.txt`), { name: "a", ansi: "›" });
    await Deno.writeTextFile(`${folder}/a.json`, '{"cols":"80"}');
    await assertRejects(() => readCapture(`${folder}/a.txt`), PanewrightError, '/a.json: "cols" must be a number');
    await assertRejects(
      () => Array.fromAsync(readCorpus(`${folder}/none.ansi`)),
      UsageError,
      "there is no such file",
    );
  });
});
