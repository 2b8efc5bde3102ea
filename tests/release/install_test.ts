import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { type CommandResult, systemProcessRunner } from "../../lib/base/ports/process.ts";
import { sha256Hex } from "../../lib/base/text/digest.ts";
import { tempDir } from "../support/temp_dir.ts";
import { whyMissing } from "../support/why_missing.ts";

const INSTALL = new URL("../../.ci/release/install.sh", import.meta.url).pathname;

const ARCHIVE = `panewright-${Deno.build.target}.tar.gz`;

/** What install.sh calls besides curl or wget. */
const NEEDED = "awk chmod cp cut gzip mkdir mktemp mv rm sh sha256sum tar uname";

/** A release on this machine, and the folder of a person who installs it. */
interface Release extends AsyncDisposable {
  readonly home: string;
  /** The folder with the release's files. */
  readonly folder: string;
  /** The same folder, as `--from` takes it where nothing is downloaded. */
  readonly fileUrl: string;
  readonly url: string;
  install(
    args: readonly string[],
    options?: { readonly path?: string; readonly temporary?: string },
  ): Promise<CommandResult>;
  /** What is installed says when it is called. */
  installed(): Promise<string | undefined>;
}

async function release({ version = "0.1.0", exitCode = 0 } = {}): Promise<Release> {
  const folder = await tempDir();
  const home = `${folder.path}/home`;
  await Deno.mkdir(home);
  const program = `#!/bin/sh\necho 'panewright ${version} (deno 2.9.6, linux x86_64)'\nexit ${exitCode}\n`;
  await Deno.writeTextFile(`${folder.path}/panewright`, program, { mode: 0o755 });
  await systemProcessRunner.run({ argv: ["tar", "-czf", ARCHIVE, "panewright"], cwd: folder.path });
  const digest = await sha256Hex(await Deno.readFile(`${folder.path}/${ARCHIVE}`));
  const sums = `${"0".repeat(64)}  panewright-other.tar.gz\n${digest}  ${ARCHIVE}\n`;
  await Deno.writeTextFile(`${folder.path}/SHA256SUMS`, sums);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async ({ url }) => {
    const body = await Deno.readFile(folder.path + new URL(url).pathname).catch(() => undefined);
    return body === undefined ? new Response("none", { status: 404 }) : new Response(body);
  });
  const installedAs = `${home}/.local/bin/panewright`;
  return {
    home,
    folder: folder.path,
    fileUrl: `file://${folder.path}`,
    url: `http://127.0.0.1:${server.addr.port}`,
    install: (args, { path = Deno.env.get("PATH") ?? "", temporary = folder.path } = {}) =>
      systemProcessRunner.run({
        argv: ["/bin/sh", INSTALL, ...args],
        clearEnv: true,
        env: { HOME: home, PATH: path, TMPDIR: temporary },
      }),
    async installed() {
      if (!await exists(installedAs)) return undefined;
      return (await systemProcessRunner.run({ argv: [installedAs, "--version"] })).stdout;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A folder in which a script finds these programs, and no others. */
async function pathWith(programs: string, folder: string): Promise<string> {
  const link = 'mkdir "$0" && for name; do ln -s "$(command -v "$name")" "$0"; done';
  await systemProcessRunner.run({ argv: ["sh", "-ec", link, `${folder}/bin`, ...programs.trim().split(/ +/)] });
  return `${folder}/bin`;
}

for (const downloader of ["curl", "wget"]) {
  const missing = await whyMissing(downloader);
  const told = missing === undefined ? "" : ` (not tried: ${missing})`;
  Deno.test({
    name: `install.sh puts the checked executable into ~/.local/bin, downloaded with ${downloader}${told}`,
    ignore: missing !== undefined,
    async fn() {
      await using it = await release();
      const path = await pathWith(`${downloader} ${NEEDED}`, it.folder);
      const { code, stdout, stderr } = await it.install(["--from", it.url, "--version", "v0.1.0"], { path });
      assertEquals([code, stderr], [0, ""]);
      assertMatch(
        stdout,
        /^panewright 0\.1\.0 .*\ninstalled as .*\/\.local\/bin\/panewright\nAdd .*\.local\/bin to PATH/,
      );
      assertMatch(await it.installed() ?? "", /^panewright 0\.1\.0 /);
      assertEquals([...Deno.readDirSync(`${it.home}/.local/bin`)].map(({ name }) => name), ["panewright"]);

      await Deno.remove(`${it.folder}/SHA256SUMS`);
      await Deno.remove(`${it.home}/.local`, { recursive: true });
      const refused = await it.install(["--from", it.url], { path });
      assertEquals([refused.code, await it.installed()], [1, undefined]);
      assertStringIncludes(refused.stderr, `Cannot install panewright: ${it.url}/SHA256SUMS could not be downloaded\n`);
    },
  });
}

Deno.test("install.sh says that there is neither curl nor wget", async () => {
  await using it = await release();
  const path = await pathWith(NEEDED, it.folder);
  const { code, stderr } = await it.install(["--from", it.url], { path });
  assertEquals([code, stderr], [
    1,
    "Cannot install panewright: there is neither curl nor wget\n  Install one of them.\n",
  ]);
});

Deno.test("install.sh takes files and another folder, and replaces what is there", async () => {
  await using it = await release();
  const folder = `${it.home}/own folder`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/panewright`, "an older one");
  const { code, stderr } = await it.install(["--from", it.fileUrl, "--to", folder]);
  assertEquals([code, stderr], [0, ""]);
  assertMatch(await Deno.readTextFile(`${folder}/panewright`), /^#!\/bin\/sh/);
});

Deno.test("install.sh needs no folder for temporary files, from which nothing may be run on many systems", async () => {
  await using it = await release();
  const { code, stderr } = await it.install(["--from", it.fileUrl], { temporary: `${it.home}/none` });
  assertEquals([code, stderr], [0, ""]);
  assertMatch(await it.installed() ?? "", /^panewright /);
});

Deno.test("install.sh looks at the folder before it downloads anything", async () => {
  await using it = await release();
  await Deno.writeTextFile(`${it.home}/file`, "");
  await Deno.mkdir(`${it.home}/clone/panewright`, { recursive: true });
  for (
    const [folder, words] of [
      [`${it.home}/file/bin`, `the folder ${it.home}/file/bin cannot be made`],
      [`${it.home}/clone`, `${it.home}/clone/panewright is a folder`],
    ] as const
  ) {
    const { code, stderr } = await it.install(["--from", "file:///nonexistent", "--to", folder]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, `Cannot install panewright: ${words}\n  Name another `);
  }
  assertEquals([...Deno.readDirSync(`${it.home}/clone`)].map(({ name }) => name), ["panewright"]);
});

Deno.test("install.sh names the systems that there are executables for where there is none", async () => {
  await using it = await release();
  const path = await pathWith(NEEDED.replace("uname", ""), it.folder);
  await Deno.writeTextFile(`${path}/uname`, "#!/bin/sh\n[ $1 = -s ] && echo FreeBSD || echo riscv64\n", {
    mode: 0o755,
  });
  const { code, stderr } = await it.install(["--from", it.fileUrl], { path });
  assertEquals([code, stderr.split("\n")[0]], [
    1,
    "Cannot install panewright: there is no executable for FreeBSD on riscv64",
  ]);
  // The npm package is for the same ones.
  assertEquals(stderr.includes("npm"), false);
});

for (
  const [what, change, expected] of [
    [
      "another archive than the release has",
      (it: Release) => Deno.writeTextFile(`${it.folder}/${ARCHIVE}`, "1"),
      "SHA-256",
    ],
    ["no checksum for it", (it: Release) => Deno.writeTextFile(`${it.folder}/SHA256SUMS`, ""), "SHA-256"],
    [
      "two checksums for it",
      async (it: Release) => {
        const sums = await Deno.readTextFile(`${it.folder}/SHA256SUMS`);
        await Deno.writeTextFile(`${it.folder}/SHA256SUMS`, sums + sums);
      },
      "SHA-256",
    ],
    ["no SHA256SUMS", (it: Release) => Deno.remove(`${it.folder}/SHA256SUMS`), "could not be read"],
    ["no archive", (it: Release) => Deno.remove(`${it.folder}/${ARCHIVE}`), "could not be read"],
  ] as const
) {
  Deno.test(`install.sh installs nothing where the release has ${what}`, async () => {
    await using it = await release();
    await change(it);
    const { code, stderr } = await it.install(["--from", it.fileUrl]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "Cannot install panewright: ");
    assertStringIncludes(stderr, expected);
    assertEquals(await it.installed(), undefined);
  });
}

Deno.test("install.sh installs nothing where the checksum is not the one that was asked for", async () => {
  await using it = await release();
  const { code, stderr } = await it.install(["--from", it.fileUrl, "--checksum", "f".repeat(64)]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, `not ${"f".repeat(64)}`);
  assertEquals(await it.installed(), undefined);
});

Deno.test("install.sh keeps the old executable where the new one is another version or does not run", async () => {
  for (
    const [made, words] of [
      [{ version: "0.2.0" }, "this is panewright 0.2.0 (deno 2.9.6, linux x86_64), not 0.1.0"],
      [{ exitCode: 1 }, "the executable does not run on this system"],
    ] as const
  ) {
    await using it = await release(made);
    await Deno.mkdir(`${it.home}/.local/bin`, { recursive: true });
    await Deno.writeTextFile(`${it.home}/.local/bin/panewright`, "#!/bin/sh\necho older\n", { mode: 0o755 });
    const { code, stderr } = await it.install(["--from", it.fileUrl, "--version", "0.1.0"]);
    assertEquals([code, await it.installed()], [1, "older\n"]);
    assertStringIncludes(stderr, words);
  }
});

Deno.test("install.sh refuses addresses that anybody between could answer, and arguments that it does not know", async () => {
  await using it = await release();
  for (
    const from of [
      ...["http://releases.invalid", "http://127.0.0.1.invalid", "http://127.0.0.1:80@releases.invalid"],
      ...["ftp://releases.invalid", "/tmp"],
    ]
  ) {
    const { code, stderr } = await it.install(["--from", from]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "is not an https address");
  }
  for (const args of [["--form", it.fileUrl], ["--from"], ["--from", it.fileUrl, "--version", "../../0.1.0"], []]) {
    const { code, stderr } = await it.install(args);
    assertEquals(code, 2, stderr);
  }
  assertEquals(await it.installed(), undefined);
});

Deno.test("install.sh does nothing where its download was cut off", async () => {
  await using it = await release();
  const text = await Deno.readTextFile(INSTALL);
  for (const end of [0.3, 0.6, 0.9]) {
    const { stdout } = await systemProcessRunner.run({
      argv: ["sh", "-s", "--", "--from", it.fileUrl],
      stdin: text.slice(0, Math.floor(text.length * end)),
      clearEnv: true,
      env: { HOME: it.home, PATH: Deno.env.get("PATH") ?? "" },
    });
    assertEquals([stdout, await it.installed()], ["", undefined]);
  }
});
