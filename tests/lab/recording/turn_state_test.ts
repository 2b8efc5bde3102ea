import { assertEquals } from "@std/assert";
import type { ModelLogEntry, ReplyEnd } from "../model_log.ts";
import { turnStateOf } from "./turn_state.ts";

const busy = { t: 1, event: "busy", n: 1, scenario: "default", thread: "one", prompt: "" } as const;
const request = { t: 3, event: "request", n: 2, path: "/", kind: "side" } as const;

function idle(how: ReplyEnd, endsTurn = false): ModelLogEntry {
  return { t: 2, event: "idle", n: 1, thread: "one", how, endsTurn };
}

Deno.test("turnStateOf() tells the state after the last reply", () => {
  assertEquals(turnStateOf([request]), "none");
  assertEquals(turnStateOf([busy, request]), "busy");
  assertEquals(turnStateOf([busy, idle("sent"), request]), "tool");
  assertEquals(turnStateOf([busy, idle("sent", true)]), "over");
  assertEquals(turnStateOf([busy, idle("refused", true)]), "refused");
  assertEquals(turnStateOf([busy, idle("broken")]), "refused");
  assertEquals(turnStateOf([busy, idle("client_gone", true)]), "abandoned");
  assertEquals(turnStateOf([busy, idle("sent", true), busy]), "busy");
});
