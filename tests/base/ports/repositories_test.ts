import { assertEquals } from "@std/assert";
import { mayHoldRepository } from "../../../lib/base/ports/repositories.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a folder may hold a repository if it has its parts, or cannot be looked at", async () => {
  await using dir = await tempDir();
  await dir.write({
    "plain/a": "x",
    "clone/.git/config": "",
    "module/.git": "gitdir: x",
    "bare/HEAD": "",
    "file": "x",
  });
  const found = ["plain", "clone", "module", "bare", "missing", "file"].map((name) =>
    mayHoldRepository(`${dir.path}/${name}`)
  );
  assertEquals(found, [false, true, true, true, true, true]);
});
