/** What of this machine a program inside must not reach. */
export interface Listeners extends Disposable {
  readonly port: number;
  readonly port6: number;
  /** Empty where none can be opened. */
  readonly abstractName: string;
  hit(): string | undefined;
  forget(): void;
}

/** Listens in each way that a program outside can be reached, and notes who comes. */
export function openListeners({ path, name }: { readonly path: string; readonly name: string }): Listeners {
  const hits: string[] = [];
  const open: Disposable[] = [];
  const serve = <Of extends Deno.Listener | Deno.UnixListener>(listener: Of, what: string): Of => {
    open.push({ [Symbol.dispose]: () => listener.close() });
    void (async () => {
      try {
        for (;;) {
          const connection = await listener.accept();
          hits.push(what);
          connection.close();
        }
      } catch { /* it is closed */ }
    })();
    return listener;
  };
  const portOf = (hostname: string, what: string) => {
    try {
      return serve(Deno.listen({ hostname, port: 0 }), what).addr.port;
    } catch {
      return 0;
    }
  };
  let abstractName = name;
  try {
    serve(Deno.listen({ transport: "unix", path: `\0${name}` }), "an abstract socket was reached");
  } catch {
    abstractName = "";
  }
  const port = portOf("127.0.0.1", "a port of this machine was reached");
  const port6 = portOf("::1", "a port of this machine was reached by IPv6");
  serve(Deno.listen({ transport: "unix", path }), "a Unix socket was reached");
  return {
    ...{ port, port6, abstractName },
    hit: () => hits.at(-1),
    forget: () => void hits.splice(0),
    [Symbol.dispose]: () => open.forEach((one) => one[Symbol.dispose]()),
  };
}
