import { assert, assertEquals } from "@std/assert";
import { acpRoles } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";
import { until } from "../../support/until.ts";
import { readEvents, testServer } from "./support.ts";

Deno.test("a run with agents over ACP: what they do is told row by row", async () => {
  const turns = [ANSWERS.tester].map((respond) => ({
    steps: [{ say: `I write ${respond.split("\n")[0]}.` }, { respond }],
  }));
  await using stage = await acpRoles({
    scripts: { tester: { turns } },
    config: {
      start_agent: "tester",
      project_test_cmd: ["sh", "-c", "until [ -e go ]; do sleep 0.1; done"],
    },
  });
  const { project } = stage.sandbox;
  await using run = stage.start("run", "panewright.jsonc");
  await stage.record("test_command_started");
  const id = (await stage.folder()).split("/").at(-1)!;
  await using server = testServer(project);
  // deno-lint-ignore no-explicit-any -- as a program reads them
  const events: any[] = [];
  const watching = (async () => {
    for await (const { data } of readEvents(await server.ask(`/v1/runs/${id}/screens/tester`))) events.push(data);
  })();
  const rows = () => events.flatMap((event) => event.rows ?? []).map(({ mark, text }) => `${mark}${text}`);
  await until(rows, (told) => told.some((row) => row.startsWith("< turn ended")));
  assertEquals([events[0].type, events[0].isReset, events[0].status], ["activity", true, "idle"]);
  assert(rows().some((row) => row.startsWith("> prompt of ")), rows().join("\n"));

  await Deno.writeTextFile(`${project}/go`, "");
  assertEquals((await run.ended).code, 0, run.output.stderr);
  await watching;
  assertEquals(events.at(-1).type, "end");
  assertEquals(events.filter((event) => event.isReset === true).length, 1, "rows are told once");
});
