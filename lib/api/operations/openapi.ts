import * as z from "zod";
import { VERSION } from "../../base/version.ts";
import type { Operation, ReplySpec } from "../operations/operation.ts";
import { PROBLEM_CODES, type ProblemCode, statusOf } from "../control/problem.ts";
import { present } from "../../base/schema.ts";

const COMMON: readonly ProblemCode[] = [
  "malformed",
  "wrong_host",
  "foreign_origin",
  "too_many_requests",
  "headers_too_large",
  "internal",
  "overloaded",
];

const PROBLEM = z.object({
  type: z.string().describe("`urn:panewright:problem:` and the code."),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe("What went wrong, as the command says it."),
  code: z.enum(PROBLEM_CODES as [ProblemCode, ...ProblemCode[]]),
  hint: z.string().describe("What can be done about it.").optional(),
  mistakes: z.array(
    z.object({ pointer: z.string().describe("A JSON pointer into what was given."), detail: z.string() }),
  )
    .optional(),
}).describe("RFC 9457.");

/** The OpenAPI 3.1 document of operations. */
export function openApiDocument(operations: readonly Operation[]): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of operations) (paths[one.path] ??= {})[one.method] = describe(one);
  return {
    openapi: "3.1.1",
    info: {
      title: "panewright serve",
      version: VERSION,
      description: "Runs of panewright: followed, started, answered, stopped and resumed over HTTP.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: jsonSchema(PROBLEM) },
    },
  };
}

function describe(one: Operation): Readonly<Record<string, unknown>> {
  const { id, summary, description, isOpen = false, params = {}, query, headers, body, replies, problems = [] } = one;
  const input: readonly ProblemCode[] = query === undefined && headers === undefined && body === undefined
    ? []
    : ["bad_input"];
  const ofBody: readonly ProblemCode[] = body === undefined ? [] : ["too_slow", "too_large", "wrong_type"];
  const codes = new Set([...COMMON, ...(isOpen ? [] : ["unauthorized"] as const), ...input, ...ofBody, ...problems]);
  const byStatus = Map.groupBy([...codes].sort(), statusOf);
  return {
    operationId: id,
    summary,
    ...present({ description }),
    ...(isOpen ? { security: [] } : {}),
    parameters: [
      ...Object.entries(params).map(([name, schema]) => ({
        ...{ name, in: "path", required: true },
        ...described(jsonSchema(schema)),
      })),
      ...parametersOf(query, "query"),
      ...parametersOf(headers, "header"),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body) } } } }),
    responses: Object.fromEntries([
      ...Object.entries(replies).map(([status, reply]) => [status, replyOf(reply)]),
      ...[...byStatus].sort(([first], [second]) => first - second).map(([status, ofStatus]) => [status, {
        description: ofStatus.map((code) => `\`${code}\``).join(", "),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      }]),
    ]),
  };
}

function parametersOf(schema: z.ZodObject | undefined, place: "query" | "header") {
  return Object.entries(schema?.shape ?? {}).map(([name, one]) => {
    const found = one as z.ZodType;
    const isOptional = found.safeParse(undefined).success;
    return { name, in: place, required: !isOptional, ...described(jsonSchema(found)) };
  });
}

function described({ description, ...schema }: Readonly<Record<string, unknown>>) {
  return { ...present({ description }), schema };
}

function replyOf({ about, schema, type = "application/json", headers = {} }: ReplySpec) {
  const content = { [type]: schema === undefined ? {} : { schema: jsonSchema(schema) } };
  const told = Object.entries(headers).map((
    [name, description],
  ) => [name, { description, schema: { type: "string" } }]);
  return { description: about, ...(told.length === 0 ? {} : { headers: Object.fromEntries(told) }), content };
}

function jsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...found } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ jsonSchema: each }) {
      if (each.minimum === Number.MIN_SAFE_INTEGER) delete each.minimum;
      if (each.maximum === Number.MAX_SAFE_INTEGER) delete each.maximum;
    },
  });
  return found;
}
