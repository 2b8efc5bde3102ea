import { assertEquals, assertRejects } from "@std/assert";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connectServer } from "../../lib/fleet/connect.ts";
import { readCredentials } from "../../lib/fleet/credentials.ts";
import { fleetStage } from "./fleet_stage.ts";

Deno.test("what a user may not, the server refuses: another's jobs, the log, entries, streams", async (t) => {
  await using stage = await fleetStage({
    users: [{ name: "anna", rights: "submitter" }, { name: "guest", rights: "viewer" }],
  });
  const { credentials } = stage;
  assertEquals((await stage.call("submit", "Write it", "--id", "mine")).code, 0);

  const tries: Readonly<Record<string, readonly string[]>> = {
    anna: [
      "pw.queue.me.any.normal.mine",
      "pw.said.me.job.me.mine",
      "pw.log.me.mine",
      "pw.log.anna.own",
      "$KV.pw_jobs.me.mine",
      "$KV.pw_workers.machine.w1",
    ],
    guest: [
      "pw.queue.guest.any.normal.mine",
      "pw.said.guest.job.me.mine",
      "pw.log.me.mine",
      "$KV.pw_jobs.me.mine",
      "$O.pw_objects.M.x",
    ],
    machine: [
      "pw.queue.machine.any.normal.mine",
      "pw.queue.me.any.normal.mine",
      "pw.said.me.job.me.mine",
      "$KV.pw_labels.any",
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
