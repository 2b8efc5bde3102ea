// deno-lint-ignore-file no-console -- a script for people
/**
 * Writes lib/cli/licenses.json: the licence texts of what the bundle and the executable contain.
 *
 *     deno task licenses
 */
import manifest from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url).pathname;
const OUTPUT = `${ROOT}lib/cli/licenses.json`;

/** A component, and the whole text of its licence. */
export interface License {
  readonly name: string;
  /** The versions in use, sorted. */
  readonly versions: readonly string[];
  readonly text: string;
}

/** The licences of panewright and of every npm package in deno.json, as they stand in node_modules. */
export async function collectLicenses(): Promise<readonly License[]> {
  const own = await Deno.readTextFile(`${ROOT}LICENSE`);
  const packages = Map.groupBy(
    new Set(Object.values(manifest.imports).map((specifier) => /^npm:([^/]+@[^/]+)/.exec(specifier)![1]!)),
    (spec) => spec.slice(0, spec.lastIndexOf("@")),
  );
  const licenses: License[] = [{ name: manifest.name, versions: [manifest.version], text: own }];
  for (const [name, specs] of [...packages].sort()) {
    const versions = specs.map((spec) => spec.slice(name.length + 1)).sort();
    const folder = `${ROOT}node_modules/.deno/${specs.at(-1)}/node_modules/${name}`;
    licenses.push({ name, versions, text: await textOf(folder) ?? mitLicense(own, await copyrightOf(folder)) });
  }
  return licenses;
}

async function textOf(folder: string): Promise<string | undefined> {
  for await (const { name } of Deno.readDir(folder)) {
    if (/^licen[cs]e(\.md|\.txt)?$/i.test(name)) {
      return (await Deno.readTextFile(`${folder}/${name}`)).replaceAll("\r\n", "\n");
    }
  }
  return undefined;
}

/** deno-std ships no licence file, but names its owners and the MIT licence at the head of each of its files. */
async function copyrightOf(folder: string): Promise<string> {
  const head = /^\/\/ (Copyright .*)\. MIT license\.$/m.exec(await Deno.readTextFile(`${folder}/path/posix/mod.js`));
  if (head === null) {
    throw new Error(`Cannot find the licence of ${folder}: it has no file for it, and no words in its code`);
  }
  return head[1]!;
}

/** The MIT licence with another's copyright; ours is the same text. */
function mitLicense(own: string, copyright: string): string {
  return own.replace(/^Copyright .*$/m, copyright);
}

if (import.meta.main) {
  await Deno.writeTextFile(OUTPUT, `${JSON.stringify(await collectLicenses(), null, 2)}\n`);
  console.log(OUTPUT);
}
