import { assertEquals, assertStringIncludes } from "@std/assert";
import manifest from "../../../deno.json" with { type: "json" };
import licenses from "../../../lib/cli/licenses.json" with { type: "json" };
import { collectLicenses } from "../../../.ci/licenses.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { fakeIo } from "../../support/fake_io.ts";

Deno.test("the licence of every dependency is part of the program; `deno task licenses` collects them", async () => {
  assertEquals(licenses, await collectLicenses());
  const known = licenses.flatMap(({ name, versions }) => versions.map((version) => `npm:${name}@${version}`));
  const needed = Object.values(manifest.imports);
  assertEquals(needed.filter((specifier) => !known.some((each) => `${specifier}/`.startsWith(`${each}/`))), []);
  for (const { text } of licenses) assertStringIncludes(text, "Permission is hereby granted");
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
  assertEquals(json.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line)), licenses);
});
