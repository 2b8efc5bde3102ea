import { assertEquals } from "@std/assert";
import { openInnerFolder } from "../../../lib/api/http/inner_folder.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** A server's folder as one that was killed leaves it. */
async function leave(path: string): Promise<void> {
  await Deno.mkdir(path, { mode: 0o700 });
  await Deno.writeTextFile(`${path}/lock`, "process 1");
}

const names = (dir: string) => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();

Deno.test("the folder of a server that was killed is taken away by the next one", async () => {
  await using dir = await tempDir();
  await leave(`${dir.path}/panewright-serve-dead`);
  {
    await using inner = await openInnerFolder(dir.path);
    assertEquals(names(dir.path).map((name) => `${dir.path}/${name}`), [inner.path]);
    // One that lives is left alone, whether it has clients or not.
    await using other = await openInnerFolder(dir.path);
    assertEquals(names(dir.path).map((name) => `${dir.path}/${name}`), [inner.path, other.path].toSorted());
  }
  assertEquals(names(dir.path), []);
});

Deno.test("what may be somebody else's is not taken away: a link, another file, what others can write", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/elsewhere`);
  await leave(`${dir.path}/elsewhere/panewright-serve-dead`);
  await Deno.symlink(`${dir.path}/elsewhere/panewright-serve-dead`, `${dir.path}/panewright-serve-link`);
  for (const name of ["file", "open", "empty"]) {
    await Deno.mkdir(`${dir.path}/panewright-serve-${name}`, { mode: 0o700 });
  }
  await Deno.writeTextFile(`${dir.path}/panewright-serve-file/precious`, "");
  await Deno.writeTextFile(`${dir.path}/panewright-serve-open/lock`, "");
  await Deno.chmod(`${dir.path}/panewright-serve-open`, 0o777);
  const before = names(dir.path);
  {
    await using _inner = await openInnerFolder(dir.path);
  }
  assertEquals(names(dir.path), before);
  assertEquals(names(`${dir.path}/elsewhere/panewright-serve-dead`), ["lock"]);
});

Deno.test("a folder's owner that is killed lets go of it", async () => {
  await using dir = await tempDir();
  const code = `import { openInnerFolder } from ${
    JSON.stringify(import.meta.resolve("../../../lib/api/http/inner_folder.ts"))
  };
    await openInnerFolder(${JSON.stringify(dir.path)});
    setInterval(() => {}, 1000);`;
  await Deno.writeTextFile(`${dir.path}/hold.ts`, code);
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const args = ["run", "--quiet", "--no-check", "--no-lock", "-P=tests", "--config", config, `${dir.path}/hold.ts`];
  await using program = new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "null", stderr: "null" })
    .spawn();
  const left = await until(() => names(dir.path).find((name) => name.startsWith("panewright-serve-")));
  await using held = await openInnerFolder(dir.path);
  assertEquals(names(dir.path).includes(left!), true);
  program.kill("SIGKILL");
  await program.status;
  await using _next = await openInnerFolder(dir.path);
  assertEquals([names(dir.path).includes(left!), names(held.path)], [false, ["lock"]]);
});
