import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { acpRoles } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";
import { until } from "../../support/until.ts";
import { agentapiClient } from "./agentapi_client.ts";
import { readEvents, testServer } from "./support.ts";

Deno.test("a run with agents over ACP: what they do is told row by row, and agentapi's clients speak to them", async () => {
  const turns = [ANSWERS.tester, "Hello, person!"].map((respond) => ({
    steps: [{ say: `I write ${respond.split("\n")[0]}.` }, { respond }],
  }));
  await using stage = await acpRoles({
    scripts: { tester: { turns } },
    config: {
      start_agent: "tester",
      project_test_cmd: ["sh", "-c", "until [ -e go ]; do sleep 0.1; done"],
      permissions: { raw_input: true },
    },
  });
  const { project } = stage.sandbox;
  await using run = stage.start("run", "panewright.jsonc");
  await stage.record("test_command_started");
  const id = (await stage.folder()).split("/").at(-1)!;
  await using server = testServer(project);
  const client = agentapiClient((path, init) => server.ask(`/agents/${id}/tester${path}`, init));
  // deno-lint-ignore no-explicit-any -- as a program reads them
  const events: any[] = [];
  const watching = (async () => {
    for await (const { data } of readEvents(await server.ask(`/v1/runs/${id}/screens/tester`))) events.push(data);
  })();
  const rows = () => events.flatMap((event) => event.rows ?? []).map(({ mark, text }) => `${mark}${text}`);
  await until(rows, (told) => told.some((row) => row.startsWith("< turn ended")));
  assertEquals([events[0].type, events[0].isReset, events[0].status], ["activity", true, "idle"]);
  assert(rows().some((row) => row.startsWith("> prompt of ")), rows().join("\n"));

  const { transport, status } = await client.status();
  assertEquals([transport, status], ["acp", "stable"]);
  assertEquals(await client.post({ content: "Hello, agent!", type: "user" }), undefined);
  const messages = await until(client.messages, (all) => all.length === 4);
  assertEquals(messages.slice(2).map(({ content }) => content), ["Hello, agent!", "Hello, person!"]);
  assertStringIncludes(messages[0]!.content, "SCENARIO TEST");
  const raw = await client.post({ content: "x", type: "raw" });
  assertEquals([raw?.code, raw?.status], ["raw_refused", 403]);
  await until(rows, (told) => told.filter((row) => row.startsWith("< turn ended")).length === 2);

  await Deno.writeTextFile(`${project}/go`, "");
  assertEquals((await run.ended).code, 0, run.output.stderr);
  await watching;
  assertEquals(events.at(-1).type, "end");
  assertEquals(events.filter((event) => event.isReset === true).length, 1, "rows are told once");
});
