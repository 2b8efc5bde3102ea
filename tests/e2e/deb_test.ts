/** The Debian package, installed on a minimal system and removed from it. */
import { assertEquals, assertMatch } from "@std/assert";
import { buildDeb } from "../support/built.ts";
import { runProgram } from "../support/program.ts";
import { tempDir } from "../support/temp_dir.ts";
import { minimalRoot, runInRoot } from "./minimal_root.ts";

/** Only root may change its root. Where tests must be whole, that it cannot is a failure. */
const ignore = Deno.uid() !== 0 && Deno.env.get("CI") === undefined;

Deno.test({
  name:
    "the Debian package installs on a minimal system, runs there, brings its pages and completions, and is removed whole (needs root)",
  ignore,
  async fn() {
    await using dir = await tempDir();
    const [deb, minimal] = await Promise.all([buildDeb(dir.path), minimalRoot()]);
    assertMatch(deb, /panewright_\d+\.\d+\.\d+_(?:amd64|arm64)\.deb$/);
    const root = `${dir.path}/root`;
    const project = `${dir.path}/project`;
    await Deno.mkdir(project);
    const call = async (...argv: readonly [string, ...string[]]) => {
      const { code, stdout, stderr } = await runProgram(argv, {
        ...{ cwd: dir.path, env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } },
        timeoutMs: 120_000,
      });
      assertEquals(code, 0, `${argv.join(" ")}: ${stderr}`);
      return stdout;
    };
    await call("cp", "-a", minimal, root);
    // What stands there for the one file of another test.
    await Deno.remove(`${root}/usr/local/bin/panewright`);
    const listed = async () => new Set((await call("find", `${root}/usr`, `${root}/etc`)).split("\n"));
    const before = await listed();
    await call("dpkg", `--root=${root}`, "--install", deb);
    const run = (...argv: readonly [string, ...string[]]) =>
      runInRoot(argv, { project, root, env: { HOME: "/root", TERM: "xterm", LANG: "C.UTF-8" }, home: "writable" });
    const version = await run("panewright", "version");
    assertMatch(version.stdout, /^panewright \d+\.\d+\.\d+ \(deno /, version.stderr);
    const demo = await run("panewright", "demo");
    assertMatch(demo.stdout, /^✓ PASS .* 2 rounds/m, demo.stderr);
    const brought = [...await listed()].filter((path) => !before.has(path)).map((path) => path.slice(root.length));
    for (
      const path of [
        "/usr/bin/panewright",
        "/usr/share/bash-completion/completions/panewright",
        "/usr/share/zsh/vendor-completions/_panewright",
        "/usr/share/fish/vendor_completions.d/panewright.fish",
        "/usr/share/doc/panewright/copyright",
      ]
    ) assertEquals([path, brought.includes(path)], [path, true]);
    // A minimal system leaves the pages out, as its dpkg is told to.
    const contents = await call("dpkg-deb", "--contents", deb);
    assertMatch(contents, /usr\/share\/man\/man1\/panewright-run\.1\.gz/);
    await call("dpkg", `--root=${root}`, "--remove", "panewright");
    assertEquals([...await listed()].filter((path) => !before.has(path)), []);
  },
});
