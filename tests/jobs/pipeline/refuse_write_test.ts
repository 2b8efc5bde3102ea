import { assertEquals } from "@std/assert";
import { whyNotWritten } from "../../../lib/jobs/pipeline/refuse_write.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a step may write what its globs name, wherever links lead", async () => {
  await using dir = await tempDir();
  await dir.write({ "src/a.ts": "", "docs/x.md": "" });
  await Deno.symlink("../docs", `${dir.path}/src/out`);
  await Deno.symlink("src", `${dir.path}/in`);
  const may = (path: string) => whyNotWritten(path, { workdir: dir.path, allowWrite: ["src/**"] }) === undefined;
  const yes = ["src/a.ts", `${dir.path}/src/new/b.ts`, "in/c.ts"];
  const no = ["docs/x.md", "src/out/x.md", "../x", "/etc/passwd", "src/../docs/x.md", ".git/config", "src", "~/x", ""];
  assertEquals([...yes, ...no].map(may), [...yes.map(() => true), ...no.map(() => false)]);
  assertEquals(
    whyNotWritten("docs/x.md", { workdir: dir.path, allowWrite: ["src/**", "a.txt"] }),
    "This step may write to these files only: src/**, a.txt. docs/x.md is not among them.",
  );
});
