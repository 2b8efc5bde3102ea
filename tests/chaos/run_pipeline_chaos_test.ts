import { assertEquals } from "@std/assert";
import { createRandom } from "../support/random.ts";
import { planPipeline } from "./run_pipeline_chaos.ts";

Deno.test("a seed gives the same plan each time; over many seeds both commands, agents and every kind of fault are hit", () => {
  assertEquals(planPipeline(createRandom(7)), planPipeline(createRandom(7)));
  const plans = Array.from({ length: 300 }, (_, seed) => planPipeline(createRandom(seed)));
  const faults = plans.flatMap(({ faults = [] }) => faults.flatMap((fault) => fault ?? []));
  assertEquals(new Set(faults.map(({ when }) => when)).size, 3);
  assertEquals([Math.min(...faults.map(({ number }) => number)), Math.max(...faults.map(({ number }) => number))], [
    1,
    28,
  ]);
  assertEquals(new Set(plans.flatMap(({ agent }) => agent?.prompt ?? [])), new Set([1, 2, 3, 4]));
  assertEquals(plans.some(({ faults = [] }) => faults.length > 0 && faults[0] === undefined), true);
});
