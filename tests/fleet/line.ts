/** A line to a server that can be cut, as a cable is: nothing comes through, and nobody is told. */
export interface Line extends AsyncDisposable {
  /** Where it begins. @default {"127.0.0.1"} */
  readonly host?: string;
  readonly port: number;
  /** What a program is started by that is at its beginning. @default {[]} */
  readonly inside?: readonly [string, ...string[]];
  cut(): void | Promise<void>;
  mend(): void | Promise<void>;
}

/** @param port of the server, on this machine */
export function openLine(port: number): Line {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Set<Deno.TcpConn>();
  let isCut = false;
  let mended = Promise.withResolvers<void>();
  const carry = async (from: Deno.TcpConn, to: Deno.TcpConn) => {
    const buffer = new Uint8Array(65_536);
    try {
      for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
        // What was on its way stays on its way.
        if (isCut) await mended.promise;
        let sent = 0;
        while (sent < count) sent += await to.write(buffer.subarray(sent, count));
      }
    } catch { /* Either end may close. */ }
    close(from);
    close(to);
  };
  const close = (connection: Deno.TcpConn) => {
    if (!connections.delete(connection)) return;
    try {
      connection.close();
    } catch { /* It is closed already. */ }
  };
  const serving = (async () => {
    for await (const here of listener) {
      connections.add(here);
      const there = await Deno.connect({ hostname: "127.0.0.1", port });
      connections.add(there);
      void carry(here, there);
      void carry(there, here);
    }
  })();
  return {
    port: listener.addr.port,
    cut: () => void (isCut = true),
    mend() {
      isCut = false;
      mended.resolve();
      mended = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      await this.mend();
      listener.close();
      connections.forEach(close);
      await serving.catch(() => {});
    },
  };
}
