import * as z from "zod";
import type { ProviderId } from "../agents/provider.ts";
import { layoutChange, rule } from "../screen/rules_schema.ts";

/** What `layouts` may hold: what differs from the built-in layouts. */
export const layoutsSchema = (providerIds: readonly ProviderId[]) => forEach(providerIds, layoutChange());

export const rulesSchema = (providerIds: readonly ProviderId[]) => forEach(providerIds, z.array(rule()));

function forEach<Schema extends z.ZodType>(providerIds: readonly ProviderId[], schema: Schema) {
  const entries = providerIds.map((id) => [id, schema.optional().describe(`For the screens of ${id}.`)]);
  return z.strictObject(Object.fromEntries(entries) as Record<ProviderId, z.ZodOptional<Schema>>);
}
