import { assertEquals, assertStringIncludes } from "@std/assert";
import { hostGateOf } from "../../lib/jobs/host_question.ts";

/** A gate whose person says these, in turn, and what was asked and recorded. */
function gate(...said: readonly (string | undefined)[]) {
  const asked: string[] = [];
  const reached: string[] = [];
  const recorded: unknown[] = [];
  let last = 0;
  const { mayReach } = hostGateOf({
    askAtTerminal: (question) => {
      asked.push(question);
      return Promise.resolve(said[last++]);
    },
    state: () => ({ reached }),
    record(fact) {
      recorded.push([fact.host, fact.answer]);
      if (fact.answer === "run") reached.push(fact.host);
    },
    signal: new AbortController().signal,
  });
  const reach = (host: string, port = 443) => mayReach!({ host, port });
  return { reach, asked, recorded };
}

Deno.test("a host that is not named is a question: once, until the run ends, or not", async () => {
  const { reach, asked, recorded } = gate("once", "RUN ", "no");
  assertEquals(await reach("a.example"), true);
  assertEquals(await reach("a.example"), true);
  assertEquals(await reach("a.example"), true);
  assertEquals(await reach("b.example"), false);
  assertEquals(await reach("b.example"), false);
  assertEquals(asked.length, 3);
  assertStringIncludes(asked[0] ?? "", "wants to reach a.example:443, which sandbox_network does not name");
  assertEquals(recorded, [["a.example:443", "once"], ["a.example:443", "run"], ["b.example:443", "no"]]);
});

Deno.test("what is no answer is asked again, none is a no, and a port is another target", async () => {
  const { reach, asked, recorded } = gate("yes", "", "once", undefined);
  assertEquals(await reach("a.example"), true);
  assertStringIncludes(asked[1] ?? "", 'That is no answer: say "once", "run" or "no".');
  assertEquals(await reach("a.example", 80), false);
  assertEquals(recorded, [["a.example:443", "once"], ["a.example:80", "no"]]);
});

Deno.test("one person is asked once, however many connections a program opens", async () => {
  const { reach, asked } = gate("once");
  assertEquals(await Promise.all([reach("a.example"), reach("a.example"), reach("a.example")]), [true, true, true]);
  assertEquals(asked.length, 1);
  const stubborn = gate(...Array.from({ length: 40 }, () => "no"));
  for (let host = 0; host < 40; host++) assertEquals(await stubborn.reach(`h${host}.example`), false);
  assertEquals(stubborn.asked.length, 20);
  // The name is the program's: it is shown as text.
  const other = gate("no");
  await other.reach("a\u001b[2J.example");
  assertEquals(other.asked[0]?.includes("\u001b"), false);
});

Deno.test("where nobody sits at a terminal no host is let through", () => {
  const signal = new AbortController().signal;
  assertEquals(hostGateOf({ state: () => ({}), record: () => {}, signal }), {});
});
