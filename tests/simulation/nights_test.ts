import { assert, assertEquals } from "@std/assert";
import { planOf, playNight } from "./night.ts";
import { isSamePlay, reportOf } from "./player.ts";
import { shrink } from "./shrink.ts";
import { troublesOf } from "./troubles.ts";

Deno.test("a night plays the same again, byte for byte", async () => {
  for (const seed of [0, 5, 17, 31]) {
    const [one, other] = [await playNight(planOf(seed)), await playNight(planOf(seed))];
    assert(isSamePlay(one, other), `night ${seed}`);
    assert(one.trace.length > 10_000);
  }
});

Deno.test("what must hold after each night holds after these", async () => {
  for (let seed = 0; seed < 40; seed++) {
    const { violations, failed } = await reportOf(seed);
    assertEquals(violations, [], failed?.story.join("\n"));
  }
});

Deno.test("whenever the disk is full, no agent is left running", async () => {
  for (let number = 500; number < 3500; number += 300) {
    const full = { at: "call", number, what: "full_disk", calls: 30 } as const;
    const { violations, story } = await playNight({ ...planOf(13), troubles: [full] });
    assertEquals(violations, [], story.join("\n"));
  }
});

Deno.test("a full disk while an agent waits for an answer ends the run, and no more", async () => {
  const asks = { at: "prompt", number: 3, what: "ask", how: "permission", times: 1 } as const;
  for (let number = 2800; number < 3100; number += 25) {
    const full = { at: "call", number, what: "full_disk", calls: 33 } as const;
    const { violations, story } = await playNight({ ...planOf(1047), troubles: [asks, full] });
    assertEquals(violations, [], story.join("\n"));
  }
});

Deno.test("of two matters that an agent asks in a turn, the answer to each is used, whichever it asks first again", async () => {
  for (const how of ["permission", "form"] as const) {
    const asks = { at: "prompt", number: 3, what: "ask", how, times: 2 } as const;
    const late = { at: "question", number: 2, what: "never" } as const;
    const { violations, story } = await playNight({ ...planOf(15), troubles: [asks, late] });
    assertEquals(violations, [], story.join("\n"));
    assert(story.some((line) => line.includes("waited for a person")), story.join("\n"));
  }
});

Deno.test("what an agent has left is ended by the process that finds the run to be over", async () => {
  for (let number = 1; number <= 3; number++) {
    const server = { at: "prompt", number, what: "leave_server" } as const;
    const kill = { at: "record", of: "response_received", number, what: "kill" } as const;
    const { violations, story } = await playNight({ ...planOf(477), troubles: [server, kill] });
    assertEquals(violations, [], story.join("\n"));
  }
});

Deno.test("in panes: what an agent has written whole is taken, though it hangs then and hears no Esc", async () => {
  for (const seed of [1021, 1270, 2224]) {
    for (let number = 1; number <= 5; number += 2) {
      const hang = { at: "prompt", number, what: "hang", when: "after" } as const;
      const { violations, story } = await playNight({ ...planOf(seed, { inPanes: true }), troubles: [hang] });
      assertEquals(violations, [], `night ${seed}, prompt ${number}:\n${story.join("\n")}`);
    }
  }
});

Deno.test("in panes: an answer that comes as the tmux server dies is used, and nobody is asked again", async () => {
  for (const seed of [3268, 7750]) {
    const { violations, story } = await playNight(planOf(seed, { inPanes: true }));
    assertEquals(violations, [], story.join("\n"));
    assert(story.some((line) => line.includes("the tmux server is gone")), story.join("\n"));
  }
});

Deno.test("a night that fails is told with no more troubles than it takes", async () => {
  const [seed, kind] = [3, "an agent does what it may not"];
  const troubles = [...troublesOf(9), { at: "prompt", number: 2, what: "disobey" } as const, ...troublesOf(12)];
  const { kept, night } = await shrink({ ...planOf(seed), troubles }, kind);
  assertEquals(kept.map((place) => troubles[place]?.what), ["disobey"]);
  assertEquals(night.violations, [kind]);
});
