import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { type NtfyServer, startNtfyServer } from "../../lab/ntfy_server.ts";
import { type AcpRoles, acpRoles } from "../../support/acp_roles.ts";
import { until } from "../../support/until.ts";

const ASKS = { auto_accept: true, default: "ask" };

function asksFor(name: string): FakeStep {
  const allowed = [{ write: name, text: "" }];
  return { permission: "make a file", command: `touch ${name}`, allowed, rejected: [] };
}

function tester(...steps: readonly FakeStep[]): FakeAgentScript {
  return { turns: [{ steps: [...steps, { respond: "RESULT: PASS" }] }, { steps: [{ respond: "RESULT: PASS" }] }] };
}

async function openStage(ntfy: NtfyServer, more: Readonly<Record<string, unknown>>, ...names: readonly string[]) {
  const notifications = { ntfy_url: ntfy.url, ntfy_topic: "jobs", buttons: "all", delay_seconds: 0, ...more };
  const scripts = { tester: tester(...names.map(asksFor)) };
  return await acpRoles({ scripts, config: { start_agent: "tester", permissions: ASKS, notifications } });
}

async function answeredBy(stage: AcpRoles): Promise<readonly unknown[]> {
  const log = await Deno.readTextFile(`${await stage.folder()}/journal.ndjson`);
  return [...log.matchAll(/"by":"(\w+)"/g)].map(([, by]) => by).filter((by) => by === "notification");
}

const about = (ntfy: NtfyServer, text: string) =>
  ntfy.waitFor(({ topic, message }) => topic === "jobs" && message.includes(text));

Deno.test("a permission is given from a phone: for what was asked, and for nothing that is asked after it", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await openStage(ntfy, {}, "made.txt", "more.txt");
  await using run = stage.start("run");
  const first = await about(ntfy, "touch made.txt");
  assertEquals([first.title, first.priority], ["panewright: tester is stuck", "5"]);
  assertStringIncludes(first.message, '--question q1 "yes, or no and why"');
  await until(() => ntfy.listeners() === 1);
  await ntfy.press(first, "Yes");
  const second = await about(ntfy, "touch more.txt");
  assert(await exists(`${stage.sandbox.project}/made.txt`));
  await ntfy.press(first, "Yes");
  await about(ntfy, "q1");
  const refusal = await ntfy.waitFor(({ title }) => title === "panewright: not answered");
  assertStringIncludes(refusal.message, '"Yes" was pressed before');
  assertEquals(await exists(`${stage.sandbox.project}/more.txt`), false);
  await ntfy.press(second, "No");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals(await exists(`${stage.sandbox.project}/more.txt`), false);
  assertEquals((await answeredBy(stage)).length, 2, "the journal says who has answered");
  assertEquals(ntfy.messages.at(-1)!.title, "panewright: pass");
  assertEquals(await Array.fromAsync(Deno.readDir(`${await stage.folder()}/outbox`), ({ name }) => name), ["lock"]);
  const { stdout } = await stage.call("audit", "verify");
  assertStringIncludes(stdout, "is as it was written");
});

Deno.test("a run without a terminal asks the person elsewhere, and tells its end to a program of the project", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await openStage(ntfy, { command: ["./tell-me.sh"] }, "made.txt");
  const { project } = stage.sandbox;
  await Deno.writeTextFile(`${project}/tell-me.sh`, '#!/bin/sh\ncat >> "$PWD/told.ndjson"\n', { mode: 0o755 });
  const { code, stderr } = await stage.call("run", "--detach");
  assertEquals(code, 0, stderr);
  const message = await about(ntfy, "touch made.txt");
  assertEquals((await stage.record("dialog_waiting"))["timeoutSeconds"], undefined);
  await until(() => ntfy.listeners() === 1);
  await ntfy.press(message, "Yes");
  await ntfy.waitFor(({ title }) => title === "panewright: pass");
  assert(await exists(`${project}/made.txt`));
  const outbox = `${await stage.folder()}/outbox`;
  await until(async () => (await Array.fromAsync(Deno.readDir(outbox))).length === 1 && ntfy.listeners() === 0);
  const told = (await Deno.readTextFile(`${project}/told.ndjson`)).trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(told.map(({ kind, question }) => [kind, question]), [["needed", "q1"], ["ended", null]]);
  assertEquals(told[0].actions.map(({ label }: { readonly label: string }) => label), ["Yes", "No"]);
});

Deno.test("a question that is answered in time is not told; only how the run ended is", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await openStage(ntfy, { delay_seconds: 3600 }, "made.txt");
  await using run = stage.start("run");
  await stage.record("dialog_waiting");
  assertEquals((await stage.call("answer", "@1", "--question", "q1", "no")).code, 0);
  assertEquals((await run.ended).code, 0);
  assertEquals(ntfy.messages.map(({ title }) => title), ["panewright: pass"]);
});

Deno.test("a server that cannot be reached ends no run, and the message comes with notify flush", async () => {
  await using ntfy = startNtfyServer();
  ntfy.fail("publish", ...Array.from({ length: 3 }, () => ({ status: 503 })));
  await using stage = await openStage(ntfy, {});
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 0, stderr);
  assertStringIncludes(
    stderr,
    `Cannot send the notification "panewright: pass" to ${ntfy.url}: the server answered 503`,
  );
  assertEquals(ntfy.messages, []);
  await until(async () => (await stage.call("notify", "flush")).code === 0);
  assertEquals(ntfy.messages.map(({ title, actions }) => [title, actions]), [["panewright: pass", []]]);
});

Deno.test("a yes that was pressed for the question of an agent that was killed permits nothing to the next one", async () => {
  await using ntfy = startNtfyServer();
  await using stage = await openStage(ntfy, {}, "made.txt");
  const run = stage.start("run");
  const message = await about(ntfy, "touch made.txt");
  run.kill("SIGKILL");
  await run.ended;
  await ntfy.press(message, "Yes");
  // The next agent only responds.
  const { code, stderr } = await stage.call("resume");
  assertEquals(code, 0, stderr);
  assertEquals(await exists(`${stage.sandbox.project}/made.txt`), false);
  assertEquals((await stage.records()).filter(({ type }) => type === "dialog_answered"), []);
});
