import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { VERSION } from "../../lib/base/version.ts";
import { playPanewright } from "../support/run_panewright.ts";

/** What `panewright update --check` says where a registry answers so. */
async function check(answer: Response | undefined, ...flags: readonly string[]) {
  const asked: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ method, url }) => {
    asked.push(`${method} ${new URL(url).pathname}`);
    return answer ?? new Response("", { status: 404 });
  });
  const registry = `http://127.0.0.1:${server.addr.port}/npm`;
  const told = await playPanewright(["update", "--check", ...flags], { env: { npm_config_registry: registry } });
  return { ...told, asked };
}

Deno.test("update --check tells whether the registry has a newer version, and changes nothing", async () => {
  const newer = await check(Response.json({ name: "panewright", version: "99.1.0" }));
  assertEquals([newer.code, newer.asked], [0, ["GET /npm/panewright/latest"]]);
  assertStringIncludes(newer.stdout, `panewright 99.1.0 is there; this is ${VERSION}.`);
  assertMatch(newer.stdout, /npm install --global panewright@99\.1\.0\n$/);
  const same = await check(Response.json({ version: VERSION }));
  assertEquals([same.code, same.stdout], [0, `panewright ${VERSION} is the newest version\n`]);
  const { stdout } = await check(Response.json({ version: "0.0.9" }), "--json");
  const { newest, isNewer } = JSON.parse(stdout);
  assertEquals([newest, isNewer], ["0.0.9", false]);
});

Deno.test("update --check that learns nothing says why; update alone says what to do", async () => {
  for (
    const [answer, why] of [[undefined, /404/], [
      Response.json({ version: "1; rm -rf /" }),
      /tells no version/,
    ]] as const
  ) {
    const { code, stderr } = await check(answer);
    assertEquals(code, 1);
    assertMatch(stderr, /^panewright: Cannot look for a newer version: /);
    assertMatch(stderr, why);
  }
  const insecure = await playPanewright(["update", "--check"], {
    env: { npm_config_registry: "http://198.51.100.1/" },
  });
  assertEquals(insecure.code, 2);
  assertStringIncludes(insecure.stderr, "http: is for this machine only");
  const bare = await playPanewright(["update"]);
  assertEquals(bare.code, 2);
  assertStringIncludes(bare.stderr, "this program does not replace itself");
});
