import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { plainRow } from "../../../lib/base/text/ansi.ts";
import { toyProject } from "../../agents/toy/toy_project.ts";
import { startProgram } from "../../support/program.ts";
import { createSandbox } from "../../support/sandbox.ts";
import { until } from "../../support/until.ts";
import { readEvents, testServer } from "./support.ts";

Deno.test("a run with agents in panes: their screens as they change, until their server is gone", async () => {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  const toy = await toyProject(sandbox, {
    // All agents are at rest while the tests run, which end when this test says so.
    project_test_cmd: ["sh", "-c", "until [ -e go ]; do sleep 0.1; done"],
    limits: { min_review_cycles_before_approval: 1 },
    // By its path: the server of this test has another environment.
    tmux: { cols: 100, rows: 30, socket: `${sandbox.root}/agents.sock` },
  });
  const run = startProgram(toy.argv, { cwd: project, env: toy.env });
  const [id = ""] = await until(() => listRunIds(project), (ids) => ids.length > 0);
  await using server = testServer(project);
  const { journalPath } = runFolderAt(project, id);
  await until(() => Deno.readTextFile(journalPath).catch(() => ""), (text) => text.includes('"run_started"'));

  const screens: string[] = [];
  const statuses = new Set<string>();
  const watching = (async () => {
    for await (const { data } of readEvents(await server.ask(`/v1/runs/${id}/screens/analyst`))) {
      statuses.add(data.status);
      screens.push(data.type === "screen" ? data.pane?.text ?? data.why : data.why);
    }
  })();
  // Where the test fails, its server ends with it, and that is not what is to be told.
  watching.catch(() => {});
  await until(() => Deno.readTextFile(journalPath), (text) => text.includes('"test_command_started"'));
  await until(() => screens.at(-1) ?? "", (text) => text.split("\n").some((row) => plainRow(row).startsWith("toy>")));
  await Deno.writeTextFile(`${project}/go`, "");
  assertEquals((await run.ended).code, 0, run.output.stderr);
  await watching;
  await server[Symbol.asyncDispose]();
  assert(statuses.has("idle"), [...statuses].join());
  assertStringIncludes(screens.at(-1) ?? "", "the tmux server is gone");
  await sandbox.assertNothingLeft();
});
