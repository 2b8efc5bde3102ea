import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { type ProcessGroup, type ProcessGroupSpec, startProcessGroup } from "../../../lib/base/ports/process_group.ts";
import { findMarkedPids } from "../../../lib/base/ports/end_processes.ts";
import { processesWith } from "../../agents/process/support.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { startProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";

function start(
  script: string,
  change: Partial<ProcessGroupSpec> = {},
): ProcessGroup & { readonly printed: () => string } {
  let text = "";
  const group = startProcessGroup({
    argv: ["sh", "-c", script],
    cwd: "/",
    env: {},
    stdin: "",
    mark: { name: "PANEWRIGHT_TEST_MARK", value: crypto.randomUUID() },
    clock: patientClock(),
    onStdout: (bytes) => text += new TextDecoder().decode(bytes),
    onStderr: () => {},
    ...change,
  });
  return { ...group, printed: () => text };
}

/** Waits until the program has printed a line. */
async function ready(group: { readonly printed: () => string }): Promise<void> {
  while (!group.printed().includes("\n")) await systemClock.sleep(5);
}

const uniqueMark = () => `mark-${crypto.randomUUID()}`;

Deno.test("the ladder begins with SIGINT, which most programs end on at once", async () => {
  const clock = patientClock();
  const group = start("trap 'echo int; exit 5' INT; echo ready; while :; do sleep 0.05; done", { clock });
  await ready(group);
  await group.stop();
  assertEquals([await group.ended, group.printed()], [5, "ready\nint\n"]);
  assert(clock.now() < 1000, `${clock.now()} ms`);
});

Deno.test("SIGTERM comes after 1 s to what ignores SIGINT", async () => {
  const clock = patientClock({ coarseness: 5 });
  const script = "trap '' INT; trap 'echo term; exit 6' TERM; echo ready; while :; do sleep 0.05; done";
  const group = start(script, { clock });
  await ready(group);
  await group.stop();
  assertEquals([await group.ended, group.printed()], [6, "ready\nterm\n"]);
  assert(clock.now() >= 1000 && clock.now() < 3000, `${clock.now()} ms`);
});

Deno.test("SIGKILL comes after 3 s to what ignores the other signals", async () => {
  const clock = patientClock({ coarseness: 10 });
  const group = start("trap '' INT TERM; echo ready; while :; do sleep 0.05; done", { clock });
  await ready(group);
  await group.stop();
  assertEquals(await group.ended, 137);
  assert(clock.now() >= 3000 && clock.now() < 5000, `${clock.now()} ms`);
});

Deno.test("bug: on a machine on which each look takes seconds, what ignores the other signals is still killed", async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs += 10_000, sleep: systemClock.sleep };
  const group = start("trap '' INT TERM; echo ready; while :; do sleep 0.05; done", { clock });
  await ready(group);
  await group.stop();
  assertEquals(await group.ended, 137);
});

Deno.test("what went into a session of its own is found by its mark, and ended", async () => {
  const clock = patientClock();
  const mark = uniqueMark();
  const script = `setsid sh -c 'trap "" INT; while :; do sleep 0.05; done' ${mark} & echo ready; exit 0`;
  const group = start(script, { clock });
  await ready(group);
  await group.ended;
  assertEquals((await processesWith(mark)).length, 1);
  await group.stop();
  assertEquals(await processesWith(mark), []);
  // It got SIGTERM at once, and not after the second that a program has on SIGINT.
  assert(clock.now() < 1000, `${clock.now()} ms`);
});

Deno.test("what is kept does not end with the program, nor does what it starts; the rest does", async () => {
  const mark = { name: "PANEWRIGHT_TEST_MARK", value: uniqueMark() };
  const script = "setsid sh -c 'sleep 100; :' >/dev/null & kept=$!; setsid sleep 101 >/dev/null & echo $kept; wait";
  const group = start(script, { mark });
  await ready(group);
  const kept = await until(
    async () => (await group.listProcesses()).filter(({ pid }) => pid === Number(group.printed())),
    (found) => found.length === 1,
  );
  group.keep(kept);
  await group.stop();
  assertEquals(await group.listProcesses(), []);
  const left = await findMarkedPids(mark);
  assert(left.includes(kept[0]!.pid) && left.length <= 2, left.join());
  for (const pid of left) Deno.kill(pid, "SIGKILL");
});

Deno.test("a child whose environment was cleared is found below the program", async () => {
  const mark = uniqueMark();
  const script = `env -i /bin/sh -c "setsid sh -c 'while :; do sleep 0.05; done' ${mark}" & echo ready; wait`;
  const group = start(script, { clock: patientClock({ coarseness: 5 }) });
  await ready(group);
  while ((await processesWith(mark)).length === 0) await systemClock.sleep(10);
  await group.stop();
  assertEquals(await processesWith(mark), []);
});

Deno.test("stop after the end of all waits for nothing, and may be called again", async () => {
  const clock = patientClock();
  const group = start("echo ready; exit 3", { clock });
  assertEquals(await group.ended, 3);
  await Promise.all([group.stop(), group.stop()]);
  await group.stop();
  assertEquals(group.printed(), "ready\n");
  assertEquals(clock.now(), 0);
});

Deno.test("killNow ends the group without waiting", async () => {
  const group = start("trap '' INT TERM; echo ready; while :; do sleep 0.05; done");
  await ready(group);
  group.killNow();
  assertEquals(await group.ended, 137);
  await group.stop();
});

Deno.test("a program that does not read its input does not matter", async () => {
  const group = start("exec 0<&-; echo ready", { stdin: "x".repeat(1_000_000) });
  assertEquals(await group.ended, 0);
  await group.stop();
});

Deno.test("what the receiver of output throws reaches the one who stops, and the program does not stand still", async () => {
  const group = start("yes | head -c 1000000; exit 4", {
    onStdout() {
      throw new Error("disk full");
    },
  });
  assertEquals(await group.ended, 4);
  await assertRejects(() => group.stop(), Error, "disk full");
});

Deno.test("a mark with a line break, as in a folder's name, is found as a whole: its first row is no mark of others", async () => {
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  const name = `PW_TEST_${crypto.randomUUID().slice(0, 8)}`;
  const [own, other] = ["/w/a\nb/.panewright/runs/1/", "/w/a-other/"];
  await using started = startProgram(["sleep", "600"], { cwd: "/", env: { ...env, [name]: own } });
  await using _beside = startProgram(["sleep", "600"], { cwd: "/", env: { ...env, [name]: other } });
  await until(() => findMarkedPids({ name, value: "" }), (found) => found.length === 2);
  assertEquals(await findMarkedPids({ name, value: own }), [started.pid]);
});
