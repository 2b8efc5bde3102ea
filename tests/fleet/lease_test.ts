import { assertEquals, assertStringIncludes } from "@std/assert";
import { keepLease } from "../../lib/fleet/lease.ts";
import type { JobEntry } from "../../lib/fleet/job.ts";
import { createFakeClock } from "../support/fake_clock.ts";

const job = { author: "anna", id: "x" };
const entry = { state: "running", epoch: 2, worker: "w1" } as unknown as JobEntry;

/** A bucket that is there, away, or changed by somebody else. */
function bucket() {
  const clock = createFakeClock();
  let state: "there" | "away" | "taken" = "there";
  let revision = 1;
  const sealed: string[] = [];
  const fleet = {
    jobs: {
      update(_key: string, text: string, last: number) {
        if (state === "away") return Promise.reject(new Error("timeout"));
        if (state === "taken" || last !== revision) return Promise.reject(new Error("wrong last sequence"));
        sealed.push(text);
        return Promise.resolve(++revision);
      },
      get() {
        if (state === "away") return Promise.reject(new Error("timeout"));
        const string = () => state === "taken" ? "theirs" : "ours";
        return Promise.resolve({ operation: "PUT", string, revision, created: new Date(0) });
      },
    },
    seals: {
      seal: (text: string) => Promise.resolve(text),
      unseal: (text: string) =>
        Promise.resolve({
          by: "machine",
          rights: "worker",
          text: JSON.stringify({ ...FULL, epoch: text === "theirs" ? 3 : 2 }),
        }),
    },
  };
  return { clock, fleet: fleet as never, become: (next: typeof state) => state = next, revision: () => revision };
}

const FULL = {
  job: {
    ...{ v: 1, title: "", command: "exec", args: [], source: {}, commit: "a".repeat(40), folder: "", labels: {} },
    ...{ priority: "normal", submittedAt: "" },
  },
  ...{ hash: "", state: "running", worker: "w1", at: "" },
};

async function onLease(
  run: (
    stage: ReturnType<typeof bucket> & {
      readonly lease: ReturnType<typeof keepLease>;
      readonly worked: () => number;
      readonly wait: (ms: number) => Promise<void>;
    },
  ) => Promise<void>,
) {
  const stage = bucket();
  let worked = 0;
  using lease = keepLease(stage.fleet, {
    ...{ job, entry, revision: 1, leaseMs: 6000, clock: stage.clock, leaseClock: stage.clock },
    working: () => worked++,
  });
  using _clock = stage.clock;
  const wait = (ms: number) => stage.clock.runUntilSettled(stage.clock.sleep(ms));
  await run({ ...stage, lease, worked: () => worked, wait });
}

Deno.test("a lease is renewed by a change that nobody else could make, and only then the queue is told", async () => {
  await onLease(async ({ lease, revision, wait, worked }) => {
    await wait(10_000);
    assertEquals(lease.lost.aborted, false);
    assertEquals([revision() > 5, worked() === revision() - 1], [true, true]);
  });
});

Deno.test("without proof a job is lost at half of its lease, before anybody else may have it", async () => {
  await onLease(async ({ become, lease, wait, worked }) => {
    await wait(1000);
    become("away");
    const before = worked();
    await wait(2500);
    assertEquals(lease.lost.aborted, false);
    await wait(1500);
    assertEquals([lease.lost.aborted, worked()], [true, before]);
    assertStringIncludes(String(lease.lost.reason), "the fleet has not been reached for");
  });
});

Deno.test("a job that another worker has taken is lost at once", async () => {
  await onLease(async ({ become, lease, wait }) => {
    become("taken");
    await wait(1100);
    assertEquals(lease.lost.aborted, true);
    assertStringIncludes(String(lease.lost.reason), "another worker has taken it");
  });
});
