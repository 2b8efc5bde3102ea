import { assertEquals, assertMatch } from "@std/assert";
import { fillIn } from "../../.ci/runtime.ts";
import { runProgram } from "../support/program.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

/** Puts the launcher into a package, as npm does, and returns its path; a program stands in for Deno. */
async function install(dir: TempDir, { modules, deno }: { readonly modules: string; readonly deno: string }) {
  const launcher = await Deno.readTextFile(new URL("../../.ci/npm_launcher.sh", import.meta.url));
  const bin = `${modules}/panewright/bin/panewright`;
  await dir.write({
    [bin]: fillIn(launcher, { RUN_ARGS: "run --flag" }),
    [deno]: `#!/bin/sh\n[ "$1" = --version ] && exit\nprintf '%s\\n' "$$" "$@"\nexit 7\n`,
    [`${modules}/.bin/empty`]: "",
  });
  for (const path of [bin, deno]) await Deno.chmod(`${dir.path}/${path}`, 0o755);
  const link = `${dir.path}/${modules}/.bin/panewright`;
  await Deno.symlink("../panewright/bin/panewright", link);
  return link;
}

async function start(link: string, ...args: readonly string[]) {
  return await runProgram(["sh", "-c", 'echo "$$"; exec "$0" "$@"', link, ...args], {
    cwd: "/",
    env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" },
    timeoutMs: 60_000,
  });
}

const { os, arch } = Deno.build;
const platform = `@deno/${os}-${arch === "x86_64" ? "x64" : "arm64"}${os === "linux" ? "-glibc" : ""}/deno`;

const PLACES: Readonly<Record<string, readonly [modules: string, deno: string]>> = {
  "beside the package": ["node_modules", "node_modules/deno/deno"],
  "in the package": ["node_modules", "node_modules/panewright/node_modules/deno/deno"],
  "beside what depends on it": ["node_modules/app/node_modules", "node_modules/deno/deno"],
  "beside the package, where npm ran no scripts": ["node_modules", `node_modules/${platform}`],
  "where npm kept it apart and ran no scripts": ["node_modules", `node_modules/deno/node_modules/${platform}`],
};

for (const [name, [modules, deno]] of Object.entries(PLACES)) {
  Deno.test(`the launcher of the npm package becomes the Deno ${name}`, async () => {
    await using dir = await tempDir();
    await dir.write({ [`${deno.slice(0, deno.indexOf("node_modules/"))}node_modules/deno/package.json`]: "{}" });
    const link = await install(dir, { modules, deno });
    const { code, stdout, stderr } = await start(link, "a b", "");
    const [before, after, ...args] = stdout.split("\n");
    assertEquals([code, stderr, after], [7, "", before]);
    assertEquals(args, ["run", "--flag", `${dir.path}/${modules}/panewright/panewright.mjs`, "a b", "", ""]);
  });
}

Deno.test("the launcher of the npm package takes the Deno for this system, not one that was copied from another", async () => {
  await using dir = await tempDir();
  const link = await install(dir, { modules: "node_modules", deno: `node_modules/${platform}` });
  // The beginning of a program for macOS.
  await dir.write({ "node_modules/deno/deno": "\xcf\xfa\xed\xfe\x00\n" });
  await Deno.chmod(`${dir.path}/node_modules/deno/deno`, 0o755);
  assertEquals((await start(link)).code, 7);

  await Deno.remove(`${dir.path}/node_modules/@deno`, { recursive: true });
  const { code, stderr } = await start(link);
  assertEquals(code, 2, stderr);
  assertMatch(
    stderr,
    /^panewright: Cannot start: its Deno is not installed, or not for this system\n {2}Install [^\n]+\n$/,
  );
});

Deno.test("the launcher of the npm package takes no Deno from a folder above the project, which others may own", async () => {
  await using dir = await tempDir();
  const link = await install(dir, { modules: "project/node_modules", deno: "node_modules/deno/deno" });
  const { code, stderr } = await start(link);
  assertEquals(code, 2);
  assertMatch(stderr, /^panewright: Cannot start: its Deno is not installed, or not for this system\n/);
});
