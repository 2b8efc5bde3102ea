import { systemClock } from "../../lib/base/ports/clock.ts";
import { asObject, type JsonObject, parseObject } from "./json.ts";
import { type EventStream, startLoopbackServer, streamEvents } from "./loopback.ts";
import { type ModelLog, ModelLogWriter } from "./model_log.ts";
import { createScript, followScenarios, type ModelRequest, type Respond } from "./script.ts";
import type { Step, Turn } from "./steps.ts";

/** How a model server is started: with a function that decides about each prompt, or with fixed scenarios. */
export type ModelServerOptions =
  & {
    /** @default {0} 0 lets the system choose */
    readonly port?: number;
    /** A file that gets the log as JSON lines as well. */
    readonly logPath?: string;
  }
  & ({ readonly respond: Respond } | { readonly scenarios: Readonly<Record<string, readonly Turn[]>> });

/** A running model server on 127.0.0.1. Disposing of it throws when its script asked for something impossible. */
export interface ModelServer extends AsyncDisposable {
  readonly port: number;
  readonly log: ModelLog;
  /**
   * What a client is configured with; a scenario's name makes it part of the address.
   *
   * @param api the wire format of the client, where the server speaks several
   */
  baseUrl(scenario?: string, api?: ModelApi): string;
  /** Lets every reply that stands at a `hold` go on, and returns how many did. */
  release(): number;
}

/** What one vendor's API is like: how its requests are read and its replies written. */
export interface ModelApi {
  /** Appended to the server's address to get the base URL that clients expect. */
  readonly basePath: string;
  /** Whether a path below the base URL asks for a reply. */
  repliesAt(path: string): boolean;
  read(headers: Headers, body: JsonObject): Pick<ModelRequest, "thread" | "model" | "prompts">;
  /** The text that answers a request which clients make on their own account, such as one for a title. */
  sideAnswer(headers: Headers, body: JsonObject): string | undefined;
  /** The body of a side answer, where the request did not ask for a stream. */
  whole?(text: string, request: { readonly path: string; readonly body: JsonObject }): JsonObject | undefined;
  /** Writes a reply's events. */
  play(stream: EventStream, steps: readonly Step[], context: PlayContext): Promise<"sent" | "closed" | "cut">;
  refusal(step: Extract<Step, { do: "refuse" }>): JsonObject;
  /** Other paths, such as the list of models. */
  other(method: string, path: string): Response | undefined;
}

/** What a reply's writer knows of the request. */
export interface PlayContext {
  readonly n: number;
  readonly model: string;
  readonly body: JsonObject;
  readonly onStep: (step: Step) => void;
  /** Resolves when held replies are released. */
  readonly released: () => Promise<void>;
}

/** Starts a server for one vendor's API, or for several at one address. */
export function startModelServer(
  apis: readonly [ModelApi, ...ModelApi[]],
  options: ModelServerOptions,
): ModelServer {
  const log = new ModelLogWriter(options.logPath);
  const script = createScript("respond" in options ? options.respond : followScenarios(options.scenarios));
  let requests = 0;
  let held: (() => void)[] = [];
  const released = () => new Promise<void>((resolve) => held.push(resolve));

  async function handle(request: Request, signal: AbortSignal): Promise<Response> {
    const n = ++requests;
    const { pathname } = new URL(request.url);
    const [, scenario = "default", rest = pathname] = pathname.match(/^\/s\/([\w.-]+)(\/.*)$/) ?? [];
    const below = (each: ModelApi) => rest.startsWith(each.basePath) ? rest.slice(each.basePath.length) : rest;
    const api = apis.find((each) => request.method === "POST" && each.repliesAt(below(each)));
    if (api === undefined) {
      log.add({ event: "request", n, path: pathname, kind: "other" });
      for (const each of apis) {
        const answer = each.other(request.method, below(each));
        if (answer !== undefined) return answer;
      }
      return Response.json({ error: { message: `no ${pathname} here` } }, { status: 404 });
    }
    const path = below(api);
    const body = parseObject(await request.text());
    const model = String(body["model"]);
    const side = api.sideAnswer(request.headers, body);
    log.add({ event: "request", n, path: pathname, kind: side === undefined ? "main" : "side" });
    const onError = (error: unknown) => log.add({ event: "script_error", n, message: String(error) });
    if (side !== undefined) {
      const whole = api.whole?.(side, { path, body });
      if (whole !== undefined) return Response.json(whole);
      const steps: Turn = [{ do: "say", text: side }];
      return streamEvents((stream) => api.play(stream, steps, { n, model, body, released, onStep: () => {} }), {
        signal,
        onEnd: () => {},
        onError,
      });
    }

    const read = api.read(request.headers, body);
    log.add({ event: "busy", n, scenario, thread: read.thread, prompt: (read.prompts.at(-1) ?? "").slice(-200) });
    const { steps, endsTurn } = await script.next({ n, scenario, body, ...read });
    const onStep = (step: Step) => log.add({ event: "step", n, thread: read.thread, step: step.do });
    const refusal = steps.find((step) => step.do === "refuse");
    if (refusal !== undefined) {
      for (const step of steps) if (step.do === "wait") await systemClock.sleep(step.ms, signal);
      onStep(refusal);
      log.add({ event: "idle", n, thread: read.thread, how: "refused", endsTurn });
      return Response.json(asObject(api.refusal(refusal)), {
        status: refusal.status,
        headers: { ...refusal.headers },
      });
    }
    return streamEvents((stream) => api.play(stream, steps, { n, model, body, released, onStep }), {
      signal,
      onError,
      onEnd: (how) =>
        log.add({ event: "idle", n, thread: read.thread, how, endsTurn: endsTurn || how === "client_gone" }),
    });
  }

  const server = startLoopbackServer(options.port ?? 0, handle);
  return {
    port: server.port,
    log,
    baseUrl: (scenario, api = apis[0]) =>
      `http://127.0.0.1:${server.port}${scenario === undefined ? "" : `/s/${scenario}`}${api.basePath}`,
    release() {
      const count = held.length;
      for (const resolve of held) resolve();
      held = [];
      return count;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      log[Symbol.dispose]();
      const failure = log.entries.find((entry) => entry.event === "script_error");
      if (failure !== undefined) throw new Error(`The model server's script failed: ${failure.message}`);
    },
  };
}
