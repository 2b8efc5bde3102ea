import { assertEquals, assertMatch } from "@std/assert";
import { removeIfThere } from "../../lib/base/ports/files.ts";
import { buildPackage, buildPacked } from "../support/built.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** How a test reaches npm: its registry, its cache, and a proxy. Nothing else of the person's own settings. */
async function npmEnvironment(): Promise<Readonly<Record<string, string>>> {
  const value = async (key: string) => {
    const { stdout } = await new Deno.Command("npm", { args: ["config", "get", key], stderr: "null" }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const proxies = [...names, "NODE_EXTRA_CA_CERTS"].flatMap((name) => {
    const proxy = Deno.env.get(name);
    return proxy === undefined ? [] : [[name, proxy]];
  });
  return {
    ...Object.fromEntries(proxies),
    npm_config_registry: await value("registry"),
    npm_config_cache: await value("cache"),
    npm_config_prefer_offline: "true",
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
}

/** Installs the package as a person does in an empty folder, with a home that is empty as well. */
async function installPackage(
  dir: TempDir,
): Promise<(argv: readonly [string, ...string[]]) => Promise<ProgramResult>> {
  const tarball = await buildPackage(`${dir.path}/built`);
  const [home, cwd] = [`${dir.path}/home`, `${dir.path}/project`];
  for (const folder of [home, cwd]) await Deno.mkdir(folder);
  const env = { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TERM: "xterm", ...await npmEnvironment() };
  const run = (argv: readonly [string, ...string[]]) => runProgram(argv, { cwd, env, timeoutMs: 300_000 });
  const { code, stderr } = await run(["npm", "install", tarball]);
  assertEquals(code, 0, stderr);
  return run;
}

async function smoke(argv: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runProgram(["sh", `${ROOT}tests/smoke/smoke.sh`, ...argv], {
    cwd: ROOT,
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", LANG: "C.UTF-8" },
    timeoutMs: 300_000,
  });
  assertEquals(code, 0, stdout + stderr);
  assertMatch(stdout, /^[1-9]\d* checks passed\n$/m);
}

Deno.test("bundle, npm package and one file stand the same trial, which is mostly waiting, at the same time", async (t) => {
  await using dir = await tempDir();
  const [run, packed] = await Promise.all([installPackage(dir), buildPacked(dir.path)]);
  const installed = `${dir.path}/project/node_modules`;
  const forms = {
    bundle: [Deno.execPath(), "run", "--allow-all", `${ROOT}dist/panewright.mjs`],
    "npm package": [`${installed}/.bin/panewright`],
    "one file": [packed],
  };
  await Promise.all([
    ...Object.entries(forms).map(([name, argv]) =>
      t.step({ name, fn: () => smoke(argv), sanitizeOps: false, sanitizeResources: false, sanitizeExit: false })
    ),
    t.step({
      name: "npx panewright demo",
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
      async fn() {
        const { code, stdout, stderr } = await run(["npx", "panewright", "demo"]);
        assertEquals([code, /^✓ PASS .* 2 rounds/m.test(stdout)], [0, true], stderr);
      },
    }),
  ]);

  await t.step("the npm package starts where npm ran no scripts, and names a Deno that is missing", async () => {
    // What the scripts of the package deno do for panewright is to put it there; an npm that wants a yes to
    // scripts has not run them.
    removeIfThere(`${installed}/deno/deno`);
    const version = await run(["node_modules/.bin/panewright", "version"]);
    assertEquals([version.code, version.stderr], [0, ""]);
    assertMatch(version.stdout, /^panewright \d/);

    await Deno.remove(`${installed}/@deno`, { recursive: true });
    const { code, stdout, stderr } = await run(["npx", "panewright", "version"]);
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /^panewright: Cannot start: its Deno is not installed, or not for this system\n {2}Install/);
  });
});
