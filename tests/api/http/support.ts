import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { createServeApp, type ServeApp, type ServeParts } from "../../../lib/api/http/app.ts";
import type { ServeDeps } from "../../../lib/api/http/deps.ts";
import { DEFAULT_LIMITS } from "../../../lib/api/http/deps.ts";
import { createTokenCheck } from "../../../lib/api/http/token.ts";

/** The token of the servers of tests. */
export const TOKEN = "tEsT-token_0123456789abcdefghijklmnopqrstuv";
/** How they are called. */
export const HOST = "127.0.0.1:8484";

/** An application for tests, that ends with its disposal. */
export interface TestServer extends AsyncDisposable {
  readonly app: ServeApp;
  /** Asks with the token, unless a header says otherwise. */
  ask(path: string, init?: RequestInit & { readonly client?: string }): Promise<Response>;
}

/** Makes an application without a port. */
export function testServer(workdir: string, options: Partial<ServeDeps> = {}, parts?: ServeParts): TestServer {
  const over = new AbortController();
  const app = createServeApp({
    workdirs: [workdir],
    checkToken: createTokenCheck(TOKEN),
    hosts: new Set([HOST]),
    scheme: "http",
    limits: DEFAULT_LIMITS,
    redactor: createRedactor(["correct-horse"]),
    clock: systemClock,
    wallClock: () => new Date(),
    signal: over.signal,
    requireTrust: () => Promise.resolve(),
    detach: {},
    env: (name) => name === "HOME" ? workdir : undefined,
    log: (message) => {
      throw new Error(message);
    },
    ...options,
  }, parts);
  return {
    app,
    async ask(path, { client = "127.0.0.1", ...init } = {}) {
      const request = new Request(`http://${HOST}${path}`, init);
      request.headers.set("Host", request.headers.get("Host") ?? HOST);
      if (!request.headers.has("Authorization")) request.headers.set("Authorization", `Bearer ${TOKEN}`);
      return await app.fetch(request, { client });
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await app.context.hubs.ended();
    },
  };
}

/** An event as a client has it. */
export interface ReadEvent {
  readonly id?: string;
  readonly event: string;
  // deno-lint-ignore no-explicit-any -- tests say what they expect
  readonly data: any;
}

/** Reads the events of a stream until it ends, or nobody asks for more. */
export async function* readEvents(response: Response): AsyncGenerator<ReadEvent> {
  const texts = response.body!.pipeThrough(new TextDecoderStream());
  let rest = "";
  for await (const text of texts) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => {
          const [, name = "", value = ""] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
          return [name, value];
        }),
      );
      const data = fields.get("data");
      if (data === undefined) continue;
      const id = fields.get("id");
      yield { ...(id === undefined ? {} : { id }), event: fields.get("event") ?? "message", data: JSON.parse(data) };
    }
  }
}
