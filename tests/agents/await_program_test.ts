import { assertEquals, assertRejects } from "@std/assert";
import { awaitProgram } from "../../lib/agents/await_program.ts";
import { createFakeClock } from "../support/fake_clock.ts";
import { tempDir } from "../support/temp_dir.ts";

const SCRIPT = "#!/bin/sh\n";

Deno.test("a program that is gone is waited for until it can be executed again, and told both times", async () => {
  await using dir = await tempDir();
  using clock = createFakeClock();
  const told: string[] = [];
  const plan = { cli: { program: "agent" }, workdir: "/", env: { PATH: `/nowhere:${dir.path}` } };
  clock.at(3.5, () => Deno.writeTextFile(`${dir.path}/agent`, SCRIPT, { mode: 0o644 }));
  clock.at(7.5, () => Deno.chmod(`${dir.path}/agent`, 0o755));
  await clock.runUntilSettled(awaitProgram(plan, { clock, tell: (message) => told.push(message) }));
  assertEquals(clock.elapsedSeconds(), 8);
  assertEquals(told, [
    "agent is not there, as while it is updated: waiting for it, for 10 minutes at most",
    "agent is there again",
  ]);
  await clock.runUntilSettled(awaitProgram(plan, { clock, tell: (message) => told.push(message) }));
  assertEquals([clock.elapsedSeconds(), told.length], [8, 2]);
});

Deno.test("a program that does not come back is waited for ten minutes, unless the run ends before", async () => {
  await using dir = await tempDir();
  using clock = createFakeClock();
  const told: string[] = [];
  const tell = (message: string) => void told.push(message);
  const plan = { cli: undefined, command: ["./agent"], workdir: dir.path } as const;
  await clock.runUntilSettled(awaitProgram(plan, { clock, tell }));
  assertEquals([clock.elapsedSeconds(), told.length], [600, 1]);
  const stop = new AbortController();
  clock.at(604.5, () => stop.abort());
  const ended = awaitProgram(plan, { clock, tell, signal: stop.signal });
  await assertRejects(() => clock.runUntilSettled(ended), DOMException);
  assertEquals(told.length, 2);
});
