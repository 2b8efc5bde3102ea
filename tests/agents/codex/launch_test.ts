import { assert, assertEquals } from "@std/assert";
import type { Host } from "../../../lib/base/ports/host.ts";
import { codexLaunchPlan } from "../../../lib/agents/codex/launch.ts";
import { findNativeCodex } from "../../../lib/agents/codex/program.ts";

const REQUEST = { workdir: "/srv/shop", role: "tester" } as const;

/** A machine with these files; a value is where a link leads. */
function host(files: Readonly<Record<string, string>>, os = "linux", arch = "x86_64"): Host {
  return {
    os,
    arch,
    path: ["/home/dev/.npm/bin", "/usr/bin"],
    stateFolder: undefined,
    realFile: (path) => files[path],
  };
}

const LAUNCHER = "/usr/lib/node_modules/@openai/codex/bin/codex.js";
const LINUX = "vendor/x86_64-unknown-linux-musl/bin/codex";

Deno.test("the native program is found beside or below the npm launcher on PATH", async () => {
  for (const place of [`../codex-linux-x64/${LINUX}`, `node_modules/@openai/codex-linux-x64/${LINUX}`, LINUX]) {
    const files = { "/usr/bin/codex": LAUNCHER, [`/usr/lib/node_modules/@openai/codex/${place}`]: "/native" };
    assertEquals(findNativeCodex(host(files)), "/native");
    assertEquals((await codexLaunchPlan(REQUEST, host(files))).argv[0], "/native");
  }
  const mac = "/usr/lib/node_modules/@openai/codex/../codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex";
  assertEquals(findNativeCodex(host({ "/usr/bin/codex": LAUNCHER, [mac]: mac }, "darwin", "aarch64")), mac);
});

Deno.test("whatever else `codex` is, it is started by its name", async () => {
  const old = `/usr/lib/node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/codex/codex`;
  for (
    const files of [
      {},
      { "/usr/bin/codex": "/usr/bin/codex" },
      { "/usr/bin/codex": "/opt/wrapper.sh" },
      { "/usr/bin/codex": LAUNCHER },
      { "/usr/bin/codex": LAUNCHER, [old]: old },
      // The first on PATH counts, also where a later one is the npm launcher.
      {
        "/home/dev/.npm/bin/codex": "/opt/mine",
        "/usr/bin/codex": LAUNCHER,
        [`/usr/lib/node_modules/@openai/codex/${LINUX}`]: "/native",
      },
    ]
  ) assertEquals((await codexLaunchPlan(REQUEST, host(files))).argv[0], "codex");
  assertEquals(findNativeCodex(host({ "/usr/bin/codex": LAUNCHER }, "freebsd")), undefined);
});

Deno.test("only -c settings are added of our own, which no version refuses", async () => {
  const { argv, env, cwd } = await codexLaunchPlan(REQUEST, host({}));
  assertEquals(argv, ["codex", "-c", "features.daemon_auto_start=false", "-c", "check_for_update_on_startup=false"]);
  assertEquals([env, cwd], [{}, "/srv/shop"]);
});

Deno.test("a session to resume is named before the settings, as its command wants it", async () => {
  const { argv } = await codexLaunchPlan({ ...REQUEST, resume: "01a1f78f" }, host({}));
  assertEquals(argv.slice(0, 4), ["codex", "resume", "01a1f78f", "-c"]);
});

Deno.test("command, model, profile, arguments and environment of the role are used as given", async () => {
  const { argv, env } = await codexLaunchPlan({
    ...REQUEST,
    command: ["npx", "codex"],
    model: "gpt-6.1-sol",
    profile: "ci",
    args: ["--sandbox", "workspace-write"],
    env: { PATH: '/a "b":/c', CODEX_HOME: "/h" },
    keepScrollback: true,
  }, host({ "/usr/bin/codex": LAUNCHER, [`/usr/lib/node_modules/@openai/codex/${LINUX}`]: "/native" }));
  assertEquals(argv.slice(0, 2), ["npx", "codex"]);
  assertEquals(argv.slice(-6), ["--model", "gpt-6.1-sol", "--profile", "ci", "--sandbox", "workspace-write"]);
  assert(argv.includes('tui.alternate_screen="never"'));
  assert(argv.includes('shell_environment_policy.set.PATH="/a \\"b\\":/c"'));
  assertEquals(env, { PATH: '/a "b":/c', CODEX_HOME: "/h" });
});
