import * as z from "zod";
import type { Clock } from "../../base/ports/clock.ts";
import { present } from "../../base/schema.ts";
import type { ProblemCode } from "../control/problem.ts";
import type { EventStream } from "../follow/event_stream.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { ActContext, ServeContext } from "./context.ts";
import { MAX_WAIT_SECONDS, run, RUN_PARAM, workdir } from "./fields.ts";
import { findServed, requestedRun } from "./served.ts";

export interface ReplySpec {
  readonly about: string;
  readonly schema?: z.ZodType;
  /** @default {application/json} */
  readonly type?: "application/json" | "text/event-stream" | "text/html";
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation as it is asked for over HTTP: routes, checks and the OpenAPI document come from here. */
export interface Operation {
  /** Its name in generated clients: `getRun`. */
  readonly id: string;
  readonly method: "get" | "post";
  /** As OpenAPI writes it: `/v1/runs/{run}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  /** Whether it is answered without the token, because it tells nothing of a run. @default {false} */
  readonly isOpen?: boolean;
  readonly params?: Readonly<Record<string, z.ZodType<unknown, string>>>;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly replies: Readonly<Record<number, ReplySpec>>;
  readonly problems?: readonly ProblemCode[];
  /** @throws {PanewrightError} told as a problem */
  handle(call: Call): Promise<Answer>;
}

interface Call<Query = unknown, Headers = unknown, Body = unknown> {
  readonly context: ServeContext;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** Who asks; missing for the owner of the server. */
  readonly who?: string;
  /** Aborted when the answer takes too long, or the server ends; missing for a stream, which has its own. */
  readonly signal: AbortSignal;
}

export type Answer =
  | { readonly status: number; readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly events: (stream: EventStream) => Promise<void> }
  | { readonly response: Response };

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** An operation over HTTP with its schemas, from which follows what its handler is given. */
type Spec<Query, Headers, Body, Of extends readonly unknown[]> =
  & Omit<Operation, "query" | "headers" | "body" | "handle">
  & {
    readonly query?: Query;
    readonly headers?: Headers;
    readonly body?: Body;
    handle(...given: [...Of, call: Call<Parsed<Query>, Parsed<Headers>, Parsed<Body>>]): Promise<Answer>;
  };

export function operation<
  Query extends z.ZodObject | undefined = undefined,
  Headers extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(spec: Spec<Query, Headers, Body, []>): Operation {
  return spec as unknown as Operation;
}

/** Defines an operation on a run, which its path names. */
export function runOperation<
  Query extends z.ZodObject | undefined = undefined,
  Headers extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>({ handle, ...spec }: Spec<Query, Headers, Body, [folder: RunFolder]>): Operation {
  return operation({
    ...spec,
    params: { ...RUN_PARAM, ...spec.params },
    problems: ["unknown_run", "ambiguous_run", ...spec.problems ?? []],
    handle: async (call) => await handle(await requestedRun(call.params["run"], call.context), call as never),
  });
}

/** An operation as a model calls it; its schemas are those that clients are told, and that calls are checked by. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** Whether it changes nothing. @default {false} */
  readonly isReadOnly?: boolean;
  /** Whether what it does can take something away. @default {false} */
  readonly isDestructive?: boolean;
  /** Whether doing it twice is the same as doing it once. @default {false} */
  readonly isIdempotent?: boolean;
  act(input: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
}

export interface ToolCall extends ActContext {
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
  readonly client: string | undefined;
}

/** Defines a tool; what its act is given, and has to return, follows from its schemas. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: Tool<Input, Output>,
): Tool<Input, Output> {
  return spec;
}

/** Defines a tool for a run, whose id and folder are arguments of it. */
export function runTool<Input extends z.ZodRawShape, Output extends z.ZodObject>(
  { input, act, ...spec }: Omit<Tool<z.ZodObject<Input>, Output>, "input" | "act"> & {
    readonly input: Input;
    act(folder: RunFolder, input: z.output<z.ZodObject<Input>>, call: ToolCall): Promise<z.input<Output>>;
  },
): Tool<z.ZodObject, Output> {
  return {
    ...spec,
    input: z.strictObject({ run, ...input, workdir }),
    async act(given, call) {
      const { run, workdir, ...rest } = given as { readonly run: string; readonly workdir?: string };
      return await act(await findServed({ run, workdir }, call), rest as never, call);
    },
  };
}

/** Who acts: a model, by the client that it is in. */
export function actorOf({ client }: ToolCall): { readonly by: "mcp"; readonly who?: string } {
  return { by: "mcp", ...present({ who: client }) };
}

/** Until when a call may wait, by the clock: so many seconds as it says, or as are usual, and no longer than any may. */
export function deadlineOf(seconds: number | undefined, { usual, clock }: { usual: number; clock: Clock }): number {
  return clock.now() + Math.min(seconds ?? usual, MAX_WAIT_SECONDS) * 1000;
}

/** What an act comes to, or undefined where it takes longer than a client waits; it continues then. */
export async function withinTime<T>(acting: Promise<T>, clock: Clock): Promise<T | undefined> {
  const over = new AbortController();
  const limit = clock.sleep(MAX_WAIT_SECONDS * 1000, over.signal).then(() => undefined, () => undefined);
  acting.catch(() => {});
  try {
    return await Promise.race([acting, limit]);
  } finally {
    over.abort();
  }
}
