// deno-lint-ignore-file no-console -- a script for people
/**
 * Makes the npm package of the bundle, with a launcher for the npm package `deno`:
 *
 *     deno task package [FOLDER]
 *
 * The package wants the version of Deno that runs this script. `GITHUB_REPOSITORY` (`OWNER/NAME`), which GitHub sets,
 * says where it comes from: npm holds its provenance to that.
 *
 * @module
 */
import { shellJoin } from "../lib/shell/mod.ts";
import { VERSION } from "../lib/base/version.ts";
import { BUNDLE_FILES, fillIn, ROOT, RUN_ARGS } from "./runtime.ts";

const repository = Deno.env.get("GITHUB_REPOSITORY") ?? "";

const manifest = {
  name: "panewright",
  version: VERSION,
  description:
    "Drives coding agents (Codex, Claude Code, and any that speaks the Agent Client Protocol) to the end of a job",
  keywords: ["agents", "codex", "claude-code", "acp", "tmux", "cli"],
  license: "MIT",
  ...(repository === "" ? {} : { repository: { type: "git", url: `git+https://github.com/${repository}.git` } }),
  bin: { panewright: "bin/panewright" },
  os: ["linux", "darwin"],
  cpu: ["x64", "arm64"],
  dependencies: { deno: Deno.version.deno },
};

const [output = `${ROOT}dist/npm`] = Deno.args;
const folder = `${output}/package`;
await Deno.remove(folder, { recursive: true }).catch(() => {});
await Deno.mkdir(`${folder}/bin`, { recursive: true });
const launcher = await Deno.readTextFile(new URL("npm_launcher.sh", import.meta.url));
await Deno.writeTextFile(`${folder}/bin/panewright`, fillIn(launcher, { RUN_ARGS: shellJoin(RUN_ARGS) }), {
  mode: 0o755,
});
await Deno.writeTextFile(`${folder}/package.json`, `${JSON.stringify(manifest, undefined, 2)}\n`);
for (const name of BUNDLE_FILES) await Deno.copyFile(`${ROOT}dist/${name}`, `${folder}/${name}`);
for (const name of ["README.md", "CHANGELOG.md", "LICENSE", "THIRD_PARTY.md"]) {
  await Deno.copyFile(`${ROOT}${name}`, `${folder}/${name}`);
}

const { code, stdout } = await new Deno.Command("npm", {
  args: ["pack", "--silent", "--pack-destination", output, folder],
  stdin: "null",
  stderr: "inherit",
}).output();
if (code === 0) console.log(`${output}/${new TextDecoder().decode(stdout).trim()}`);
Deno.exit(code);
