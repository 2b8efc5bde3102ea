import { assertEquals, assertStringIncludes } from "@std/assert";
import { connectFleet, readCredentials } from "../../lib/fleet/mod.ts";
import { until } from "../support/until.ts";
import { AT_WORK, eventsOf, fleetStage, PASSES, recordsIn } from "./fleet_stage.ts";

const NODES = ["one", "two", "three"];

Deno.test("a cluster of three, over TLS: its leader is killed in the middle of a turn, and the same worker goes on", async () => {
  await using stage = await fleetStage({ isOverTls: true, nodes: NODES });
  // Who cannot tell that it is the fleet's server says nothing to it.
  const { ca: _, ...stranger } = JSON.parse(await Deno.readTextFile(stage.credentials["me"] ?? ""));
  const file = `${stage.sandbox.root}/stranger.json`;
  await Deno.writeTextFile(file, JSON.stringify(stranger), { mode: 0o600 });
  const unknown = await stage.call("fleet", "ls", "--fleet", file);
  assertEquals(unknown.code, 1, unknown.stdout);
  assertStringIncludes(unknown.stderr, "Name the certificate of who signed the server's");
  await Deno.writeTextFile(file, JSON.stringify({ ...stranger, server: stranger.server.replaceAll("tls:", "nats:") }));
  assertEquals((await stage.call("fleet", "ls", "--fleet", file)).code, 1);
  await stage.replay({ roles: { tester: { turns: [[{ think: 8000 }, { respond: "RESULT: PASS" }]] } } });
  stage.worker("w1");
  const submitted = await stage.call("submit", "--run", "Go on", "--id", "go-on");
  assertEquals(submitted.code, 0, submitted.stderr);
  await until(async () => recordsIn(await stage.log("go-on").catch(() => [])).includes("message_sent"));
  const { cluster } = await stage.fleet.manager.streams.info("pw_log");
  const leader = cluster?.leader ?? "";
  assertEquals(NODES.includes(leader), true);
  stage.server.process(leader).kill("SIGKILL");
  await stage.server.process(leader).ended;
  await until(() => stage.state("go-on").catch(() => ""), (state) => state === "pass");

  const events = await stage.log("go-on");
  assertEquals(eventsOf(events, "ended").length, 1);
  assertEquals(recordsIn(events).filter((type) => type === "run_started").length, 1);
  // Nothing is written with two of the three gone, and all goes on when they are back.
  await stage.replay(AT_WORK);
  const other = NODES.find((name) => name !== leader) ?? "";
  stage.server.process(other).kill("SIGKILL");
  await stage.server.process(other).ended;
  for (const name of [leader, other]) stage.server.start(name);
  await stage.replay(PASSES);
  await until(async () => (await stage.call("submit", "--run", "Go on again", "--id", "again")).code === 0);
  await until(() => stage.state("again").catch(() => ""), (state) => state === "pass");
  await stage.end();
});

Deno.test("a cluster has three servers or more, each with a name of its own", async () => {
  await using stage = await fleetStage();
  const init = (...nodes: readonly string[]) =>
    stage.call("fleet", "init", "cluster", ...nodes.flatMap((node) => ["--node", node]));
  for (const nodes of [["a=10.0.0.1", "b=10.0.0.2"], ["a=1.1.1.1", "a=1.1.1.2", "b=1.1.1.3"]]) {
    const { code, stderr } = await init(...nodes);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "it has three servers or more");
  }
  const odd = await init("a", "b", "c");
  assertStringIncludes(odd.stderr, 'Cannot make the server "a": it is not NAME=HOST or NAME=HOST:PORT');
  const tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem", "--tls-ca", "ca.pem"];
  for (const name of ["cert", "key", "ca"]) await Deno.writeTextFile(`${stage.project}/${name}.pem`, "");
  const addressed = await stage.call(
    ...["fleet", "init", "cluster", ...tls],
    ...["a", "b", "c"].flatMap((name) => ["--node", `${name}=10.0.0.1`]),
  );
  assertEquals(addressed.code, 2, addressed.stderr);
  assertStringIncludes(addressed.stderr, "Cannot make a cluster with TLS of addresses: 10.0.0.1");
  const open = await init("a=10.0.0.1", "b=10.0.0.2", "c=10.0.0.3");
  assertEquals(open.code, 2);
  assertStringIncludes(open.stderr, "on 10.0.0.1 without TLS");
});

Deno.test("a lease is set anew; a stream that is full: nothing is lost, and the job goes on once there is room", async () => {
  await using stage = await fleetStage();
  await using fleet = await connectFleet(readCredentials(stage.credentials["admin"]));
  assertEquals(
    (await stage.callAs("admin", "fleet", "apply", "--lease-seconds", "4", "--fleet", stage.credentials["admin"] ?? ""))
      .code,
    0,
  );
  assertEquals((await fleet.manager.streams.info("pw_queue")).config.description, "lease 4 s");
  await fleet.manager.streams.delete("pw_said");
  const alone = ["fleet", "apply", "--replicas", "3", "--fleet", stage.credentials["admin"] ?? ""];
  const refused = await stage.callAs("admin", ...alone);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stderr, ': its server refuses this: "replicas > 1 not supported in non-clustered mode"');
  assertEquals((await stage.callAs("admin", ...alone.filter((word) => !/replicas|^3$/.test(word)))).code, 0);
  const { config } = await fleet.manager.streams.info("pw_log");
  await fleet.manager.streams.update("pw_log", { ...config, max_bytes: 4000 });
  const worker = stage.worker("w1");
  assertEquals((await stage.call("submit", "--run", "Go on", "--id", "go-on")).code, 0);
  await until(() => worker.output.stderr, (text) => /me\.go-on: waits for .*maximum bytes exceeded/.test(text));
  await fleet.manager.streams.update("pw_log", { ...config, max_bytes: -1 });
  await stage.reaches("go-on", "pass");
  const events = await stage.log("go-on");
  assertEquals(eventsOf(events, "ended").length, 1);
  assertEquals(eventsOf(events, "claimed").length, 1);
  await stage.end();
});
