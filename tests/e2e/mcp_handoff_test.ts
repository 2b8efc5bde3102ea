import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { LoggedPrompt } from "../../lib/lab/replay/prompt_log.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { startMcp } from "../api/mcp/stdio_client.ts";
import { ANSWERS, GREETER_JOB } from "../support/jobs.ts";
import { readRecords } from "../support/journal_records.ts";
import { panewrightThatStartsFast } from "../support/panewright.ts";
import { createSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const QUESTION = "Which port does the greeter use?";

/** The programmer works until it is stopped. */
const SCRIPT = {
  roles: {
    programmer: { turns: [[{ think: 600_000 }, { respond: ANSWERS.programmer }]], repeatLast: true },
    programmer_review: { turns: [[{ respond: ANSWERS.programmer_review }, { stream: "Done." }]], repeatLast: true },
    tester: {
      turns: [{
        when: "A message from outside",
        steps: [{ think: 300 }, { respond: "It has none." }, { stream: "Done." }],
      }],
      repeatLast: true,
    },
  },
};

const CONFIG = {
  provider: "replay",
  providers: { replay: { args: ["--script", "replay.json", "--log", "prompts.ndjson"] } },
  start_agent: "programmer",
  prompt_file: "job.md",
  quiet_seconds: 1,
  handoff: { poll_seconds: 0.2, idle_grace_seconds: 10, response_timeout: 700 },
  tmux: { cols: 100, rows: 30 },
};

Deno.test("mcp: a handoff whose server is killed in the middle is the same message for the next one, and its response is there", async () => {
  await using sandbox = await createSandbox();
  const { project: cwd } = sandbox;
  const panewright = await panewrightThatStartsFast();
  const files = {
    "job.md": GREETER_JOB,
    "replay.json": JSON.stringify(SCRIPT),
    "panewright.jsonc": JSON.stringify(CONFIG),
  };
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${cwd}/${name}`, text);
  const start = () => startMcp([...panewright.argv, "mcp"], { cwd, env: { ...sandbox.env, ...panewright.env } });

  const first = await start();
  const { run } = await first.call("start_run", { key: "k" });
  const handoff = { run, role: "tester", text: QUESTION, key: "port" };
  let isCut = false;
  const cut = first.call("handoff", handoff).then(() => isCut, (error) => {
    if (!isCut) throw error;
    return true;
  });
  cut.catch(() => {});
  const records = () => readRecords(runFolderAt(cwd, run).journalPath);
  await Promise.race([cut, until(async () => (await records()).some(({ type }) => type === "message_received"))]);
  isCut = true;
  await first.kill();
  assertEquals(await cut, true);

  await using second = await start();
  assertEquals((await second.call("start_run", { key: "k" })).run, run);
  let told = await second.call("handoff", handoff);
  if (told.state !== "answered") {
    assertMatch(told.next, /call wait with message/);
    const waited = await second.call("wait", { run, message: told.message, after: told.sequence });
    told = { ...told, ...waited.message! };
  }
  assertEquals([told.state, told.response], ["answered", "It has none."]);
  const prompts = (await Deno.readTextFile(`${cwd}/prompts.ndjson`)).trimEnd().split("\n")
    .map((line): LoggedPrompt => JSON.parse(line)).filter(({ prompt }) => prompt.includes(QUESTION));
  assertEquals(prompts.length, 1);
  assertMatch(prompts[0]!.prompt, /a-client/);

  // The same key with other words, and a run that is over.
  const reused = await assertRejects(() => second.call("assign", { ...handoff, text: "Another." }));
  assertMatch(String(reused), /\[key_reused\]/);
  const assigned = await second.call("assign", { run, role: "tester", text: "And its name?" });
  const waited = await second.call("wait", { run, message: assigned.message });
  assertEquals([waited.message?.state, waited.message?.response], ["answered", "It has none."]);
  const sent = await second.call("send_message", { run, role: "programmer", text: "Take your time." });
  assertEquals(sent.state, "waiting");
  const { statuses } = await second.call("explain", { run, role: "tester" });
  assertEquals(statuses.every(({ role }) => role === "tester"), true);
  assertEquals((await second.call("stop", { run })).state, "stopped");
  assertEquals((await second.end()).code, 0);
  await sandbox.assertNothingLeft();
});
