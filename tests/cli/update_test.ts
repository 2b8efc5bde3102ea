import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { VERSION } from "../../lib/base/version.ts";
import { playPanewright } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";

/** What `panewright update --check` says where a registry, asked by the real npm, has this version. */
async function check(version: string | undefined, ...flags: readonly string[]) {
  await using dir = await tempDir();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () =>
      version === undefined ? Response.json({ error: "Not found" }, { status: 404 }) : Response.json({
        name: "panewright",
        "dist-tags": { latest: version },
        versions: { [version]: { name: "panewright", version, dist: { tarball: "http://127.0.0.1/x", shasum: "0" } } },
      }),
  );
  await dir.write({
    "home/.npmrc": `registry=http://127.0.0.1:${server.addr.port}/\n`,
    // What a repository tells npm decides nothing.
    "project/.npmrc": "registry=http://127.0.0.1:1/\n",
    "project/package.json": "{}",
  });
  const env = { HOME: `${dir.path}/home` };
  return await playPanewright(["update", "--check", ...flags], { cwd: `${dir.path}/project`, env });
}

Deno.test("update --check tells whether npm knows a newer version, and changes nothing", async () => {
  const newer = await check("99.1.0");
  assertEquals(newer.code, 0, newer.stderr);
  assertStringIncludes(newer.stdout, `panewright 99.1.0 is there; this is ${VERSION}.`);
  assertMatch(newer.stdout, /npm install --global panewright@99\.1\.0\n$/);
  const same = await check(VERSION);
  assertEquals([same.code, same.stdout], [0, `panewright ${VERSION} is the newest version\n`]);
  const { newest, isNewer } = JSON.parse((await check("0.0.9", "--json")).stdout);
  assertEquals([newest, isNewer], ["0.0.9", false]);
});

Deno.test("update --check that learns nothing says why; update alone says what to do", async () => {
  const none = await check(undefined);
  assertEquals(none.code, 1);
  assertMatch(none.stderr, /^panewright: Cannot look for a newer version: 404 /);
  const without = await playPanewright(["update", "--check"], { env: { PATH: "/nowhere" } });
  assertEquals(without.code, 1);
  assertStringIncludes(without.stderr, "Cannot look for a newer version: there is no program npm to ask");
  const bare = await playPanewright(["update"]);
  assertEquals(bare.code, 2);
  assertStringIncludes(bare.stderr, "this program does not replace itself");
});
