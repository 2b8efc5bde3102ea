import { assertEquals, assertGreater } from "@std/assert";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { whyMissing } from "../support/why_missing.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const missing = await whyMissing("shellcheck");

Deno.test({
  name: `shellcheck finds nothing in the shell files${missing === undefined ? "" : ` (not tried: ${missing})`}`,
  ignore: missing !== undefined,
  async fn() {
    const argv = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.sh", ".ci/run"] as const;
    const { stdout } = await systemProcessRunner.run({ argv, cwd: ROOT });
    const files = stdout.split("\n").filter((file) => file !== "" && !file.startsWith("fixtures/"));
    assertGreater(files.length, 3);
    const checked = await systemProcessRunner.run({ argv: ["shellcheck", "--severity=warning", ...files], cwd: ROOT });
    assertEquals([checked.stdout, checked.stderr, checked.code], ["", "", 0]);
  },
});
