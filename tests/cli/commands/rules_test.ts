import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Recording } from "../../../lib/lab/recordings/recording.ts";
import { generateKeys } from "../../../lib/lab/rule_packs/keys.ts";
import { readGuardRecordings } from "../../../lib/lab/rule_packs/guard_recordings.ts";
import { MAX_PACK_BYTES } from "../../../lib/lab/rule_packs/store.ts";
import { VERSION } from "../../../lib/base/version.ts";
import { rulesStage, signedPack } from "../../support/rule_packs.ts";
import { runPanewright } from "../../support/run_panewright.ts";
import { recordingsOf } from "../../support/screens.ts";

const BUILT_IN = `built_in ${VERSION}`;
const GUARDS = await readGuardRecordings("codex");

/** What an update of the CLI may look like: another status row, and a title that no longer spins. */
function updated(recording: Recording): Recording {
  const ansi = recording.ansi.replaceAll(/^.*Working.*esc.*$/gm, "\x1b[2m⏵ Busy: press q to stop, 2 s so far\x1b[0m");
  return { ...recording, ansi, title: "proj", version: "0.170.0" };
}

const BUSY_ROW = {
  id: "busy-row",
  status: "processing",
  region: "status",
  pattern: "^⏵ Busy: press ",
  style: { dim: true },
} as const;

Deno.test("a pack changes what a screen means, for explain and fixtures check, until it is rolled back", async () => {
  await using stage = await rulesStage();
  const { call } = stage;
  const found = (await recordingsOf("codex")).find(({ name, version }) =>
    version === "0.169.0" && name === "processing-waiting-220x50"
  );
  const recording = updated(found!);
  const { ansi, name: _, ...sidecar } = recording;
  await stage.write({ "wd/screens/busy.ansi": ansi, "wd/screens/busy.json": JSON.stringify(sidecar) });
  const explain = async () => JSON.parse((await call(["explain", "--json", `${stage.cwd}/screens/busy.ansi`])).stdout);
  const check = () => call(["fixtures", "check", `${stage.cwd}/screens`, "--partial"]);

  assertEquals((await explain()).status, "unknown");
  assertEquals((await check()).code, 1);

  const pack = await stage.offer({ rules: [BUSY_ROW], recordings: [...GUARDS, recording] });
  const { code, stdout } = await call(["rules", "update", "--from", pack]);
  assertEquals([code, stdout.replace(/signed by \w+/, "signed by K")], [
    0,
    `codex: version ${VERSION}.1 is in use, signed by K; before, ${VERSION}\n`,
  ]);
  const { status, rule, pack: source } = await explain();
  assertEquals([status, rule, source.version], ["processing", "busy-row", `${VERSION}.1`]);
  assertStringIncludes(
    (await call(["explain", `${stage.cwd}/screens/busy.ansi`])).stdout,
    "with the installed rules 0.1.0.1, signed by ",
  );
  assertEquals((await check()).code, 0);

  // A person's own rules are on top of those of the pack.
  const own = { rules: { codex: [{ id: "busy-row", remove: true }] } };
  await stage.write({ "wd/panewright.jsonc": JSON.stringify(own) });
  assertEquals((await check()).code, 1);
  await Deno.remove(`${stage.cwd}/panewright.jsonc`);

  const back = await call(["rules", "rollback"]);
  assertEquals(back.stdout, `codex: version ${VERSION} (built in) is in use; before, ${VERSION}.1\n`);
  assertEquals((await check()).code, 1);
});

Deno.test("rules made with the command line itself are installed by another person who trusts the key", async () => {
  await using stage = await rulesStage();
  const { call, cwd } = stage;
  await call(["rules", "key", "mine"]);
  assertEquals((Deno.lstatSync(`${cwd}/mine`).mode ?? 0) & 0o777, 0o600);
  const again = await call(["rules", "key", "mine"]);
  assertEquals(again.code, 2);
  assertStringIncludes(again.stderr, "there is such a file");
  await Deno.writeTextFile(`${cwd}/taken`, "mine");
  assertEquals((await call(["rules", "key", "taken"])).code, 2);
  assertEquals([...Deno.readDirSync(cwd)].some(({ name }) => name === "taken.pub"), false);
  const shown = await call(["rules", "show", "codex"]);
  await stage.write({ "wd/codex.json": shown.stdout });
  const folder = new URL("../../../fixtures/screens/codex", import.meta.url).pathname;
  const packing = ["rules", "pack", "--provider", "codex", "--screen", "codex.json", "--key", "mine"];
  const parts = ["--pack-version", `${VERSION}.3`, "--recordings", folder, "--out", "out.json"];
  const made = await call([...packing, ...parts, "--json"]);
  assertEquals(made.code, 0, made.stderr);
  const { key, version, recordings } = JSON.parse(made.stdout);
  assertEquals(version, `${VERSION}.3`);
  assert(recordings > 500);

  const untrusted = await call(["rules", "update", "--from", "out.json"]);
  assertEquals(untrusted.code, 3);
  assertStringIncludes(untrusted.stderr, `you do not trust the key that signed it (${key})`);
  assertEquals((await call(["rules", "trust", "mine.pub"])).code, 3);
  const asked = await call(["rules", "trust", "mine.pub"], { terminal: true, keys: ["n\n"] });
  assertEquals(asked.code, 3);
  const agreed = await call(["rules", "trust", "mine.pub"], { terminal: true, keys: ["yes\n"] });
  assertEquals(agreed.code, 0, agreed.stderr);
  assertStringIncludes(agreed.stderr, `signed with the key ${key}`);
  assertEquals((await call(["rules", "update", "--from", "out.json"])).code, 0);
  assertEquals(await stage.inUse(), `pack ${VERSION}.3`);

  // A key that is trusted no longer signs nothing any more, also what is installed.
  assertStringIncludes((await call(["rules", "trust", "--list"])).stdout, `${key}  mine.pub  `);
  assertEquals((await call(["rules", "trust", "--remove", key])).code, 0);
  const { code, stderr } = await call(["explain", "--provider", "codex", "-"], { stdin: "›" });
  assertEquals(code, 2);
  assertStringIncludes(stderr, "Cannot use the rules 0.1.0.3 that you installed for codex: you do not trust the key");
  assertStringIncludes(stderr, "panewright rules rollback codex");
});

Deno.test("rules pack refuses rules that are wrong, and a key that others can read", async () => {
  await using stage = await rulesStage();
  const { call, cwd } = stage;
  await call(["rules", "key", "mine"]);
  const screen = JSON.parse((await call(["rules", "show", "codex"])).stdout);
  screen.rules.push({ id: "all", status: "idle", priority: 2000, region: "screen", pattern: "." });
  const folder = new URL("../../../fixtures/screens/codex/0.169.0.ndjson.gz", import.meta.url).pathname;
  await stage.write({ "wd/codex.json": JSON.stringify(screen) });
  const args = ["rules", "pack", "--provider", "codex", "--screen", "codex.json", "--key", "mine", "--out", "out.json"];
  const parts = ["--pack-version", `${VERSION}.1`, "--recordings", folder];
  const wrong = await call([...args, ...parts]);
  assertEquals(wrong.code, 2);
  assertMatch(wrong.stderr, /Cannot make a pack of codex.json: its rules get \d+ of its own recordings wrong\n/);
  Deno.chmodSync(`${cwd}/mine`, 0o640);
  const open = await call([...args, ...parts]);
  assertStringIncludes(open.stderr, "Cannot sign with mine: other users can read it");
  assertEquals((await call(args)).stderr.includes("--recordings is missing"), true);
  assertEquals(
    await Array.fromAsync(Deno.readDir(cwd), ({ name }) => name).then((names) => names.includes("out.json")),
    false,
  );
});

Deno.test("each refusal leaves what was in use, and says why", async (t) => {
  await using stage = await rulesStage();
  const { call } = stage;
  const current = await stage.offer({ version: `${VERSION}.5` });
  assertEquals((await call(["rules", "update", "--from", current])).code, 0);
  const inUse = `pack ${VERSION}.5`;
  const installed = await Deno.readTextFile(`${stage.folder}/installed.json`);
  const newer = `${VERSION}.6`;
  const refused = async (name: string, from: string, said: string, code = 2) => {
    await t.step(name, async () => {
      const done = await call(["rules", "update", "--from", from]);
      assertEquals(done.code, code, done.stderr);
      assertStringIncludes(done.stderr, said);
      assertEquals(done.stdout, "");
      assertEquals(await stage.inUse(), inUse);
      assertEquals(await Deno.readTextFile(`${stage.folder}/installed.json`), installed);
    });
  };

  const good = await signedPack(stage.keys, { version: newer });
  const value = JSON.parse(good);
  const payload = Uint8Array.fromBase64(value.payload);
  payload[payload.length >> 1]! ^= 1;
  await stage.write({
    "wd/tampered.json": JSON.stringify({ ...value, payload: payload.toBase64() }),
    "wd/recordings.json": JSON.stringify({ ...value, recordings: value.recordings.replace('"idle"', '"error"') }),
    "wd/huge.json": " ".repeat(MAX_PACK_BYTES + 1),
    "wd/text.json": "hello",
  });
  await refused("a tampered byte", "tampered.json", "its signature is wrong: it was changed after it was signed");
  await refused("other recordings", "recordings.json", "its recordings are not those that were signed");
  await refused(
    "another key",
    await stage.offer({ version: newer }, await generateKeys()),
    "you do not trust the key",
    3,
  );
  await refused(
    "an older version",
    await stage.offer({ version: `${VERSION}.4` }),
    "which is not newer than those in use (0.1.0.5)",
  );
  await refused(
    "the built-in version",
    await stage.offer({ version: VERSION }),
    "which is not newer than the built-in ones (0.1.0)",
  );
  await refused(
    "the same version",
    await stage.offer({ version: `${VERSION}.5`, rules: [BUSY_ROW] }),
    "not newer than those in use",
  );
  await refused(
    "a newer engine",
    await stage.offer({ version: newer, payload: { minimum_engine: "3.2" } }),
    "it needs panewright 3.2 or newer",
  );
  const slow = { id: "slow", status: "idle", region: "status", pattern: "^(a+)+$" } as const;
  await refused("a costly pattern", await stage.offer({ version: newer, rules: [slow] }), "could take very long");
  const wrong = GUARDS.map((each) => each.expect === "error" ? { ...each, expect: "idle" as const } : each);
  await refused(
    "a wrong recording",
    await stage.offer({ version: newer, recordings: wrong }),
    "of its own recordings wrong",
  );
  await refused("a huge file", "huge.json", "it is larger than 8 MiB");
  await refused("what is no pack", "text.json", "it is not a pack of rules");
  await refused("a missing file", "gone.json", "there is no such file");
  await refused("a folder", ".", "it is a folder");
  await Deno.symlink(`${stage.cwd}/${current}`, `${stage.cwd}/link.json`);
  await refused("a link", "link.json", "it is a link");
  await new Deno.Command("mkfifo", { args: [`${stage.cwd}/fifo.json`] }).output();
  await refused("a FIFO", "fifo.json", "it is a FIFO");
});

Deno.test("a pack comes from an https address, or from this machine, and no redirect leads elsewhere", async (t) => {
  await using stage = await rulesStage();
  const { call } = stage;
  const pack = await signedPack(stage.keys);
  const asked: string[] = [];
  const answers: Readonly<Record<string, () => Response>> = {
    "/pack.json": () => new Response(pack),
    "/moved": () => Response.redirect(new URL("/pack.json", `http://127.0.0.1:${server.addr.port}`), 302),
    "/out": () => new Response(null, { status: 302, headers: { location: "http://192.0.2.1/pack.json" } }),
    "/file": () => new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } }),
    "/nowhere": () => new Response(null, { status: 302 }),
    "/circle": () => new Response(null, { status: 307, headers: { location: "/circle" } }),
    "/huge": () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) }),
      ),
  };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    return answers[pathname]?.() ?? new Response("no", { status: 404 });
  });
  const at = (path: string) => `http://127.0.0.1:${server.addr.port}${path}`;
  const refused = async (name: string, from: string, said: string, code: number) => {
    await t.step(name, async () => {
      const done = await call(["rules", "update", "--from", from]);
      assertEquals([done.code, await stage.inUse()], [code, BUILT_IN], done.stderr);
      assertStringIncludes(done.stderr, said);
    });
  };
  await refused("http elsewhere", "http://192.0.2.1/pack.json", "http: is for this machine only", 2);
  await refused("another scheme", "ftp://127.0.0.1/pack.json", "ftp: is not https:", 2);
  await refused("a password", "https://me:word@127.0.0.1/pack.json", "must hold no user and no password", 2);
  await refused("a redirect to http elsewhere", at("/out"), "a redirect is refused: http: is for this machine only", 1);
  await refused("a redirect to a file", at("/file"), "a redirect is refused: file: is not https:", 1);
  await refused("a redirect to nowhere", at("/nowhere"), "a redirect is refused: it names no address", 1);
  await refused("a circle", at("/circle"), "more than 5 redirects", 1);
  await refused("an endless file", at("/huge"), `it is larger than ${MAX_PACK_BYTES} bytes`, 1);
  await refused("what is not there", at("/gone"), "the server answered 404", 1);
  await refused("nobody", "https://127.0.0.1:1/pack.json", "Cannot download https://127.0.0.1:1/pack.json", 1);

  const done = await call(["rules", "update", "--from", `${at("/moved")}?token=secret`, "--json"]);
  assertEquals(done.code, 0, done.stderr);
  const { from, version } = JSON.parse(done.stdout);
  assertEquals([from, version], [at("/moved"), `${VERSION}.1`]);
  assertEquals(asked.slice(-2), ["/moved", "/pack.json"]);
  assert(!(await Deno.readTextFile(`${stage.folder}/installed.json`)).includes("secret"));
});

Deno.test("rollback goes back one pack at a time, and what was left comes back only when asked for", async () => {
  await using stage = await rulesStage();
  const { call } = stage;
  const packs = [await stage.offer({ version: `${VERSION}.1` }), await stage.offer({ version: `${VERSION}.2` })];
  for (const pack of packs) assertEquals((await call(["rules", "update", "--from", pack])).code, 0);
  const again = await call(["rules", "update", "--from", packs[1]!]);
  assertEquals([again.code, again.stdout], [0, "codex: version 0.1.0.2 is in use already\n"]);

  const back = JSON.parse((await call(["rules", "rollback", "codex", "--json"])).stdout);
  assertEquals([back.before, back.version, back.source], [`${VERSION}.2`, `${VERSION}.1`, "pack"]);
  const { code, stderr } = await call(["rules", "update", "--from", packs[1]!]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "you went back from them at ");
  assertEquals((await call(["rules", "update", "--from", packs[1]!, "--allow-downgrade"])).code, 0);
  assertEquals(await stage.inUse(), `pack ${VERSION}.2`);
  assertEquals((await call(["rules", "rollback", "codex", "--to-built-in"])).code, 0);
  assertEquals(await stage.inUse(), BUILT_IN);
  const none = await call(["rules", "rollback", "codex"]);
  assertStringIncludes(none.stderr, "the built-in rules are in use");
  assertEquals([...Deno.readDirSync(`${stage.folder}/packs`)], []);

  // An older one can be had by asking, and is then used.
  const older = await stage.offer({ version: "0.0.7" });
  assertEquals((await call(["rules", "update", "--from", older, "--allow-downgrade"])).code, 0);
  assertEquals(await stage.inUse(), "pack 0.0.7");
});

Deno.test("rules that cannot be used stop everything that reads screens, and rollback skips them", async () => {
  await using stage = await rulesStage();
  const { call, folder } = stage;
  const packs: string[] = [];
  for (const version of [1, 2, 3]) {
    packs.push(await stage.offer({ version: `${VERSION}.${version}` }));
    assertEquals((await call(["rules", "update", "--from", packs.at(-1)!])).code, 0);
  }
  const index = JSON.parse(await Deno.readTextFile(`${folder}/installed.json`));
  const files = index.packs.codex.map(({ sha256 }: { sha256: string }) => `${folder}/packs/${sha256}.json`);
  const text = await Deno.readTextFile(files[0]);
  await Deno.writeTextFile(files[0], text.replace('"payload":"e', '"payload":"f'));
  await Deno.remove(files[1]);

  await stage.write({ "wd/panewright.jsonc": '{ "prompt": "x" }' });
  for (
    const args of [["run", "--trust"], ["explain", "--provider", "codex", "-"], ["config", "show"], [
      "fixtures",
      "check",
      ".",
    ]]
  ) {
    const { code, stderr } = await call(args, { stdin: "›" });
    assertEquals(code, 2, args.join(" "));
    assertStringIncludes(stderr, "Cannot use the rules 0.1.0.3 that you installed for codex: its signature is wrong");
    assertStringIncludes(stderr, "panewright rules rollback codex");
  }
  const listed = await call(["rules"]);
  assertEquals(listed.code, 2);
  assertStringIncludes(listed.stdout, "codex: version 0.1.0.3 cannot be used: its signature is wrong");
  // The very pack mends it.
  const mended = await call(["rules", "update", "--from", packs[2]!]);
  assertEquals([mended.code, await stage.inUse()], [0, `pack ${VERSION}.3`], mended.stderr);
  await Deno.remove(files[0]);
  const { stdout, stderr } = await call(["rules", "rollback"]);
  assertStringIncludes(stderr, "Version 0.1.0.2 was left as well: its file is gone");
  assertStringIncludes(stdout, "codex: version 0.1.0.1 is in use; before, 0.1.0.3");

  // An index that is damaged or that others may write is not read, and can be left.
  Deno.chmodSync(`${folder}/installed.json`, 0o666);
  assertStringIncludes((await call(["rules"])).stderr, "can be written by other users");
  Deno.chmodSync(`${folder}/installed.json`, 0o600);
  await Deno.writeTextFile(`${folder}/installed.json`, '{"version":1,"packs":{"codex":[{}]},"left":{}}');
  const damaged = await call(["explain", "--provider", "codex", "-"], { stdin: "›" });
  assertEquals(damaged.code, 2);
  assertStringIncludes(damaged.stderr, "panewright rules rollback --to-built-in");
  assertEquals((await call(["rules", "rollback", "--to-built-in"])).code, 0);
  assertEquals(await stage.inUse(), BUILT_IN);
});

Deno.test("another panewright checks installed rules again, once, and uses built-in ones that are as new", async () => {
  await using stage = await rulesStage();
  const { call, folder } = stage;
  assertEquals((await call(["rules", "update", "--from", await stage.offer()])).code, 0);
  const path = `${folder}/installed.json`;
  const change = async (act: (pack: Record<string, unknown>) => void) => {
    const index = JSON.parse(await Deno.readTextFile(path));
    act(index.packs.codex[0]);
    await Deno.writeTextFile(path, JSON.stringify(index));
  };
  const explain = () => call(["explain", "--provider", "codex", "--json", "-"], { stdin: "›\n100% context left" });

  await change((pack) => pack["checkedBy"] = "0.0.1");
  const { code, stdout } = await explain();
  assertEquals([code, JSON.parse(stdout).pack.version], [0, `${VERSION}.1`]);
  const [{ checkedBy, sha256 }] = JSON.parse(await Deno.readTextFile(path)).packs.codex;
  assertEquals(checkedBy, VERSION);

  // What another version has checked is not believed: here its recordings are gone.
  await Deno.rename(`${folder}/packs/${sha256}.ndjson`, `${folder}/away`);
  assertEquals((await explain()).code, 0);
  await change((pack) => pack["checkedBy"] = "0.0.1");
  assertStringIncludes((await explain()).stderr, "its file is gone");

  // As if panewright had been updated meanwhile.
  await change((pack) => pack["version"] = "0.0.9");
  const outdated = await explain();
  assertEquals([outdated.code, JSON.parse(outdated.stdout).pack], [0, undefined]);
  assertEquals(
    outdated.stderr,
    "The built-in rules (0.1.0) are used for codex: those that you installed (0.0.9) are not newer.\n",
  );
});

Deno.test("a program that may not ask who owns the installed rules does not take the built-in ones instead", async () => {
  await using stage = await rulesStage();
  const { call, cwd, home } = stage;
  assertEquals((await call(["rules", "update", "--from", await stage.offer()])).code, 0);
  const list = (...permissions: readonly string[]) =>
    runPanewright(["rules", "--json"], { cwd, permissions, env: { HOME: home } });
  const blind = await list("--allow-env", "--allow-read");
  assertEquals(blind.code, 2, blind.stdout);
  assertStringIncludes(blind.stderr, "installed.json, which says what rules you use: Requires sys access");
  const seeing = await list("--allow-env", "--allow-read", "--allow-sys=uid");
  assertStringIncludes(seeing.stdout, `"version":"${VERSION}.1"`);
});

Deno.test("doctor tells which rules are in use, and what to do about those that cannot be used", async () => {
  await using stage = await rulesStage();
  const { call, folder } = stage;
  const doctor = async () => {
    const { stdout } = await call(["doctor", "--json"]);
    const findings = stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    return findings.filter(({ check }) => check === "rules for codex").map(({ status, detail }) =>
      `${status} ${detail}`
    );
  };
  assertEquals(await doctor(), ["ok built in, version 0.1.0"]);
  await call(["rules", "update", "--from", await stage.offer()]);
  assertMatch((await doctor()).join(), /^ok version 0\.1\.0\.1, signed by \w{32}, installed 2\S+Z from \/\S+\.json$/);
  for (const { name } of Deno.readDirSync(`${folder}/packs`)) Deno.removeSync(`${folder}/packs/${name}`);
  assertEquals(await doctor(), ["fail version 0.1.0.1 cannot be used: its file is gone"]);
});

Deno.test("wrong usage is told", async () => {
  await using stage = await rulesStage();
  const { call } = stage;
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["rules", "updat"], 'Cannot do "updat" with rules (did you mean "update"?)'],
    [["rules", "update"], "--from is missing"],
    [["rules", "rollback", "--from", "x"], 'Cannot use --from with "rules rollback"'],
    [["rules", "update", "codex", "--from", "x"], '"rules update" takes none'],
    [["rules", "constructor"], 'Cannot do "constructor" with rules'],
    [["rules", "rollback", "constructor"], 'Cannot go back for "constructor": it has no rules of its own'],
    [["rules", "rollback", "claude"], "PROVIDER is codex or claude_code."],
    [["rules", "show", "replay"], 'Cannot show the rules of "replay"'],
    [["rules", "trust", "team.pub", "--remove", "ab"], "Cannot remove the key ab: you do not trust it"],
  ];
  for (const [args, said] of wrong) {
    const { code, stderr } = await call(args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, said);
  }
  const homeless = await call(["rules", "update", "--from", "x"], { env: { HOME: "" } });
  assertStringIncludes(homeless.stderr, "neither HOME nor XDG_STATE_HOME names a folder");
  assertEquals((await call(["rules"], { env: { HOME: "" } })).stdout.split("\n")[0], "codex: built in, version 0.1.0");
});
