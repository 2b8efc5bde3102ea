import type { AgentFact } from "../../../lib/agents/agent.ts";
import { assertEquals } from "@std/assert";
import { watchCommands } from "../../../lib/jobs/files/command_watch.ts";
import { foldRepeated, type RepeatedCommand } from "../../../lib/agents/repeated_command.ts";

const saw = (command: string, output = "", exitCode?: number): AgentFact => ({
  type: "saw",
  id: "c",
  command,
  output,
  ...(exitCode === undefined ? {} : { exitCode }),
});
const timesAfter = (facts: readonly AgentFact[]) =>
  facts.reduce<RepeatedCommand | undefined>(foldRepeated, undefined)?.times;

Deno.test("repeated: the same command with the same output and exit code, whatever is said and thought in between", () => {
  const spin: readonly AgentFact[] = [
    { type: "ran", id: "1", command: "npm test" },
    saw("npm test", "1 failed (12 ms)", 1),
    { type: "said", text: "Once more." },
    { type: "ran", id: "2", command: "npm test" },
    saw("npm test", "1 failed (14 ms)", 1),
  ];
  assertEquals(timesAfter(spin), 2);
  assertEquals(timesAfter([...spin, saw("npm test", "1 failed (14 ms)", 2)]), 1);
  assertEquals(timesAfter([...spin, saw("ls"), saw("npm test", "1 failed (14 ms)", 1)]), 1);
  // A file that was changed by a tool has no output of its own.
  assertEquals(timesAfter([...spin, { type: "ran", id: "3", command: "file_change {}" }]), undefined);
});

Deno.test("repeated: what still runs is waited for, and that is no repetition", () => {
  const waits = saw(
    'write_stdin {"session_id":1}',
    "Wall time: 30.0 seconds\nProcess running with session ID 1\nOutput:\n",
  );
  assertEquals(timesAfter([waits, waits, waits]), undefined);
});

Deno.test("repeated: Codex' header above an output, with an id of its own each time, does not count", () => {
  const header = (id: string, seconds: string) =>
    `Chunk ID: ${id}\nWall time: ${seconds} seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nsame\n`;
  assertEquals(timesAfter([saw("ls", header("7c9d0f", "0.01")), saw("ls", header("aa01b2", "0.04"))]), 2);
});

/** What is told of an agent that runs one command so often; `files` are the looks' results, in their order. */
async function told(times: number, files: readonly (string | undefined)[], limit = 6) {
  const looks = [...files];
  const repeated: RepeatedCommand[] = [];
  const watch = watchCommands({
    limit: limit === 0 ? undefined : limit,
    look: () => Promise.resolve(looks.shift()),
    onRepeated: (one) => repeated.push(one),
  });
  for (let index = 0; index < times; index++) {
    watch(saw("ls", "same"));
    // Looks that have ended already need a few turns of the queue.
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
  return repeated.map(({ times }) => times);
}

Deno.test("a command that is repeated is told of at the limit, where no file has changed meanwhile", async () => {
  assertEquals(await told(5, ["a", "a"]), []);
  assertEquals(await told(6, ["a", "a"]), [6]);
  assertEquals(await told(6, ["a", "b"]), []);
  assertEquals(await told(6, [undefined, undefined]), []);
  assertEquals(await told(9, ["a", "b", "b"]), [9]);
  assertEquals(await told(99, ["a", "a"], 0), []);
  // One alone repeats nothing.
  assertEquals(await told(1, ["a", "a"], 1), []);
  assertEquals(await told(2, ["a", "a"], 1), [2]);
});

Deno.test("a look that ends late: as many commands must follow it as would have", async () => {
  const looks = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const repeated: number[] = [];
  let asked = 0;
  const watch = watchCommands({
    limit: 4,
    look: () => looks[asked++]!.promise,
    onRepeated: ({ times }) => repeated.push(times),
  });
  const run = (times: number) => {
    for (let index = 0; index < times; index++) watch(saw("ls", "same"));
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  run(5);
  looks[0]!.resolve("a");
  await settle();
  run(1);
  assertEquals(asked, 1);
  run(1);
  assertEquals(asked, 2);
  // Another command meanwhile ends the repetition.
  watch(saw("pwd", "same"));
  looks[1]!.resolve("a");
  await settle();
  assertEquals(repeated, []);
});
