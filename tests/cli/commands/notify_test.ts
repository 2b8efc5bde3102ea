import { assertEquals, assertStringIncludes } from "@std/assert";
import { machineSecrets } from "../../../lib/run/notify/machine_secrets.ts";
import { openMessages } from "../../../lib/run/notify/messages.ts";
import type { Notification } from "../../../lib/run/notify/notification.ts";
import { readEntries, writeEntry } from "../../../lib/run/notify/outbox_file.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { startNtfyServer } from "../../lab/ntfy_server.ts";
import { callCli } from "../../support/call_cli.ts";
import { holdRun, readAnswerOf } from "../../support/run_mail.ts";
import { playPanewright } from "../../support/run_panewright.ts";
import { execWaiting, reviewFinished, RUN_ID, writeReview, writeRun } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

/** Calls the command in a folder with this configuration, as somebody who trusts it. */
async function notify(dir: TempDir, notifications: unknown, ...args: readonly string[]) {
  await dir.write({ "panewright.jsonc": JSON.stringify({ notifications }) });
  return await callCli(["notify", ...args], { cwd: dir.path, env: { HOME: dir.path, PANEWRIGHT_TRUST: "1" } });
}

async function leave(folder: RunFolder, notification: Partial<Notification> = {}): Promise<void> {
  await writeEntry(folder, {
    ...{ v: 1, id: crypto.randomUUID(), channel: "ntfy", at: new Date().toISOString() },
    notification: { kind: "ended", title: "panewright: pass", text: "all good", priority: 3, ...notification },
  });
}

Deno.test("notify test: each one who is named gets a message, and it is said who did not", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const plan = {
    ...{ ntfy_url: ntfy.url, ntfy_topic: "jobs", buttons: "questions", command: ["sh", "-c", "cat > got.json"] },
    webhook_url: "http://127.0.0.1:1/services/secret",
  };
  const { code, stdout } = await notify(dir, plan, "test");
  assertEquals(code, 1);
  assertStringIncludes(stdout, `ntfy: sent to ${ntfy.url}\n`);
  assertStringIncludes(stdout, "webhook: not sent to http://127.0.0.1:1: ");
  assertStringIncludes(stdout, "command: sent to sh\n");
  assertStringIncludes(stdout, `signed with the key in ${dir.path}/.local/state/panewright/notify/webhook.key\n`);
  assertStringIncludes(stdout, "Buttons answer questions; they publish to the topic panewright-");
  assertEquals(stdout.includes("secret"), false);
  assertEquals(ntfy.messages.map(({ topic, title }) => [topic, title]), [["jobs", "panewright: test"]]);
  assertEquals(JSON.parse(await Deno.readTextFile(`${dir.path}/got.json`)).kind, "test");
  const json = await notify(dir, { ntfy_url: ntfy.url, ntfy_topic: "jobs" }, "test", "--json");
  assertEquals([json.code, JSON.parse(json.stdout)], [
    0,
    { type: "notification_tried", v: 1, channel: "ntfy", where: ntfy.url },
  ]);
});

Deno.test("notify test: nobody to tell, wrong words, and a config that is not trusted", async () => {
  await using dir = await tempDir();
  const nobody = await notify(dir, {}, "test");
  assertEquals(nobody.code, 2);
  assertStringIncludes(nobody.stderr, "Cannot send a message: panewright.jsonc names nobody to tell");
  assertStringIncludes((await notify(dir, {}, "tset")).stderr, 'Cannot do "tset" with notify');
  await dir.write({ "panewright.jsonc": JSON.stringify({ notifications: { command: ["touch", "evil"] } }) });
  const untrusted = await callCli(["notify", "test"], { cwd: dir.path, env: { HOME: dir.path } });
  assertEquals(untrusted.code, 3);
  assertStringIncludes(untrusted.stderr, "runs as a program that is told how runs go");
  await Deno.lstat(`${dir.path}/evil`).then(() => assertEquals("evil", "not run"), () => {});
});

Deno.test("notify test: buttons that have no place for their secrets are told, with what to do", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const notifications = { ntfy_url: ntfy.url, ntfy_topic: "jobs", buttons: "all" };
  await dir.write({ "panewright.jsonc": JSON.stringify({ notifications }) });
  const env = { HOME: "", PANEWRIGHT_TRUST: "1" };
  const { code, stdout, stderr } = await playPanewright(["notify", "test"], {
    cwd: dir.path,
    env,
  });
  assertEquals([code, stdout], [2, `ntfy: sent to ${ntfy.url}\n`]);
  assertStringIncludes(
    stderr,
    "Cannot keep the secrets of notifications: neither HOME nor XDG_STATE_HOME is set\n  Set HOME",
  );
});

Deno.test("notify flush: what runs have left is delivered, without buttons; what still fails stays", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const plan = { ntfy_url: ntfy.url, ntfy_topic: "jobs", buttons: "all", reply_topic: "answers" };
  const folder = await writeReview(dir, [reviewFinished("pass")]);
  await leave(folder);
  const choices = [{ label: "Harmless", answer: "yes" }];
  await leave(folder, { kind: "needed", question: { id: "q1", fingerprint: "f", choices } });
  {
    using _executed = await holdRun(folder);
    assertEquals((await notify(dir, plan, "flush")).stdout, "No messages are left.\n");
  }
  ntfy.fail("publish", { status: 500 }, { status: 500 });
  const failed = await notify(dir, plan, "flush");
  assertEquals([failed.code, failed.stdout], [1, `run ${RUN_ID}: 0 delivered, 1 left, 1 not needed any more\n`]);
  assertStringIncludes(failed.stderr, "warning: Cannot send the notification");
  const { code, stdout } = await notify(dir, plan, "flush", "--json");
  assertEquals([code, JSON.parse(stdout)], [0, {
    ...{ type: "outbox_flushed", v: 1, run: RUN_ID, delivered: 1, left: 0, dropped: 0, problems: [] },
  }]);
  assertEquals(ntfy.messages.map(({ title, actions }) => [title, actions]), [["panewright: pass", []]]);
  assertEquals(await readEntries(folder), []);
});

Deno.test("notify flush: what stands in the outbox and is no message does nothing", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const folder = await writeReview(dir, [reviewFinished("pass")]);
  await leave(folder);
  const id = crypto.randomUUID();
  await Deno.writeTextFile(`${folder.outboxDir}/${id}.json`, "{");
  await Deno.symlink("/dev/zero", `${folder.outboxDir}/${crypto.randomUUID()}.json`);
  await Deno.writeTextFile(`${folder.outboxDir}/${crypto.randomUUID()}.json`, JSON.stringify({ v: 1, channel: "sh" }));
  const { code } = await notify(dir, { ntfy_url: ntfy.url, ntfy_topic: "jobs" }, "flush");
  assertEquals([code, ntfy.messages.length], [0, 1]);
});

Deno.test("notify flush: what was pressed after the run had stopped counts, for the permission that was asked, once", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const plan = { ntfy_url: ntfy.url, ntfy_topic: "jobs", buttons: "all", reply_topic: "answers" };
  const facts = execWaiting(dir.path, RUN_ID).map((fact) =>
    fact.type === "question_asked" ? { ...fact, text: "May it run `npm test`?", call: "of npm test" } : fact
  );
  const folder = await writeRun({ workdir: dir.path, id: RUN_ID, events: facts });
  const tell = async (fingerprint: string) => {
    const messages = openMessages({
      plan: { ntfy: { url: ntfy.url, topic: "jobs", replyTopic: "answers" }, buttons: "all" },
      ...{ folder, workdir: dir.path, takesLeft: false, redactor: createRedactor([]), onProblem: () => {} },
      giveAnswer: () => Promise.reject(new Error("the run has stopped")),
      ...{ clock: systemClock, wallClock: () => new Date() },
      secrets: machineSecrets(`${dir.path}/.local/state/panewright`),
    });
    const choices = [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }];
    messages.send({
      ...{ kind: "needed", title: "a question", text: "May it run `npm test`?", priority: 5 },
      question: { id: "q1", fingerprint, permits: "`npm test`", choices },
    });
    await messages.close({ held: "deliver" });
    await ntfy.press(ntfy.messages.findLast(({ topic }) => topic === "jobs")!, "Yes");
  };
  await tell("of another call");
  await notify(dir, plan, "flush");
  assertEquals(await readAnswerOf(folder, "q1"), undefined);
  await tell("of npm test");
  assertEquals((await notify(dir, plan, "flush")).code, 0);
  const left = await readAnswerOf(folder, "q1");
  assertEquals([left?.answer, left?.by], ["yes", "notification"]);
  assertEquals((await notify(dir, plan, "flush")).stdout, "No messages are left.\n");
});
