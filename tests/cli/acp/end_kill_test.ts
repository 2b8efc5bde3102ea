import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { Fault } from "../../../lib/base/ports/fault.ts";
import { type NtfyServer, startNtfyServer } from "../../lab/ntfy_server.ts";
import { type AcpRoles, acpRoles } from "../../support/acp_roles.ts";
import { until } from "../../support/until.ts";

/** Right after a run has recorded its end, and before it could tell it. */
const AT_END: Fault = { when: "after", what: "record", type: "run_finished", number: 1 };

const channel = (ntfy: NtfyServer) => ({ notifications: { ntfy_url: ntfy.url, ntfy_topic: "jobs" } });

const titles = (ntfy: NtfyServer) => ntfy.messages.map(({ title }) => title);

/** A run whose process is killed as soon as it has recorded its end. */
async function killedAtEnd(config: Readonly<Record<string, unknown>>): Promise<AcpRoles> {
  const stage = await acpRoles({ config: { start_agent: "tester", ...config } });
  await using run = stage.startToDie(AT_END, "run");
  const { code, stderr } = await run.ended;
  assertEquals(code, 137, stderr);
  assertEquals((await stage.records()).at(-1)!.type, "run_finished");
  return stage;
}

Deno.test("kill -9 right after the record of a run's end: notify flush tells it, once", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await killedAtEnd(channel(ntfy));
  assertEquals(titles(ntfy), []);
  const flushed = await stage.call("notify", "flush");
  assertEquals([flushed.code, flushed.stdout.includes("1 delivered, 0 left")], [0, true], flushed.stderr);
  assertEquals((await stage.call("notify", "flush")).stdout, "No messages are left.\n");
  assertEquals(titles(ntfy), ["panewright: pass"]);
  assertEquals(ntfy.messages[0]!.message, "project: the test of round 1 passed");
});

Deno.test("kill -9 right after the record of a run's end: the next run in that project tells it, once", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await killedAtEnd(channel(ntfy));
  for (const told of [2, 3]) {
    const next = await stage.call("run");
    assertEquals(next.code, 0, next.stderr);
    assertEquals(titles(ntfy), Array(told).fill("panewright: pass"));
  }
});

Deno.test("kill -9 right after the record of a run's end: a resume that is refused, as it is over, tells it, once", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await killedAtEnd(channel(ntfy));
  for (let times = 0; times < 2; times++) {
    const resumed = await stage.call("resume", "@1");
    assertEquals(resumed.code, 2);
    assertStringIncludes(resumed.stderr, "it is over (pass");
    assertEquals(titles(ntfy), ["panewright: pass"]);
  }
});

Deno.test("kill -9 right after the record of a run's end: panewright serve tells it, once", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await killedAtEnd(channel(ntfy));
  await using _server = stage.start("serve", "--port", "0");
  await until(() => ntfy.messages.length > 0);
  const folder = await stage.folder();
  await until(async () => !await exists(`${folder}/outbox/end-due`));
  assertEquals(titles(ntfy), ["panewright: pass"]);
});

Deno.test("a run that ended when nobody was to be told is not told later", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await killedAtEnd({});
  const path = `${stage.sandbox.project}/panewright.jsonc`;
  const config = JSON.parse(await Deno.readTextFile(path));
  await Deno.writeTextFile(path, JSON.stringify({ ...config, ...channel(ntfy) }));
  assertEquals((await stage.call("notify", "flush")).stdout, "No messages are left.\n");
  assertEquals((await stage.call("run")).code, 0);
  assertEquals(titles(ntfy), ["panewright: pass"], "its own");
});

Deno.test("kill -9 right after the record that a person is needed: whoever resumes the run tells it, once", async () => {
  await using ntfy = startNtfyServer();
  const capped = { start_agent: "programmer", limits: { max_turns: 1 } };
  await using stage = await killedAtEnd({ ...channel(ntfy), ...capped });
  assertEquals(titles(ntfy), []);
  const resumed = await stage.call("resume", "--raise", "max_turns=9");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertEquals(titles(ntfy).toSorted(), ["panewright: needs_human", "panewright: pass"]);
  assertEquals(await exists(`${await stage.folder()}/outbox/end-due`), false);
});
