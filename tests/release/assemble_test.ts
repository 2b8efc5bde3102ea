import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { tempDir } from "../support/temp_dir.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
];

const { version } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));

/** A folder with an archive for each system, whose executable only tells its version. */
async function archives() {
  const folder = await tempDir();
  await folder.write({ "build/panewright": `#!/bin/sh\necho 'panewright ${version} (deno 2.9.6, linux x86_64)'\n` });
  await Deno.chmod(`${folder.path}/build/panewright`, 0o755);
  await Deno.mkdir(`${folder.path}/release`);
  for (const target of TARGETS) {
    const archive = `${folder.path}/release/panewright-${target}.tar.gz`;
    await systemProcessRunner.run({ argv: ["tar", "-czf", archive, "panewright"], cwd: `${folder.path}/build` });
  }
  return folder;
}

const assemble = (folder: string, ...args: readonly string[]) =>
  systemProcessRunner.run({
    argv: [
      Deno.execPath(),
      ...["run", "--quiet", "--allow-read", `--allow-write=${folder}`, `--config=${ROOT}deno.json`],
      ...[`${ROOT}.ci/release/assemble.ts`, folder, ...args],
    ],
  });

Deno.test("a release is assembled with an install.sh that knows it, a formula, and the checksums of all files", async () => {
  await using folder = await archives();
  const release = `${folder.path}/release`;
  const { code, stderr } = await assemble(release, "somebody/panewright", version);
  assertEquals([code, stderr], [0, ""]);
  for (const name of ["install.sh", "panewright.rb"]) {
    const text = await Deno.readTextFile(`${release}/${name}`);
    assertNotMatch(text, /@(?:REPOSITORY|VERSION|SHA256)/);
    assertStringIncludes(text, "somebody/panewright");
  }
  const checked = await systemProcessRunner.run({
    argv: ["sha256sum", "--check", "--strict", "SHA256SUMS"],
    cwd: release,
  });
  assertEquals([checked.code, checked.stdout.match(/: OK$/gm)?.length], [0, TARGETS.length + 2]);

  const installed = await systemProcessRunner.run({
    argv: ["sh", `${release}/install.sh`, "--from", `file://${release}`, "--version", version, "--to", folder.path],
  });
  assertEquals([installed.code, installed.stderr], [0, ""]);
  assertMatch(installed.stdout, /^panewright \d/);
});

Deno.test("a release is not assembled without an archive, under another version, or for something that is not a repository", async () => {
  for (
    const [repository, as, words] of [
      ["somebody/panewright", "99.0.0", `the version is ${version}, and the release is called 99.0.0`],
      ["somebody", version, '"somebody" is not OWNER/NAME'],
      ["somebody/panewright", version, "names panewright-aarch64-apple-darwin.tar.gz, which is not in"],
    ] as const
  ) {
    await using folder = await archives();
    await Deno.remove(`${folder.path}/release/panewright-aarch64-apple-darwin.tar.gz`);
    const { code, stderr } = await assemble(`${folder.path}/release`, repository, as);
    assertEquals(code, 2);
    assertStringIncludes(stderr, words);
  }
});
