import { assertEquals, assertStringIncludes } from "@std/assert";
import { notify } from "../../lib/run/notify.ts";

Deno.test("a notification reaches the topic with title, priority and text", async () => {
  const received: unknown[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    received.push([pathname, request.headers.get("title"), request.headers.get("priority"), await request.text()]);
    return new Response("ok");
  });
  const plan = { url: `http://127.0.0.1:${server.addr.port}/`, topic: "my jobs" };
  assertEquals(await notify({ title: "PASS", text: "äll good", priority: 3 }, { plan }), undefined);
  assertEquals(await notify({ title: "Läuft", text: "", priority: 4 }, { plan }), undefined);
  assertEquals(received, [["/my%20jobs", "PASS", "3", "äll good"], ["/my%20jobs", "=?UTF-8?B?TMOkdWZ0?=", "4", ""]]);
});

Deno.test("a notification that does not arrive is told, not thrown", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("no", { status: 403 }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  assertStringIncludes(
    await notify({ title: "PASS", text: "", priority: 3 }, { plan: { url, topic: "t" } }) ?? "",
    "the server answered 403",
  );
  await server.shutdown();
  assertStringIncludes(
    await notify({ title: "PASS", text: "", priority: 3 }, { plan: { url, topic: "t" } }) ?? "",
    `Cannot send the notification "PASS" to ${url}`,
  );
});
