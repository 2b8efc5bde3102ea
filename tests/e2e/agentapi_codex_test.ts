import { assertEquals, assertStringIncludes } from "@std/assert";
import { listRunIds } from "../../lib/run/find_run.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { plainRow } from "../../lib/base/text/ansi.ts";
import type { ModelRequest } from "../lab/script.ts";
import { agentapiClient } from "../api/http/agentapi_client.ts";
import { readEvents } from "../api/http/support.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { setUpCodexProject } from "./codex_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

/** The tester's only turn, and whatever it is asked from outside. */
function respond({ prompts }: ModelRequest) {
  const prompt = prompts.at(-1) ?? "";
  const target = responseTargetOf(prompt)!;
  const response = prompt.includes("--- MESSAGE m-") ? "The file says: hello, world." : "Looked.\nRESULT: PASS";
  return workTurn(target, { commands: ["echo 'hello, world' > greeting.txt"], response });
}

Deno.test("a real Codex at work is watched, spoken to and typed to through panewright serve, as by agentapi's clients", async () => {
  const panewright = await panewrightThatStartsFast();
  await using project = await setUpCodexProject({
    panewright,
    respond,
    config: {
      start_agent: "tester",
      // The tester is at rest while the tests run, which end when this test says so.
      project_test_cmd: ["sh", "-c", "until [ -e go ]; do sleep 0.1; done"],
      permissions: { raw_input: true },
    },
  });
  const { sandbox, env } = project;
  const { project: workdir } = sandbox;
  await using run = startProgram([...panewright.argv, "run", "panewright.jsonc"], { cwd: workdir, env });
  const [id = ""] = await until(() => listRunIds(workdir), (ids) => ids.length > 0);
  const { journalPath } = runFolderAt(workdir, id);
  const journal = () => Deno.readTextFile(journalPath).catch(() => "");
  await until(journal, (text) => text.includes('"run_started"'));

  await using served = startProgram([...panewright.argv, "serve", "--port", "0", "--json"], { cwd: workdir, env });
  const line = await until(() => served.output.stdout, (text) => text.includes("\n"));
  const { address, tokenFile } = JSON.parse(line);
  const token = (await Deno.readTextFile(tokenFile)).trim();
  // As `http://panewright:TOKEN@…` has it, which is all that agentapi's programs take.
  const headers = { Authorization: `Basic ${btoa(`panewright:${token}`)}` };
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, address), { ...init, headers: { ...init.headers, ...headers } });
  const client = agentapiClient((path, init) => ask(`/agents/${id}/tester${path}`, init));

  let screen = "";
  const watching = (async () => {
    for await (const { data } of readEvents(await ask(`/v1/runs/${id}/screens/tester`))) {
      if (data.type === "screen") screen = data.pane?.text ?? "";
    }
  })();
  // Where the test fails, its server ends with it, and that is not what is to be told.
  watching.catch(() => {});
  await until(journal, (text) => text.includes('"test_command_started"'));
  // The server follows the journal: it has the record a moment after whoever reads the file.
  const atRest = await until(client.status, ({ status }) => status === "stable");
  assertEquals(atRest, { status: "stable", agent_type: "codex", transport: "pty" });
  const before = await client.messages();
  assertEquals(before.map(({ role }) => role), ["user", "agent"]);
  assertStringIncludes(before[1]!.content, "RESULT: PASS");

  assertEquals(await client.post({ content: "What does the file say?", type: "user" }), undefined);
  const messages = await until(client.messages, (all) => all.length === 4);
  assertEquals(messages.slice(2).map(({ role, content }) => [role, content.trim()]), [
    ["user", "What does the file say?"],
    ["agent", "The file says: hello, world."],
  ]);
  await until(client.status, ({ status }) => status === "stable");
  const shown = () => screen.split("\n").map(plainRow).join("\n");
  await until(shown, (text) => text.includes("My response is in"));

  assertEquals(await client.post({ content: "typed from outside", type: "raw" }), undefined);
  await until(shown, (text) => /^› typed from outside/m.test(text));
  assertEquals(await client.post({ content: "\x15", type: "raw" }), undefined);
  await until(shown, (text) => !/^› typed from outside/m.test(text));

  await Deno.writeTextFile(`${workdir}/go`, "");
  assertEquals((await run.ended).code, 0, run.output.stderr);
  await watching;
  served.kill("SIGTERM");
  assertEquals((await served.ended).code, 143, served.output.stderr);
  await sandbox.assertNothingLeft();
});
