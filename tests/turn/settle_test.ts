import { assertEquals } from "@std/assert";
import { comesToRest, createSettling, type RestLook } from "../../lib/turn/settle.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import { createFakeClock } from "../support/fake_clock.ts";

Deno.test("terminals settle side by side: only the first that is asked about is waited for", async () => {
  using clock = createFakeClock();
  using settling = createSettling<number>({ clock, signal: new AbortController().signal });
  const seconds: number[] = [];
  for (const key of [1, 2, 3, 4, 5]) settling.watch(key, () => Promise.resolve({ status: "idle" }));
  for (const key of [1, 2, 3, 4, 5]) {
    assertEquals(await clock.runUntilSettled(settling.hasSettled(key)), true);
    seconds.push(clock.elapsedSeconds());
  }
  assertEquals(seconds, [1, 1, 1, 1, 1]);
});

Deno.test("one look does where the CLI's record bears the screen out, and only there", async () => {
  using clock = createFakeClock();
  const settle = async (looks: readonly RestLook[]) => {
    const left = [...looks];
    const atRest = await clock.runUntilSettled(comesToRest(() => Promise.resolve(left.shift()!), { clock }));
    return [atRest, looks.length - left.length];
  };
  const idle = { status: "idle" } as const;
  assertEquals(await settle([{ ...idle, restIsRecorded: true }, idle]), [true, 1]);
  assertEquals(await settle([idle, { ...idle, restIsRecorded: true }, idle]), [true, 2]);
  assertEquals(await settle([{ status: "processing", restIsRecorded: true }, idle, idle]), [true, 3]);
  assertEquals(await settle([{ status: "error", restIsRecorded: true }]), [false, 1]);
});

Deno.test("what does not come to rest, cannot be looked at or is not there has not settled", async () => {
  using clock = createFakeClock();
  using settling = createSettling<string>({ clock, signal: new AbortController().signal });
  const statuses: TerminalStatus[] = ["idle", "processing", "idle"];
  settling.watch("late", () => Promise.resolve({ status: statuses.shift() ?? "idle" }));
  settling.watch("busy", () => Promise.resolve({ status: "processing" }));
  settling.watch("broken", () => Promise.reject(new Error("tmux is gone")));
  const told = Promise.all(["late", "busy", "broken", "nobody"].map((key) => settling.hasSettled(key)));
  assertEquals(await clock.runUntilSettled(told), [true, false, false, false]);
  assertEquals(clock.elapsedSeconds(), 10);
});

Deno.test("a terminal that takes the place of another settles anew, and the end of the run ends it all", async () => {
  using clock = createFakeClock();
  const settling = createSettling<string>({ clock, signal: new AbortController().signal });
  settling.watch("tester", () => Promise.resolve({ status: "error" }));
  assertEquals(await clock.runUntilSettled(settling.hasSettled("tester")), false);
  settling.watch("tester", () => Promise.resolve({ status: "idle" }));
  const asked = settling.hasSettled("tester");
  settling[Symbol.dispose]();
  assertEquals(await clock.runUntilSettled(asked), false);
  assertEquals(clock.elapsedSeconds(), 0);
});
