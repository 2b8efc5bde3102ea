import replay from "../../fixtures/demo/replay.json" with { type: "json" };

/** What the demo's agents play, as a text for `replay.json`, with pauses that are so many times as long. */
export function demoReplay(pace: number): string {
  return JSON.stringify(
    replay,
    (key, value) => (key === "think" || key === "ms") && typeof value === "number" ? Math.round(value * pace) : value,
  );
}
