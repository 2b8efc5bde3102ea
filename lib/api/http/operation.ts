import type * as z from "zod";
import type { ServeContext } from "./context.ts";
import type { EventStream } from "./event_stream.ts";
import type { ProblemCode } from "./problem.ts";

/** What an operation may be answered with, besides problems. */
export interface ReplySpec {
  readonly about: string;
  /** Of JSON, or of the data of each event. */
  readonly schema?: z.ZodType;
  /** @default {application/json} */
  readonly type?: "application/json" | "text/event-stream" | "text/html";
  /** Headers of the answer, and what each tells. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Something that a client can ask for, as data: routes, checks and the OpenAPI document come from here. */
export interface Operation {
  /** Its name in generated clients: `getRun`. */
  readonly id: string;
  readonly method: "get" | "post";
  /** As OpenAPI writes it: `/v1/runs/{run}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** More of it, in full sentences. */
  readonly description?: string;
  /** Whether it is answered without the token, because it tells nothing of a run. @default {false} */
  readonly isOpen?: boolean;
  /** Those of the path, by name: what each is. */
  readonly params?: Readonly<Record<string, z.ZodType<unknown, string>>>;
  readonly query?: z.ZodObject;
  /** Names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly replies: Readonly<Record<number, ReplySpec>>;
  /** Those besides the ones that every request can meet. */
  readonly problems?: readonly ProblemCode[];
  /** @throws {PanewrightError} told as a problem */
  handle(call: Call): Promise<Answer>;
}

/** A request that has passed all checks. */
export interface Call<Query = unknown, Headers = unknown, Body = unknown> {
  readonly context: ServeContext;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  /** Aborted when the answer takes too long, or the server ends; missing for a stream, which has its own. */
  readonly signal: AbortSignal;
}

/** What a request is answered with. Secrets are taken out of the JSON. */
export type Answer =
  | { readonly status: number; readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Sends until it returns. */
  | { readonly events: (stream: EventStream) => Promise<void> }
  | { readonly response: Response };

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Defines an operation; what its handler is given follows from its schemas. */
export function operation<
  Query extends z.ZodObject | undefined = undefined,
  Headers extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  spec: Omit<Operation, "query" | "headers" | "body" | "handle"> & {
    readonly query?: Query;
    readonly headers?: Headers;
    readonly body?: Body;
    handle(call: Call<Parsed<Query>, Parsed<Headers>, Parsed<Body>>): Promise<Answer>;
  },
): Operation {
  return spec as unknown as Operation;
}
