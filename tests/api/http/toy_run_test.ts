import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { plainRow } from "../../../lib/base/text/ansi.ts";
import { toyProject } from "../../agents/toy/toy_project.ts";
import { startProgram } from "../../support/program.ts";
import { createSandbox } from "../../support/sandbox.ts";
import { until } from "../../support/until.ts";
import { agentapiClient } from "./agentapi_client.ts";
import { readEvents, testServer } from "./support.ts";

Deno.test("a run with agents in panes: screens, agentapi's conversation, a message and keys from outside", async () => {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  const toy = await toyProject(sandbox, {
    // All agents are at rest while the tests run, which end when this test says so.
    project_test_cmd: ["sh", "-c", "until [ -e go ]; do sleep 0.1; done"],
    limits: { min_review_cycles_before_approval: 1 },
    permissions: { raw_input: true },
    // By its path: the server of this test has another environment.
    tmux: { cols: 100, rows: 30, socket: `${sandbox.root}/agents.sock` },
  });
  const run = startProgram(toy.argv, { cwd: project, env: toy.env });
  const [id = ""] = await until(() => listRunIds(project), (ids) => ids.length > 0);
  await using server = testServer(project, {
    keysFolderOf: (run) => `${sandbox.home}/.local/state/panewright/keys/${run}`,
  });
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
  const client = agentapiClient((path, init) => server.ask(`/agents/${id}/analyst${path}`, init));
  const told: { readonly role: string; readonly message: string }[] = [];
  const following = (async () => {
    for await (const { event, data } of client.events()) if (event === "message_update") told.push(data);
  })();
  // Where the test fails, its server ends with it, and that is not what is to be told.
  for (const one of [watching, following]) one.catch(() => {});
  await until(() => Deno.readTextFile(journalPath), (text) => text.includes('"test_command_started"'));
  // The server follows the journal: it has the record a moment after whoever reads the file.
  const atRest = await until(client.status, ({ status }) => status === "stable");
  assertEquals(atRest, { status: "stable", agent_type: "custom", transport: "pty" });
  await until(() => told.length, (count) => count === 2);
  assertEquals(told.map(({ role }) => role), ["user", "agent"]);
  assertStringIncludes(told[0]!.message, "Add a --shout flag");
  assertEquals(told[1]!.message, "Analysis: change src/greet.ts.");

  const sent = await client.post({ content: "What did you find?", type: "user" });
  assertEquals(sent, undefined);
  const messages = await until(client.messages, (all) => all.length === 4);
  assertEquals(messages.map(({ role }) => role), ["user", "agent", "user", "agent"]);
  assertEquals(messages[2]?.content, "What did you find?");
  await until(client.status, ({ status }) => status === "stable");

  assertEquals(await client.post({ content: "typed", type: "raw" }), undefined);
  await until(() => screens.at(-1) ?? "", (text) => text.split("\n").map(plainRow).some((row) => row === "toy> typed"));
  await Deno.writeTextFile(`${project}/go`, "");
  assertEquals((await run.ended).code, 0, run.output.stderr);
  await watching;
  await server[Symbol.asyncDispose]();
  await following.catch(() => {});
  assert(statuses.has("idle"), [...statuses].join());
  assertStringIncludes(screens.at(-1) ?? "", "the tmux server is gone");
  const journal = await Deno.readTextFile(journalPath);
  assertStringIncludes(journal, '"raw_keys_pressing"');
  assertStringIncludes(await Deno.readTextFile(runFolderAt(project, id).auditPath), '"raw_keys"');
  await sandbox.assertNothingLeft();
});
