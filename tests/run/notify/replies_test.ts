import { assertEquals } from "@std/assert";
import { readReplies } from "../../../lib/run/notify/replies.ts";
import type { Clock } from "../../../lib/base/ports/clock.ts";
import type { HttpLines } from "../../../lib/base/ports/http.ts";

const line = (event: string, id: string) => JSON.stringify({ id, time: 7, event, topic: "answers", message: "yes" });

/** Pauses between connections take no time; a server is silent only where the test says so. */
const CLOCK: Clock = {
  now: () => 0,
  sleep: (ms, signal) =>
    ms < 100_000
      ? Promise.resolve()
      : new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true })),
};

/** Listens until as many messages have come; the server sends these lines on each connection, and is silent then. */
async function listen(connections: readonly (readonly string[])[], messages: number) {
  const problems: string[] = [];
  const left = [...connections];
  const lines: HttpLines = {
    async *read() {
      yield* left.shift() ?? [];
      throw new Error("the server is silent");
    },
  };
  const over = new AbortController();
  const texts: string[] = [];
  const replies = readReplies({
    ...{ plan: { url: "https://ntfy.example", topic: "jobs" }, topic: "answers", since: new Date(0), lines },
    ...{ clock: CLOCK, signal: over.signal, onProblem: (message: string) => void problems.push(message) },
  });
  for await (const { text } of replies) {
    texts.push(text);
    if (texts.length === messages) break;
  }
  return { problems, texts };
}

Deno.test("a server whose streams open, and are silent then, is told of once, until one says something again", async () => {
  const silent = [line("open", "o")];
  const { problems, texts } = await listen([
    ...[silent, silent, silent, [...silent, line("message", "m1")]],
    ...[silent, [...silent, line("keepalive", "k")], silent, [...silent, line("message", "m2")]],
  ], 2);
  assertEquals(texts, ["yes", "yes"]);
  assertEquals(problems, Array(3).fill("Cannot hear the buttons of notifications: the server is silent"));
});
