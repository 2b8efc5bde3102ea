import { assertEquals, assertRejects } from "@std/assert";
import { exists } from "@std/fs";
import { RuntimeError } from "../../lib/base/errors.ts";
import { setUpWorkspace } from "../../lib/jobs/set_up.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { runProgram } from "../support/program.ts";
import { useStateHome } from "../support/state_home.ts";
import { tempDir } from "../support/temp_dir.ts";
import { recordingRun } from "./evidence/support.ts";

const { signal } = new AbortController();

/** A repository of which workspaces are made, and what its setup has told. */
async function repository() {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const repo = `${dir.path}/repo`;
  await dir.write({ "repo/lock": "1\n", "repo/.gitignore": "deps\n" });
  const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const begin = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  assertEquals((await runProgram(["sh", "-c", begin], { cwd: repo, env, timeoutMs: 20_000 })).code, 0);
  const records: { readonly type: string; readonly outcome?: string }[] = [];
  return {
    ...{ dir, records },
    open: () => openWorkspace(repo, { task: "work", now: new Date(), signal }),
    setUp: (workdir: string, command?: string) =>
      setUpWorkspace({
        run: recordingRun(runFolderAt(workdir, "20260101-000000-0000"), records),
        plan: {
          workdir,
          workspace: {
            share: [],
            ...(command === undefined ? {} : { setup: { command, files: ["lock"], timeLimitSeconds: 20 } }),
          },
        },
        around: undefined,
      }),
    told: () => records.map(({ outcome }) => outcome),
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const MAKES = "mkdir deps; echo made > deps/a";

Deno.test("a setup is done once in a workspace, and copied into the next one", async () => {
  await using of = await repository();
  const [first, next] = [await of.open(), await of.open()];
  for (const { workdir } of [first, first, next]) await of.setUp(workdir, MAKES);
  assertEquals(of.told(), ["made", "kept"]);
  assertEquals(await Deno.readTextFile(`${next.workdir}/deps/a`), "made\n");
});

Deno.test("what a setup makes where agents have worked before gets into no other workspace", async () => {
  await using of = await repository();
  const [used, next] = [await of.open(), await of.open()];
  // A run without a setup; what it left is not in any commit.
  await of.setUp(used.workdir);
  await Deno.mkdir(`${used.workdir}/deps`);
  await Deno.writeTextFile(`${used.workdir}/deps/evil`, "evil\n");
  const command = "mkdir -p deps; echo made > deps/a";
  for (const { workdir } of [used, next]) await of.setUp(workdir, command);
  assertEquals(of.told(), ["made", "made"]);
  assertEquals(await exists(`${next.workdir}/deps/evil`), false);
});

Deno.test("a setup that fails says what it said, and is tried again", async () => {
  await using of = await repository();
  const { workdir } = await of.open();
  const error = await assertRejects(() => of.setUp(workdir, "echo no such package; exit 3"), RuntimeError);
  assertEquals(error.message, "Cannot set up the workspace work: echo no such package; exit 3 failed with exit code 3");
  assertEquals(error.hint, "workspace.setup names it. It said:\nno such package");
  await of.setUp(workdir, MAKES);
  assertEquals(of.told(), ["failed", "made"]);
});
