import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { callCli } from "../../support/call_cli.ts";
import { tempDir } from "../../support/temp_dir.ts";

for (
  const [words, message] of [
    [["t", "--parallel", "0"], "--parallel: must be at least 1, but is 0"],
    [["t", "--parallel", "33"], "--parallel: must be at most 32, but is 33"],
    [["t", "--parallel=-1"], "--parallel"],
    [["t", "--attempts", "0"], "--attempts: must be at least 1, but is 0"],
    [["t/a.md", "--attempts", "17"], "--attempts: must be at most 16, but is 17"],
    [
      ["t/a.md", "--parallel", "2"],
      "Cannot use --parallel: it is for the tasks of a folder, and for steps that say what they need",
    ],
  ] as const
) {
  Deno.test(`exec ${words.join(" ")} is refused, and nothing is begun`, async () => {
    await using dir = await tempDir();
    const pipelines = { main: [{ name: "work", prompt: "self", check: { type: "none" } }] };
    await dir.write({ "t/a.md": "Do it.\n", "panewright.jsonc": JSON.stringify({ pipelines }) });
    const { code, stderr } = await callCli(["exec", ...words], {
      cwd: dir.path,
      env: { HOME: dir.path, PATH: Deno.env.get("PATH") ?? "" },
    });
    assertEquals(code, 2);
    assertStringIncludes(stderr, message);
    assertEquals(await exists(`${dir.path}/.panewright`), false);
  });
}
