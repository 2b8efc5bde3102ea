import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { buildPacked } from "../support/built.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const MODES = { deno: "700", "panewright-hook.mjs": "600", "panewright-sandbox.mjs": "600", "panewright.mjs": "600" };

let folder: TempDir;
let packed: string;
/** A home in which the one file has been started once: to unpack it is most of what these tests take. */
let used: { readonly home: string; readonly cache: string; readonly first: ProgramResult };
Deno.test.beforeAll(async () => {
  folder = await tempDir();
  packed = await buildPacked(folder.path);
  // A config above the cache is not panewright's.
  await folder.write({ "home/deno.json": "{ not a config", "temporary/deno.json": "{ not a config" });
  const home = `${folder.path}/home`;
  used = { home, cache: `${home}/.cache/panewright`, first: await start(["version"], { HOME: home }) };
});
Deno.test.afterAll(async () => await folder[Symbol.asyncDispose]());

async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { program = packed, cwd = folder.path }: { readonly program?: string; readonly cwd?: string } = {},
): Promise<ProgramResult> {
  // A temporary folder of its own: what an earlier start has unpacked in the system's would be taken.
  const variables = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TMPDIR: `${folder.path}/temporary`, ...env };
  return await runProgram([program, ...args], { cwd, env: variables, timeoutMs: 120_000 });
}

/** The name of the folder in a cache to which this version is unpacked; `deno` is the runtime's own. */
async function placeIn(cache: string): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(cache))).map(({ name }) => name).filter((name) => name !== "deno");
  assertEquals(names.length, 1);
  return names[0] ?? "";
}

/** The unpacked files of a cache, by name, with their modes; the folder itself is `.`. */
async function unpackedIn(cache: string): Promise<Readonly<Record<string, string>>> {
  const place = `${cache}/${await placeIn(cache)}`;
  const found: Record<string, string> = { ".": modeOf(place) };
  for await (const { name } of Deno.readDir(place)) found[name] = modeOf(`${place}/${name}`);
  return found;
}

function modeOf(path: string): string {
  return ((Deno.lstatSync(path).mode ?? 0) & 0o777).toString(8);
}

/** When each unpacked file was made, to see that none is made again. */
async function inodesIn(cache: string): Promise<readonly (number | null)[]> {
  const place = `${cache}/${await placeIn(cache)}`;
  return Object.keys(MODES).map((name) => Deno.statSync(`${place}/${name}`).ino);
}

const version = (stdout: string) => assertMatch(stdout, /^panewright \d+\.\d+\.\d+ \(deno [\d.]+, \w+ \w+\)\n$/);

Deno.test("the one file unpacks itself once, for its user alone, and hands on its arguments", async () => {
  const { home, cache, first } = used;
  assertEquals([first.code, first.stderr], [0, ""]);
  version(first.stdout);
  assertEquals(modeOf(cache), "700");
  assertEquals(await unpackedIn(cache), { ".": "700", ...MODES });
  const files = await inodesIn(cache);

  const second = await start(["a'b'$c,*", "*"], { HOME: home });
  assertEquals([second.code, second.stdout], [2, ""]);
  assertStringIncludes(second.stderr, `Cannot run "a'b'$c,*": no such command`);
  assertEquals(await inodesIn(cache), files);
});

Deno.test("a first start after one that was killed is whole, and takes away what the other left", async () => {
  const { home, cache } = used;
  const place = `${cache}/${await placeIn(cache)}`;
  await Deno.mkdir(`${place}/new.killed`);
  await Deno.rename(`${place}/deno`, `${place}/new.killed/deno`);
  const { code, stdout, stderr } = await start(["version"], { HOME: home });
  assertEquals([code, stderr], [0, ""]);
  version(stdout);
  assertEquals(await unpackedIn(cache), { ".": "700", ...MODES });
});

Deno.test("what was emptied in the cache is unpacked again", async () => {
  const { home, cache } = used;
  const place = `${cache}/${await placeIn(cache)}`;
  for (const name of Object.keys(MODES)) {
    await Deno.truncate(`${place}/${name}`);
    const { code, stdout, stderr } = await start(["version"], { HOME: home });
    assertEquals([name, code, stderr], [name, 0, ""]);
    version(stdout);
  }
  assertEquals(await unpackedIn(cache), { ".": "700", ...MODES });
});

Deno.test("first starts of the one file at the same time all succeed, and leave nothing half made", async () => {
  await using home = await tempDir();
  const results = await Promise.all(Array.from({ length: 3 }, () => start(["version"], { HOME: home.path })));
  for (const { code, stdout, stderr } of results) {
    assertEquals([code, stderr], [0, ""]);
    version(stdout);
  }
  assertEquals(await unpackedIn(`${home.path}/.cache/panewright`), { ".": "700", ...MODES });
});

Deno.test("a cache that cannot be written: the one file takes the folder for temporary files", async () => {
  await using home = await tempDir();
  await home.write({
    ".cache": "a file, so that not even root can make a folder in it",
    "tmp/deno.json": "{ no config",
  });
  const env = { HOME: home.path, TMPDIR: `${home.path}/tmp` };
  const cache = `${home.path}/tmp/panewright-${Deno.uid()}`;
  const first = await start(["version"], env);
  assertEquals([first.code, first.stderr], [0, ""]);
  const files = await inodesIn(cache);
  version((await start(["version"], env)).stdout);
  assertEquals(await inodesIn(cache), files);
  assertEquals(modeOf(cache), "700");
  assertEquals(await unpackedIn(cache), { ".": "700", ...MODES });

  // Without a home, and with paths that are not absolute, it is the system's folder: nothing is written beside the work.
  await using work = await tempDir();
  version((await start(["version"], { TMPDIR: env.TMPDIR, XDG_CACHE_HOME: "relative" }, { cwd: work.path })).stdout);
  assertEquals(await Array.fromAsync(Deno.readDir(work.path)), []);
});

Deno.test("the one file runs nothing that others may have put where it unpacks to", async () => {
  await using home = await tempDir();
  const place = await placeIn(used.cache);
  // What a link leads to is somebody's choice: here, a program that would be seen to run.
  await home.write({ [`theirs/${place}/deno`]: "#!/bin/sh\necho theirs\n" });
  await home.write({
    [`theirs/${place}/panewright.mjs`]: "-",
    [`theirs/${place}/panewright-hook.mjs`]: "-",
    [`theirs/${place}/panewright-sandbox.mjs`]: "-",
  });
  await Deno.chmod(`${home.path}/theirs/${place}/deno`, 0o755);
  await Deno.mkdir(`${home.path}/xdg`);
  await Deno.symlink(`${home.path}/theirs`, `${home.path}/xdg/panewright`);
  await Deno.mkdir(`${home.path}/tmp`);
  await Deno.symlink(`${home.path}/theirs`, `${home.path}/tmp/panewright-${Deno.uid()}`);
  const { code, stdout, stderr } = await start(["version"], {
    HOME: home.path,
    XDG_CACHE_HOME: `${home.path}/xdg`,
    TMPDIR: `${home.path}/tmp`,
  });
  assertEquals([code, stdout], [2, ""]);
  assertEquals(
    stderr.split("\n").slice(0, 3),
    [
      "panewright: Cannot start: it can be unpacked nowhere, or does not run there:",
      ...[`${home.path}/xdg/panewright`, `${home.path}/tmp/panewright-${Deno.uid()}`].map((link) =>
        `  ${link}: ${link} is a link, or belongs to somebody else`
      ),
    ],
  );
});

Deno.test({
  name: "the one file leaves the cache of another user alone, whose home root may have (needs root)",
  ignore: Deno.uid() !== 0,
  async fn() {
    await using home = await tempDir();
    const cache = `${home.path}/.cache/panewright`;
    await Deno.mkdir(cache, { recursive: true });
    await Deno.chown(cache, 65534, 65534);
    await Deno.mkdir(`${home.path}/tmp`);
    const { code, stdout, stderr } = await start(["version"], { HOME: home.path, TMPDIR: `${home.path}/tmp` });
    assertEquals([code, stderr], [0, ""]);
    version(stdout);
    assertEquals(await unpackedIn(`${home.path}/tmp/panewright-0`), { ".": "700", ...MODES });
    assertEquals((await Array.fromAsync(Deno.readDir(cache))).length, 0);

    // Nor is one made in another user's home: that user could not use it.
    await Deno.remove(`${home.path}/.cache`, { recursive: true });
    await Deno.chown(home.path, 65534, 65534);
    await using other = await tempDir();
    version((await start(["version"], { HOME: home.path, TMPDIR: other.path })).stdout);
    assertEquals((await Array.fromAsync(Deno.readDir(home.path))).map(({ name }) => name), ["tmp"]);
  },
});

Deno.test("a damaged file says so, and unpacks nothing", async () => {
  await using home = await tempDir();
  const bytes = await Deno.readFile(packed);
  const damages: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    cut: (whole) => whole.subarray(0, whole.length - 1000),
    changed: (whole) => whole.with(whole.length - 500, (whole.at(-500) ?? 0) ^ 1),
  };
  for (const [name, damage] of Object.entries(damages)) {
    const program = `${home.path}/${name}`;
    await Deno.writeFile(program, damage(bytes), { mode: 0o755 });
    const { code, stdout, stderr } = await start(["version"], { HOME: home.path }, { program });
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /^panewright: Cannot start: \S+ is damaged: .*\n {2}Download or build it again\.\n$/);
  }
  assertEquals((await Array.fromAsync(Deno.readDir(home.path))).map(({ name }) => name).sort(), ["changed", "cut"]);
});

Deno.test("programs that the first start needs and cannot find are named, all at once", async () => {
  await using home = await tempDir();
  const { code, stderr } = await start(["version"], { HOME: home.path, PATH: home.path });
  assertEquals(code, 2);
  assertMatch(
    stderr,
    /^panewright: Cannot start: programs that unpack it are missing: chmod gzip .*sha256sum\n {2}Install/,
  );
});
