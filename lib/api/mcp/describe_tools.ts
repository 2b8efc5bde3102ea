import * as z from "zod";
import type { Tool } from "../operations/operation.ts";
import { TOOLS } from "../operations/mod.ts";

export function describeTools() {
  return Object.entries(TOOLS).map(([name, spec]: [string, Tool]) => ({
    name,
    title: spec.title,
    description: spec.description,
    inputSchema: objectSchema(spec.input),
    outputSchema: objectSchema(spec.output),
    annotations: {
      title: spec.title,
      readOnlyHint: spec.isReadOnly ?? false,
      destructiveHint: spec.isDestructive ?? false,
      idempotentHint: spec.isIdempotent ?? spec.isReadOnly ?? false,
      openWorldHint: false,
    },
  }));
}

function objectSchema(schema: z.ZodObject): { readonly type: "object"; readonly [name: string]: unknown } {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return { ...rest, type: "object" };
}
