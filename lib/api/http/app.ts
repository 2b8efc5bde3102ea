import { type Context, Hono } from "hono";
import { abortable } from "../../base/ports/abortable.ts";
import { jsonLine } from "../../base/text/sanitize.ts";
import { parseInput, readJson } from "./body.ts";
import { serveContext } from "../operations/context.ts";
import type { ServeDeps, ServerContext } from "./deps.ts";
import { streamEvents } from "../follow/event_stream.ts";
import { type Caller, createGuard } from "./guard.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/mod.ts";
import type { Admitted } from "./token.ts";
import { Problem, problemResponse } from "../control/problem.ts";

export interface ServeApp {
  readonly context: ServerContext;
  /** Answers a request; it never rejects. */
  fetch(request: Request, caller: Caller): Promise<Response>;
}

interface ServeEnv {
  readonly Bindings: { readonly caller: Caller; readonly admitted: Admitted | undefined };
}

/**
 * Adds routes that are not {@linkcode Operation}s, such as those with a protocol of their own. They get requests that
 * have passed the guard and have the token; what they throw is told as a problem. Secrets they take out themselves.
 */
export type MountRoutes = (app: Hono<ServeEnv>, context: ServerContext) => void;

export interface ServeParts {
  /** @default {OPERATIONS} */
  readonly operations?: readonly Operation[];
  /** @default {[]} */
  readonly mounts?: readonly MountRoutes[];
}

export function createServeApp(deps: ServeDeps, parts: ServeParts = {}): ServeApp {
  const { operations = OPERATIONS, mounts = [] } = parts;
  const context = serveContext(deps);
  const { limits, redactor } = context;
  const guard = createGuard(context);
  const load = { underWay: 0 };
  const refuse = (error: unknown): Response => {
    const response = problemResponse(error, redactor);
    if (response.status === 500) {
      context.log(redactor.text(`a request failed: ${error instanceof Error ? error.stack : error}`));
    }
    return response;
  };

  const app = new Hono<ServeEnv>();
  app.onError(refuse);
  app.notFound(({ req }) => refuse(unknownPath(req.path)));
  const addAll = (isOpen: boolean) => {
    for (const one of operations.filter((each) => (each.isOpen ?? false) === isOpen)) {
      app.on(one.method, honoPath(one.path), (hono) => answer(one, { hono, context, load }));
    }
  };
  addAll(true);
  // In this order: what is open is answered before the token is asked for.
  app.use("*", async ({ req, env }, next) => {
    if (env.admitted === undefined) throw guard.unauthorized(req.raw, env.caller);
    await next();
  });
  addAll(false);
  for (const mount of mounts) mount(app, context);
  for (const { path } of operations) {
    const allowed = operations.filter((one) => one.path === path).map(({ method }) => method.toUpperCase());
    app.all(honoPath(path), ({ req }) => refuse(wrongMethod(req.method, allowed)));
  }

  const fetch = async (request: Request, caller: Caller): Promise<Response> => {
    if (context.signal.aborted) throw new Problem("ending", "Cannot answer: the server ends");
    if (load.underWay >= limits.connections) throw overloaded(limits.connections);
    // A HEAD would start a stream that nobody reads.
    if (!METHODS.includes(request.method)) throw wrongMethod(request.method, METHODS);
    const admitted = await guard.admit(request, caller);
    return await app.fetch(request, { caller, admitted });
  };
  return {
    context,
    async fetch(request, caller) {
      const response = await fetch(request, caller).catch(refuse);
      for (const [name, value] of SECURITY_HEADERS) {
        if (!response.headers.has(name)) response.headers.set(name, value);
      }
      return response;
    },
  };
}

const METHODS: readonly string[] = ["GET", "POST", "DELETE"];

/** What browsers are told with each answer that does not say otherwise. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  // Events must arrive at once, and not when a compressor has enough of them.
  ["Cache-Control", "no-store, no-transform"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
];

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

interface AnswerOptions {
  readonly hono: Context<ServeEnv>;
  readonly context: ServerContext;
  readonly load: { underWay: number };
}

async function answer(one: Operation, { hono: { env, req }, context, load }: AnswerOptions): Promise<Response> {
  load.underWay++;
  let isStream = false;
  const over = new AbortController();
  try {
    const signal = AbortSignal.any([over.signal, context.signal]);
    const { requestMs } = context.limits;
    const tooLong = new Problem("timed_out", `Cannot answer: it took longer than ${requestMs / 1000} s`);
    context.clock.sleep(requestMs, signal).then(() => over.abort(tooLong), () => {});
    const query = one.query === undefined ? undefined : parseInput(one.query, req.query(), "the query");
    const headers = one.headers === undefined ? undefined : parseInput(one.headers, req.header(), "the headers");
    const body = one.body === undefined
      ? undefined
      : parseInput(one.body, await readJson(req.raw, context), "the body");
    const call = {
      context,
      params: req.param() as Readonly<Record<string, string>>,
      query,
      headers,
      body,
      signal,
      ...env.admitted,
    };
    const found = await abortable(() => one.handle(call), signal);
    isStream = "events" in found;
    return respond(found, { context, onEnd: () => load.underWay-- });
  } finally {
    over.abort();
    if (!isStream) load.underWay--;
  }
}

function respond(
  found: Answer,
  { context, onEnd }: { readonly context: ServerContext; readonly onEnd: () => void },
): Response {
  if ("response" in found) return found.response;
  if ("events" in found) return streamEvents(found.events, { ...context, onEnd });
  const { status, json, headers } = found;
  const text = jsonLine(context.redactor.value(json));
  return new Response(text, { status, headers: { "Content-Type": "application/json", ...headers } });
}

function unknownPath(path: string): Problem {
  return new Problem("unknown_path", `Cannot answer ${JSON.stringify(path)}: there is nothing`, {
    hint: "GET /openapi.json describes all paths.",
  });
}

function wrongMethod(method: string, allowed: readonly string[]): Problem {
  return new Problem("wrong_method", `Cannot answer: the method is not ${method} here`, {
    headers: { Allow: allowed.join(", ") },
  });
}

function overloaded(connections: number): Problem {
  return new Problem("overloaded", `Cannot answer: ${connections} requests and streams are under way`, {
    headers: { "Retry-After": "5", "Connection": "close" },
  });
}
