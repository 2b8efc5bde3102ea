import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import manifest from "../../../deno.json" with { type: "json" };
import licenses from "../../../lib/cli/licenses.json" with { type: "json" };
import { collectLicenses, NOT_SHIPPED, thirdPartyDocument } from "../../../.ci/licenses.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { fakeIo } from "../../support/fake_io.ts";

Deno.test("the licence of every dependency is part of the program; `deno task licenses` collects them", async () => {
  assertEquals(licenses, await collectLicenses());
  const known = licenses.flatMap(({ name, versions }) => versions.map((version) => `npm:${name}@${version}`));
  const needed = Object.entries(manifest.imports).filter(([name]) => !NOT_SHIPPED.includes(name)).map(([, is]) => is);
  assertEquals(needed.filter((specifier) => !known.some((each) => `${specifier}/`.startsWith(`${each}/`))), []);
  const free =
    /Permission is hereby granted|Permission to use, copy|Apache License\s+Version 2\.0|Redistribution and use|Blue Oak Model License|free and unencumbered software/;
  for (const { text } of licenses) assertMatch(text, free);
});

Deno.test("the licence of every package in the bundle is part of the program, also of those that others bring along", async () => {
  await using dir = await tempDir();
  const bundle = `${dir.path}/panewright.mjs`;
  const root = new URL("../../../", import.meta.url).pathname;
  const { code, stderr } = await systemProcessRunner.run({
    argv: [Deno.execPath(), "bundle", "--quiet", "--sourcemap=external", "-o", bundle, "main.ts"],
    cwd: root,
  });
  assertEquals(code, 0, stderr);
  const { sources } = JSON.parse(await Deno.readTextFile(`${bundle}.map`)) as { readonly sources: readonly string[] };
  const contained = new Set(sources.flatMap((path) => /\/node_modules\/\.deno\/([^/_]+)/.exec(path)?.[1] ?? []));
  const known = licenses.flatMap(({ name, versions }) => versions.map((version) => `${name}@${version}`));
  assertEquals([...contained].filter((each) => !known.includes(each.replace("+", "/"))), []);
});

Deno.test("THIRD_PARTY.md has the same licences as the program", async () => {
  assertEquals(
    await Deno.readTextFile(new URL("../../../THIRD_PARTY.md", import.meta.url)),
    thirdPartyDocument(licenses),
  );
});

Deno.test("version --licenses prints the licence texts, and where those of the runtime are", async () => {
  const io = fakeIo();
  assertEquals(await runCli(["version", "--licenses"], io), 0);
  for (const { name, text } of licenses) {
    assertStringIncludes(io.written.stdout, `${name} `);
    assertStringIncludes(io.written.stdout, text.trim());
  }
  assertStringIncludes(io.written.stdout, `V8 ${Deno.version.v8}, BSD 3-Clause`);
  const json = fakeIo();
  await runCli(["version", "--licenses", "--json"], json);
  assertEquals(
    json.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line)),
    licenses.map((license) => ({ type: "license", v: 1, ...license })),
  );
});
