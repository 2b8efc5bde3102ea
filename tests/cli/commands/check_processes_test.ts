import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { processesWith } from "../../agents/process/support.ts";
import { until } from "../../support/until.ts";
import { type ExecProject, execProject } from "./exec_project.ts";

/** Gives the pipeline `single` a check that starts a server in a session of its own, and then does this. */
async function checkWith(project: ExecProject, { mark, then }: { readonly mark: string; readonly then: string }) {
  const file = `${project.path}/panewright.jsonc`;
  const config = JSON.parse(await Deno.readTextFile(file));
  await Deno.writeTextFile(`${project.path}/server.sh`, "touch up; while :; do sleep 1; done\n");
  const command = `(setsid sh server.sh ${mark} > /dev/null 2>&1 &); while [ ! -e up ]; do sleep 0.02; done; ${then}`;
  config.pipelines.single[0].check = { type: "shell", command };
  await Deno.writeTextFile(file, JSON.stringify(config));
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
}

for (const [then, code] of [["exit 0", 0], ["exit 3", 1]] as const) {
  Deno.test(`a server that a check has started in a session of its own ends with the check (${then})`, async () => {
    await using project = await execProject();
    const mark = `mark-${crypto.randomUUID()}`;
    await checkWith(project, { mark, then });
    const result = await project.run("exec", "task.md", "--pipeline", "single");
    assertEquals(result.code, code, result.stderr);
    assertEquals(await processesWith(mark), []);
    await project.sandbox.assertNothingLeft();
  });
}

for (const command of ["resume", "stop"] as const) {
  Deno.test(`kill -9 of panewright while a check runs: ${command} ends the check and all that it has started`, async () => {
    await using project = await execProject();
    const mark = `mark-${crypto.randomUUID()}`;
    await checkWith(project, { mark, then: "[ -e go ] || sleep 36000" });
    await using running = project.start("exec", "task.md", "--pipeline", "single", "--json");
    await until(() => Deno.stat(`${project.path}/up`).catch(() => undefined));
    running.kill("SIGKILL");
    await running.ended;
    const left = await processesWith(mark);
    assert(left.length > 0);
    assertStringIncludes((await project.call("runs")).stdout, "agents are alive");
    await Deno.writeTextFile(`${project.path}/go`, "");
    const [run] = [...Deno.readDirSync(`${project.path}/.panewright/runs`)];
    const result = await project.run(command, run?.name ?? "");
    assertEquals(result.code, 0, result.stderr);
    assertEquals(await processesWith(mark), []);
    await project.sandbox.assertNothingLeft();
  });
}
