// deno-lint-ignore-file no-console -- a script for people
/**
 * Writes lib/cli/licenses.json and THIRD_PARTY.md: the licence texts of what the bundle and the executable contain.
 *
 *     deno task licenses
 */
import manifest from "../deno.json" with { type: "json" };

const ROOT = new URL("../", import.meta.url).pathname;
const OUTPUT = `${ROOT}lib/cli/licenses.json`;
const DOCUMENT = `${ROOT}THIRD_PARTY.md`;

/** Packages of which only tests, builds or types use something: nothing that people get contains them. */
export const NOT_SHIPPED: readonly string[] = [
  "@agentclientprotocol/sdk",
  "axe-core",
  "esbuild",
  "openapi-fetch",
  "openapi-typescript",
];

/** A component, and the whole text of its licence. */
export interface License {
  readonly name: string;
  /** The versions in use, sorted. */
  readonly versions: readonly string[];
  readonly text: string;
}

/**
 * What packages in deno.json bring along into the bundle: the validator and the schemas of the MCP library, the proxies
 * and the schemas of the sandbox's.
 */
const BROUGHT_ALONG = [
  "@pondwader/socks5-server@1.0.10",
  "ajv@8.20.0",
  "ajv-formats@3.0.1",
  "content-type@1.0.5",
  "fast-deep-equal@3.1.3",
  "fast-uri@3.1.9",
  "@nats-io/nats-core@3.4.0",
  "@nats-io/nuid@3.0.0",
  "js-sha256@0.11.1",
  "json-schema-traverse@1.0.0",
  "node-forge@1.4.3",
  "tweetnacl@1.0.3",
  "zod-to-json-schema@3.25.2",
  "zod@3.25.76",
];

/** The licences of panewright and of every npm package that it contains, as they stand in node_modules. */
export async function collectLicenses(): Promise<readonly License[]> {
  const own = await Deno.readTextFile(`${ROOT}LICENSE`);
  const packages = Map.groupBy(
    new Set([
      ...Object.values(manifest.imports).map((specifier) => /^npm:((?:@[^/]+\/)?[^/]+@[^/]+)/.exec(specifier)![1]!),
      ...BROUGHT_ALONG,
    ]),
    (spec) => spec.slice(0, spec.lastIndexOf("@")),
  );
  const licenses: License[] = [{ name: manifest.name, versions: [manifest.version], text: own }];
  for (const [name, specs] of [...packages].sort()) {
    if (NOT_SHIPPED.includes(name)) continue;
    const versions = specs.map((spec) => spec.slice(name.length + 1)).sort();
    const folder = `${ROOT}node_modules/.deno/${specs.at(-1)!.replace("/", "+")}/node_modules/${name}`;
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

/** THIRD_PARTY.md: the licences of all but panewright itself, for people. */
export function thirdPartyDocument(licenses: readonly License[]): string {
  const others = licenses.filter(({ name }) => name !== manifest.name);
  return `# Third-party software

<!-- Made by \`deno task licenses\`. -->

panewright is under the [MIT licence](LICENSE). Its bundle and its executables contain the packages below;
\`panewright version --licenses\` prints the same texts. An executable also contains the Deno runtime, which has licences
of its own; the same command says where they are.

${
    others.map(({ name, versions, text }) =>
      `## ${name} ${versions.join(", ")}\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`
    ).join("\n")
  }`;
}

if (import.meta.main) {
  const licenses = await collectLicenses();
  await Deno.writeTextFile(OUTPUT, `${JSON.stringify(licenses, null, 2)}\n`);
  await Deno.writeTextFile(DOCUMENT, thirdPartyDocument(licenses));
  console.log(`${OUTPUT}\n${DOCUMENT}`);
}
