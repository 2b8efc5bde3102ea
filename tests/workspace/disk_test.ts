import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import { bytesOfSize } from "../../lib/config/place_settings.ts";
import { requireRoom } from "../../lib/workspace/disk.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("workspace.max_disk: from four fifths of it on it is told, and beyond it no other workspace is made", async () => {
  await using dir = await tempDir();
  using _state = useStateHome(`${dir.path}/state`);
  await dir.write({ "shop/a.txt": "one\n" });
  const script = "git init -q && git add . && git -c user.name=Me -c user.email=me@example.com commit -qm first";
  await runProgram(["sh", "-c", script], {
    cwd: `${dir.path}/shop`,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: dir.path },
    timeoutMs: 20_000,
  });
  const { signal } = new AbortController();
  const told: string[] = [];
  const require = (maxBytes: number) => requireRoom(maxBytes, { signal, warn: (message) => told.push(message) });
  await require(1);
  for (const task of ["Small", "Large"]) {
    const { tree } = await openWorkspace(`${dir.path}/shop`, { task, now: new Date(), signal });
    if (task === "Large") await Deno.writeFile(`${tree}/large.bin`, new Uint8Array(8 * 1024 ** 2));
  }
  await require(100 * 1024 ** 2);
  assertEquals(told, []);
  await require(10 * 1024 ** 2);
  assertMatch(
    told[0] ?? "",
    /^workspaces take 8\.\d MiB, and workspace\.max_disk is 10\.0 MiB\. Remove what you do not need: panewright discard large \(8\.\d MiB\), panewright discard small/,
  );
  const error = await assertRejects(() => require(8 * 1024 ** 2), HumanInterventionRequiredError);
  assertMatch(error.message, /^Cannot open a workspace: workspaces take 8\.\d MiB/);
  assertMatch(error.hint ?? "", /^Remove what you do not need: panewright discard large/);
});

Deno.test("a size is a number with its unit", () => {
  assertEquals(["500MB", "1.5 GB", "2TB"].map(bytesOfSize), [500 * 1024 ** 2, 1.5 * 1024 ** 3, 2 * 1024 ** 4]);
});
