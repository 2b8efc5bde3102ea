import { assertEquals } from "@std/assert";
import { type Recovered, recoveredText, recoveredWith, type Recovering } from "../../lib/journal/recovery.ts";

const AT = "2026-11-20T22:00:00.000Z";

const fold = (...all: readonly Recovering[]) =>
  all.reduce((recovered: readonly Recovered[], one) => recoveredWith({ recovered }, one, AT), []);

Deno.test("what a run was helped out of is counted by kind, with the time that was waited", () => {
  const half = "2026-11-20T22:00:30.000Z";
  const recovered = fold(
    { recovery: "pause", class: "overloaded", until: half },
    { recovery: "fresh_session", class: "context", until: AT },
    { recovery: "pause", class: "overloaded", until: "2026-11-20T22:13:30.000Z" },
    { recovery: "restart" },
    { recovery: "restart" },
    { recovery: "ground" },
    { recovery: "reset", class: "usage_limit", until: "2026-11-21T00:05:00.000Z" },
  );
  assertEquals(
    recoveredText(recovered),
    "overloaded 2 times, 14m 00s; context full once, a new session; a program that had ended: started again 2 times; " +
      "tmux or the sandbox: opened anew once; usage limit once, 2h 05m",
  );
});

Deno.test("a reset in the past, or one that cannot be read, adds no time", () => {
  const recovered = fold(
    { recovery: "reset", class: "usage_limit", until: "2026-11-20T21:00:00.000Z" },
    { recovery: "reset", class: "usage_limit", until: "soon" },
    { recovery: "reset", class: "usage_limit" },
  );
  assertEquals(recovered, [{ recovery: "reset", class: "usage_limit", times: 3, seconds: 0 }]);
  assertEquals(recoveredText([]), "");
});
