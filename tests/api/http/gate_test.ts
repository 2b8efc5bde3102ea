import { assertEquals } from "@std/assert";
import { openGate } from "../../../lib/api/http/gate.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { until } from "../../support/until.ts";

const LIMITS = { connections: 2, readMs: 10_000, requestMs: 60_000 };

/** A gate before a server that answers each byte with the same one; disposal closes both. */
function echoGate() {
  const clock = patientClock({ byHandFromMs: 1000 });
  const over = new AbortController();
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = (async () => {
    for await (const conn of server) conn.readable.pipeTo(conn.writable).catch(() => {});
  })();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const clients: string[] = [];
  const gate = openGate(listener, {
    limits: LIMITS,
    clock,
    signal: over.signal,
    async connect(client) {
      clients.push(client);
      return {
        conn: await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port }),
        [Symbol.dispose]: () => {},
      };
    },
  });
  const address = { hostname: "127.0.0.1", port: listener.addr.port };
  const left: Deno.Conn[] = [];
  return {
    ...{ gate, clock, clients, address, left },
    connect: () => Deno.connect(address),
    async [Symbol.asyncDispose]() {
      for (const conn of left) conn.close();
      over.abort();
      await gate.closed;
      server.close();
      await accepting;
    },
  };
}

async function read(conn: Deno.Conn): Promise<string | null> {
  const bytes = new Uint8Array(256);
  const count = await conn.read(bytes).catch(() => null);
  return count === null ? null : new TextDecoder().decode(bytes.subarray(0, count));
}

function write(conn: Deno.Conn, text: string): Promise<number> {
  return conn.write(new TextEncoder().encode(text));
}

Deno.test("gate: so many connections pass, each one more is refused, and one that is closed makes room", async () => {
  await using echo = echoGate();
  const first = await echo.connect();
  using second = await echo.connect();
  for (const conn of [first, second]) {
    await write(conn, "hello");
    assertEquals(await read(conn), "hello");
  }
  using third = await echo.connect();
  assertEquals((await read(third))?.split("\r\n")[0], "HTTP/1.1 503 Service Unavailable");
  assertEquals(await read(third), null);
  first.close();
  await until(() => echo.gate.connections === 1);
  using fourth = await echo.connect();
  await write(fourth, "room");
  assertEquals([await read(fourth), echo.clients.at(-1)], ["room", "127.0.0.1"]);
});

Deno.test("gate: who only opens connections, or was never answered, makes room for whoever comes; who was answered stays", async () => {
  await using echo = echoGate();
  using answered = await echo.connect();
  await write(answered, "hello");
  assertEquals(await read(answered), "hello");
  using half = await echo.connect();
  await until(() => echo.gate.connections === 2);
  // At once, it may be on its way.
  using early = await echo.connect();
  assertEquals((await read(early))?.split("\r\n")[0], "HTTP/1.1 503 Service Unavailable");
  echo.clock.advance(600);
  for (let round = 0; round < 5; round++) {
    const owner = await echo.connect();
    await write(owner, `owner ${round}`);
    assertEquals(await read(owner), `owner ${round}`);
    owner.close();
    await until(() => echo.gate.connections === 1);
    await Deno.connect(echo.address).then((conn) => echo.left.push(conn));
    await until(() => echo.gate.connections === 2);
    echo.clock.advance(600);
  }
  assertEquals(await read(half), null);
  await write(answered, "still");
  assertEquals(await read(answered), "still");
});

Deno.test("gate: who asks nothing is sent away, and so is who sends a request that never ends", async () => {
  await using echo = echoGate();
  using idle = await echo.connect();
  using asking = await echo.connect();
  await write(asking, "GET");
  assertEquals(await read(asking), "GET");
  await until(() => echo.gate.connections === 2);
  const untilLeft = async (count: number) => {
    await until(() => {
      echo.clock.advance(1000);
      return echo.gate.connections === count;
    });
  };
  await untilLeft(1);
  assertEquals(await read(idle), null);
  await write(asking, " /");
  assertEquals(await read(asking), " /");
  await untilLeft(0);
  assertEquals(await read(asking), null);
});

Deno.test("gate: who is answered, and does not read, is sent away", async () => {
  await using echo = echoGate();
  const deaf = await echo.connect();
  const flooding = (async () => {
    const piece = "x".repeat(64 * 1024);
    for (;;) await write(deaf, piece);
  })().catch(() => {});
  await until(() => echo.gate.connections === 1);
  await until(() => {
    echo.clock.advance(1000);
    return echo.gate.connections === 0;
  });
  await flooding;
  deaf.close();
});
