import { assertEquals } from "@std/assert";
import { processesOfCommands } from "../../../lib/base/ports/command_processes.ts";

const AGENT = 10;

/** The agent (10) runs one command (20: 21, 22; 23 has lost its parent) and another one (30), and a helper of its own. */
const OWN = [
  { pid: 10, parentPid: 1, groupId: AGENT },
  { pid: 11, parentPid: 10, groupId: AGENT },
  { pid: 20, parentPid: 10, groupId: 20 },
  { pid: 21, parentPid: 20, groupId: 20 },
  { pid: 22, parentPid: 21, groupId: 22 },
  { pid: 23, parentPid: 1, groupId: 20 },
  { pid: 24, parentPid: 23, groupId: 24 },
  { pid: 30, parentPid: 10, groupId: 30 },
].map((one) => ({ ...one, startTime: String(one.pid), zombie: false }));

const found = (...pids: readonly number[]) =>
  processesOfCommands(pids, { own: OWN, group: AGENT }).map(({ pid }) => pid).sort();

Deno.test("a command is all from its shell down, and what else is in its group; the agent and other commands are not of it", () => {
  for (const asking of [20, 21, 22, 23]) assertEquals(found(asking), [20, 21, 22, 23, 24]);
  assertEquals(found(30), [30]);
  assertEquals(found(22, 30), [20, 21, 22, 23, 24, 30]);
});

Deno.test("what cannot be told from the agent itself is no command, nor is what is not its own", () => {
  assertEquals(found(10, 11, 99), []);
});
