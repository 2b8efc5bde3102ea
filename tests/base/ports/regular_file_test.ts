import { assertEquals, assertThrows } from "@std/assert";
import { readRegularFile, UnreadableFileError } from "../../../lib/base/ports/regular_file.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a regular file is read whole, up to the limit", async () => {
  await using dir = await tempDir();
  const text = "ä".repeat(100_000);
  await dir.write({ file: text });
  assertEquals(new TextDecoder().decode(readRegularFile(`${dir.path}/file`, { maxBytes: 200_000 })), text);
  assertThrows(
    () => readRegularFile(`${dir.path}/file`, { maxBytes: 199_999 }),
    UnreadableFileError,
    "it is larger than 199999 bytes",
  );
  assertThrows(() => readRegularFile(`${dir.path}/none`, { maxBytes: 1 }), Deno.errors.NotFound);
});

Deno.test("a link, a FIFO, a folder and a device are refused without waiting", async () => {
  await using dir = await tempDir();
  await dir.write({ file: "text" });
  Deno.symlinkSync(`${dir.path}/file`, `${dir.path}/link`);
  await new Deno.Command("mkfifo", { args: [`${dir.path}/fifo`] }).output();
  const refusals = [`${dir.path}/link`, `${dir.path}/fifo`, dir.path, "/dev/zero"].map((path) => {
    return assertThrows(() => readRegularFile(path, { maxBytes: 100 }), UnreadableFileError).message;
  });
  assertEquals(refusals, ["it is a link", "it is a FIFO", "it is a folder", "it is not a regular file"]);
});

Deno.test("links among a file's folders are followed", async () => {
  await using dir = await tempDir();
  await dir.write({ "folder/file": "text" });
  Deno.symlinkSync(`${dir.path}/folder`, `${dir.path}/other`);
  assertEquals(new TextDecoder().decode(readRegularFile(`${dir.path}/other/file`, { maxBytes: 100 })), "text");
});
