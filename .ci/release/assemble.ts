// deno-lint-ignore-file no-console -- a script for people
/**
 * Completes the folder of a release: install.sh and panewright.rb, filled in, and SHA256SUMS of everything in it.
 *
 *     deno run --allow-read --allow-write=FOLDER .ci/release/assemble.ts FOLDER OWNER/NAME VERSION
 *
 * The folder has the archives already. A placeholder that cannot be filled in is an error, so that no release points to
 * what it does not have.
 */
import { basename } from "@std/path/posix";

const PLACEHOLDER = /@(REPOSITORY|VERSION|SHA256):?([\w.-]*)@/g;

async function sha256(path: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await Deno.readFile(path))).toHex();
}

function fail(message: string): never {
  console.error(`Cannot assemble the release: ${message}`);
  Deno.exit(2);
}

const [folder, repository, version, ...rest] = Deno.args;
if (folder === undefined || version === undefined || rest.length > 0) fail("say FOLDER OWNER/NAME VERSION");
if (!/^[\w.-]+\/[\w.-]+$/.test(repository ?? "")) fail(`"${repository}" is not OWNER/NAME`);
const { version: own } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
if (version !== own) fail(`the version is ${own}, and the release is called ${version}`);

for (const name of ["install.sh", "panewright.rb"]) {
  let text = await Deno.readTextFile(new URL(name, import.meta.url));
  for (const [placeholder, key, archive = ""] of text.matchAll(PLACEHOLDER)) {
    const value = key === "REPOSITORY" ? repository : key === "VERSION" ? version : await sha256(`${folder}/${archive}`)
      .catch(() => fail(`${name} names ${archive}, which is not in ${folder}`));
    text = text.replaceAll(placeholder, value ?? "");
  }
  await Deno.writeTextFile(`${folder}/${name}`, text, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
}

const names = (await Array.fromAsync(Deno.readDir(folder))).filter(({ isFile }) => isFile).map(({ name }) => name);
const sums = await Promise.all(
  names.filter((name) => name !== "SHA256SUMS").sort().map(async (name) =>
    `${await sha256(`${folder}/${name}`)}  ${basename(name)}\n`
  ),
);
await Deno.writeTextFile(`${folder}/SHA256SUMS`, sums.join(""));
console.log(sums.join("").trimEnd());
