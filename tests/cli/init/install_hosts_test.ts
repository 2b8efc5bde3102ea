import { assertEquals } from "@std/assert";
import { installHostsOf } from "../../../lib/cli/init/install_hosts.ts";
import { tempDir } from "../../support/temp_dir.ts";

async function hostsIn(files: Readonly<Record<string, string>>) {
  await using dir = await tempDir();
  await dir.write(files);
  return installHostsOf(dir.path);
}

/** What each package manager writes of one package, from `https://a.example.org`, beside addresses that nothing is installed from. */
const FILES: readonly (readonly [file: string, text: string])[] = [
  [
    "package-lock.json",
    '{"packages": {"node_modules/x": {"resolved": "https://a.example.org/x/-/x-1.tgz", "funding": {"url": "https://fund.example.org/x"}}}}',
  ],
  [
    "yarn.lock",
    'x@^1:\n  version "1.0.0"\n  resolved "https://a.example.org/x/-/x-1.0.0.tgz#0"\n# https://yarn.example.org\n',
  ],
  ["pnpm-lock.yaml", "  x@1:\n    resolution: {integrity: sha512-0, tarball: https://a.example.org/x.tgz}\n"],
  [".npmrc", "# https://docs.example.org\n@mine:registry=https://a.example.org/npm/\n"],
  ["uv.lock", '[[package]]\nsource = { registry = "https://a.example.org/simple" }\n'],
  ["Pipfile", '[[source]]\nurl = "https://me:secret@a.example.org/simple"\n'],
  ["requirements.txt", "# https://docs.example.org\n--extra-index-url https://a.example.org/simple\nx==1\n"],
  ["Cargo.lock", '[[package]]\nname = "x"\nsource = "registry+https://a.example.org/index"\n'],
  ["Gemfile.lock", "GEM\n  remote: https://a.example.org/\n  specs:\n"],
  [
    "composer.lock",
    '{"packages": [{"dist": {"type": "zip", "url": "https://a.example.org/x.zip"}, "support": {"issues": "https://b.example.org"}}]}',
  ],
];

for (const [file, text] of FILES) {
  Deno.test(`init finds in ${file} which host a project installs from`, async () => {
    assertEquals(await hostsIn({ [file]: text }), [{ host: "a.example.org", file }]);
  });
}

Deno.test("the hosts named most often come first, eight at most, and an address or a plain name is none", async () => {
  const line = (host: string) => `  resolved "https://${host}/x.tgz"\n`;
  const many = Array.from({ length: 10 }, (_, index) => line(`h${index}.example.org`)).join("");
  const text = `${line("127.0.0.1")}${line("localhost")}${many}${line("h9.example.org")}`;
  const hosts = await hostsIn({ "yarn.lock": text });
  assertEquals([hosts.length, hosts[0]?.host], [8, "h9.example.org"]);
  assertEquals(hosts.some(({ host }) => /127|localhost/.test(host)), false);
  assertEquals(await hostsIn({ "package.json": '{"homepage": "https://x.example.org"}' }), []);
});
