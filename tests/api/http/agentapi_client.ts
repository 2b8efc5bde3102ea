import { assert, assertEquals } from "@std/assert";
import * as z from "zod";
import { canonicalJson } from "../../../lib/turn/desk/audit_chain.ts";
import { readEvents } from "./support.ts";

const DOCUMENT = JSON.parse(
  await Deno.readTextFile(new URL("../../../fixtures/agentapi/openapi.json", import.meta.url)),
);

/** A shape of agentapi's own OpenAPI document. */
function shape(name: string): z.ZodType {
  const defs = JSON.parse(JSON.stringify(DOCUMENT.components.schemas).replaceAll("#/components/schemas/", "#/$defs/"));
  return z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs: defs });
}

const SHAPES = {
  status: shape("StatusResponseBody"),
  messages: shape("MessagesResponseBody"),
  sent: shape("MessageResponseBody"),
  problem: shape("ErrorModel"),
  message_update: shape("MessageUpdateBody"),
  status_change: shape("StatusChangeBody"),
  screen: shape("ScreenUpdateBody"),
};

/** Holds an answer to a shape, with no field besides. */
function hold(name: keyof typeof SHAPES, value: unknown): void {
  const { data, error } = SHAPES[name].safeParse(value);
  assert(error === undefined, `${name}: ${error?.message} in ${JSON.stringify(value)}`);
  assertEquals(canonicalJson(data as object), canonicalJson(value as object), name);
}

export interface Message {
  readonly id: number;
  readonly role: string;
  readonly content: string;
  readonly time: string;
}

/** What agentapi's Go client does, as strictly: it fails at events that it does not know, or that are too large. */
export interface AgentapiClient {
  status(): Promise<{ readonly status: string; readonly agent_type: string; readonly transport: string }>;
  messages(): Promise<readonly Message[]>;
  /** @returns undefined, or the problem */
  post(
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<undefined | { readonly status: number; readonly detail: string; readonly code: string }>;
  // deno-lint-ignore no-explicit-any -- tests say what they expect
  events(path?: string): AsyncGenerator<{ readonly event: string; readonly data: any }>;
}

/** The most that the Go client takes of one event. */
const MAX_EVENT_BYTES = 128 * 1024;

/** @param ask sends a request to the path below the agent's */
export function agentapiClient(ask: (path: string, init?: RequestInit) => Promise<Response>): AgentapiClient {
  const get = async (path: string, name: keyof typeof SHAPES) => {
    const response = await ask(path);
    const body = await response.json();
    assertEquals(response.status, 200, JSON.stringify(body));
    hold(name, body);
    return body;
  };
  return {
    status: () => get("/status", "status"),
    messages: async () => (await get("/messages", "messages")).messages,
    async post(content, headers = {}) {
      const response = await ask("/message", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: typeof content === "string" ? content : JSON.stringify(content),
      });
      const body = await response.json();
      if (response.status === 200) {
        hold("sent", body);
        return undefined;
      }
      assertEquals(response.headers.get("content-type"), "application/problem+json");
      const { code: _ours, hint: _hint, mistakes: _mistakes, ...theirs } = body;
      hold("problem", theirs);
      return body;
    },
    async *events(path = "/events") {
      const response = await ask(path);
      assertEquals([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
      for await (const { event, data } of readEvents(response)) {
        assert(event === "message_update" || event === "status_change" || event === "screen", `unknown event ${event}`);
        hold(event, data);
        assert(new TextEncoder().encode(JSON.stringify(data)).length < MAX_EVENT_BYTES);
        yield { event, data };
      }
    },
  };
}
