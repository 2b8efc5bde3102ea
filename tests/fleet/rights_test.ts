import { assertEquals, assertRejects } from "@std/assert";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { errorText } from "../../lib/base/text/error_text.ts";
import { connectServer, saidOfServer } from "../../lib/fleet/connect.ts";
import { readCredentials } from "../../lib/fleet/credentials.ts";
import { readSaid } from "../../lib/fleet/said.ts";
import { openSeals } from "../../lib/fleet/seal.ts";
import { until } from "../support/until.ts";
import { AT_WORK, eventsOf, fleetStage, PASSES, recordsIn } from "./fleet_stage.ts";

Deno.test("what a user may not, the server refuses: another's jobs, the log, entries, streams", async (t) => {
  await using stage = await fleetStage({
    users: [{ name: "anna", rights: "submitter" }, { name: "guest", rights: "viewer" }],
  });
  const { credentials } = stage;
  assertEquals((await stage.call("submit", "Write it", "--id", "mine")).code, 0);

  for (const acts of [["follow"], ["stop", "mine"], ["answer", "mine", "yes"]]) {
    const { code, stderr } = await stage.callAs("guest", "fleet", ...acts);
    assertEquals([code, /guest may only look/.test(stderr)], [3, true], stderr);
  }

  for (const user of ["guest", "machine"]) {
    const { code, stderr } = await stage.callAs(user, "submit", "Write it", "--id", "theirs");
    assertEquals([code, /Cannot submit a job: \w+ may only (?:look|work)/.test(stderr)], [3, true], stderr);
  }

  const tries: Readonly<Record<string, readonly string[]>> = {
    anna: [
      "pw.queue.me.any.normal.me.mine",
      "pw.said.me.job.me.mine",
      "pw.log.me.mine",
      "pw.log.anna.own",
      "$KV.pw_jobs.me.mine",
      "$KV.pw_workers.machine.w1",
      "$KV.pw_caps.limits",
      "$KV.pw_caps.spent.2026-01-01.all",
    ],
    guest: [
      "pw.queue.guest.any.normal.me.mine",
      "pw.said.guest.job.me.mine",
      "pw.log.me.mine",
      "$KV.pw_jobs.me.mine",
      "$O.pw_objects.M.x",
    ],
    machine: [
      "pw.queue.machine.any.normal.me.mine",
      "pw.queue.me.any.normal.me.mine",
      "pw.said.me.job.me.mine",
      "$KV.pw_labels.any",
      "$KV.pw_caps.limits",
    ],
  };
  for (const [user, subjects] of Object.entries(tries)) {
    const connection = await connectServer(readCredentials(credentials[user]));
    const streams = jetstream(connection);
    for (const subject of subjects) {
      await t.step(`${user}: ${subject}`, async () => {
        await assertRejects(() => streams.publish(subject, "{}", { timeout: 500 }));
      });
    }
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const refused = saidOfServer(await manager.streams.purge("pw_log").catch((error) => error), "the server");
    assertEquals(errorText(refused), "Cannot use the fleet of the server: you have no right to this");
    for (
      const [what, act] of [
        ["purges the log", () => manager.streams.purge("pw_log")],
        ["deletes the queue", () => manager.streams.delete("pw_queue")],
        ["deletes an event", () => manager.streams.deleteMessage("pw_log", 1)],
        ["makes a stream", () => manager.streams.add({ name: "own", subjects: ["own.>"] })],
        [
          "takes the queue's messages elsewhere",
          () => manager.consumers.add("pw_queue", { deliver_subject: "_INBOX.x" } as never),
        ],
      ] as const
    ) {
      await t.step(`${user} ${what}`, async () => {
        await assertRejects(act);
      });
    }
    await connection.close();
  }
  assertEquals(await stage.state("mine"), "queued");
});

Deno.test("a stranger, a wrong key and a server without JetStream are told apart", async () => {
  await using stage = await fleetStage();
  const file = stage.credentials["me"]!;
  const mine = JSON.parse(await Deno.readTextFile(file));
  const call = async (changes: object) => {
    const path = `${stage.sandbox.root}/other.json`;
    await Deno.writeTextFile(path, JSON.stringify({ ...mine, ...changes }), { mode: 0o600 });
    const { code, stderr } = await stage.call("fleet", "ls", "--fleet", path);
    return [code, stderr.split("\n")[0]];
  };
  const { seed } = JSON.parse(await Deno.readTextFile(stage.credentials["machine"]!));
  assertEquals(await call({ seed: `${String(mine.seed).slice(0, -4)}AAAA` }), [
    1,
    `panewright: Cannot reach the fleet's server ${mine.server}: it does not know me by this key`,
  ]);
  assertEquals((await call({ server: "nats://127.0.0.1:9" }))[0], 1);
  assertEquals(await call({ rights: "king" }), [
    2,
    `panewright: Cannot use the fleet of ${stage.sandbox.root}/other.json: its "rights" is missing or wrong`,
  ]);
  // A worker's key does not become a person's by what its file says.
  await Deno.writeTextFile(`${stage.sandbox.root}/forged.json`, JSON.stringify({ ...mine, seed }), { mode: 0o600 });
  const forged = await stage.call("submit", "Write it", "--fleet", `${stage.sandbox.root}/forged.json`);
  assertEquals(forged.code, 1, forged.stdout);
  await Deno.chmod(file, 0o644);
  const open = await stage.call("fleet", "ls");
  assertEquals([open.code, open.stderr.split("\n")[0]], [
    2,
    `panewright: Cannot use the fleet of ${file}: others can read it`,
  ]);
});

Deno.test("what the server says for somebody under another's name counts for nothing, and fences nobody", async () => {
  await using stage = await fleetStage({ users: [{ name: "anna", rights: "submitter" }] });
  await stage.replay(AT_WORK);
  assertEquals((await stage.call("submit", "--run", "Write it", "--id", "mine")).code, 0);
  const worker = stage.worker("w1");
  await until(async () => recordsIn(await stage.log("mine").catch(() => [])).includes("message_sent"));

  const connection = await connectServer(readCredentials(stage.credentials["anna"]));
  const key = "$KV.pw_jobs.anna.x";
  // Whoever may read may have the answer sent to any subject, as if it were an inbox.
  const say = async (text: string, subject: string) => {
    await jetstream(connection).publish(key, text);
    connection.publish("$JS.API.DIRECT.GET.KV_pw_jobs", JSON.stringify({ last_by_subj: key }), { reply: subject });
    await connection.flush();
  };
  const { fleet } = stage;
  const stop = JSON.stringify({ what: "stop", epoch: 1 });
  await say(stop, "pw.said.me.job.me.mine");
  const seals = await openSeals(readCredentials(stage.credentials["anna"]), fleet.credentials.fleet);
  await say(await seals.seal(stop, "pw.said.anna.job.me.mine"), "pw.said.me.job.me.mine");
  await say(JSON.stringify({ type: "parked", epoch: 1, reason: "forged", at: "", after: 0 }), "pw.log.me.mine");
  const found = async (stream: string) => (await fleet.manager.streams.info(stream)).state.messages;
  await until(() => found("pw_said"), (messages) => messages === 2);
  assertEquals(await readSaid(fleet, { author: "me", id: "mine" }, { after: 0 }), []);
  assertEquals(await stage.state("mine"), "running");

  // Who has the job goes on writing its log.
  assertEquals((await stage.call("fleet", "stop", "mine")).code, 0);
  await stage.reaches("mine", "stopped");
  const events = await stage.log("mine");
  assertEquals([eventsOf(events, "parked").length, eventsOf(events, "released").length], [0, 1], worker.output.stderr);
  // Another person of the team may have it go on; what it is stays its author's word.
  await stage.replay(PASSES);
  assertEquals((await stage.callAs("anna", "fleet", "retry", "me.mine")).code, 0);
  await stage.reaches("mine", "pass");
  await connection.close();
  await stage.end();
});
