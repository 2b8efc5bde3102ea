/** The container image, unpacked as a container's runtime unpacks it, and started as its config says. */
import { assertEquals, assertMatch } from "@std/assert";
import { buildImage } from "../support/built.ts";
import { runProgram } from "../support/program.ts";
import { tempDir } from "../support/temp_dir.ts";
import { minimalRoot, runInRoot } from "./minimal_root.ts";

/** Only root may change its root. Where tests must be whole, that it cannot is a failure. */
const ignore = Deno.uid() !== 0 && Deno.env.get("CI") === undefined;

Deno.test({
  name: "the container image has its parts by their hashes, and runs a job as its config starts it (needs root)",
  ignore,
  async fn() {
    await using dir = await tempDir();
    const minimal = await minimalRoot();
    const image = await buildImage(dir.path, { system: minimal });
    const [layout, root, project] = ["layout", "root", "project"].map((name) => `${dir.path}/${name}`) as [
      string,
      string,
      string,
    ];
    for (const folder of [layout, root, project]) await Deno.mkdir(folder);
    const call = async (...argv: readonly [string, ...string[]]) => {
      const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
      const { code, stdout, stderr } = await runProgram(argv, { cwd: dir.path, env, timeoutMs: 120_000 });
      assertEquals(code, 0, `${argv.join(" ")}: ${stderr}`);
      return stdout;
    };
    await call("tar", "-C", layout, "-xf", image);
    assertEquals(JSON.parse(await Deno.readTextFile(`${layout}/oci-layout`)), { imageLayoutVersion: "1.0.0" });
    const blob = async ({ digest, size }: { digest: string; size: number }) => {
      const path = `${layout}/blobs/${digest.replace(":", "/")}`;
      assertEquals([(await call("sha256sum", path)).slice(0, 64), (await Deno.stat(path)).size], [
        digest.slice(7),
        size,
      ]);
      return path;
    };
    const { manifests: [named] } = JSON.parse(await Deno.readTextFile(`${layout}/index.json`));
    assertMatch(named.annotations["org.opencontainers.image.ref.name"], /^panewright:\d/);
    const manifest = JSON.parse(await Deno.readTextFile(await blob(named)));
    const { config, rootfs } = JSON.parse(await Deno.readTextFile(await blob(manifest.config)));
    for (const [index, layer] of manifest.layers.entries()) {
      const path = await blob(layer);
      const unpacked = await call("sh", "-c", `gzip -dc '${path}' | sha256sum`);
      assertEquals(`sha256:${unpacked.slice(0, 64)}`, rootfs.diff_ids[index]);
      await call("tar", "-C", root, "-xzf", path);
    }
    // What a container's runtime mounts, and the folder that the test is in.
    await call("cp", "-a", `${minimal}/dev/.`, `${root}/dev`);
    await Deno.mkdir(`${root}/project`, { recursive: true });
    const env = Object.fromEntries(config.Env.map((line: string) => line.split(/=(.*)/s, 2)));
    const run = (...args: readonly string[]) =>
      runInRoot([...config.Entrypoint, ...args] as unknown as readonly [string, ...string[]], {
        ...{ project, root, home: "writable" },
        env: { ...env, HOME: "/root" },
      });
    const version = await run("version");
    assertMatch(version.stdout, /^panewright \d+\.\d+\.\d+ \(deno /, version.stderr);
    const demo = await run("demo");
    assertMatch(demo.stdout, /^✓ PASS .* 2 rounds/m, demo.stderr);
  },
});
