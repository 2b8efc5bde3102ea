/**
 * Writes tests/api/http/openapi.d.ts, the types of a client of `panewright serve`, from its OpenAPI document:
 * `deno task schemas`.
 *
 * @module
 */
import openapiTS, { astToString } from "openapi-typescript";
import { openApiDocument } from "../lib/api/operations/openapi.ts";
import { OPERATIONS } from "../lib/api/operations/mod.ts";

/** The types that the tests' client is made with. */
export const CLIENT_TYPES = new URL("../tests/api/http/openapi.d.ts", import.meta.url);

/** The types of a client, as a module. */
export async function clientTypes(): Promise<string> {
  const document = structuredClone(openApiDocument(OPERATIONS)) as unknown as Parameters<typeof openapiTS>[0];
  return `// Made by \`deno task schemas\`.\n${astToString(await openapiTS(document))}`;
}

if (import.meta.main) await Deno.writeTextFile(CLIENT_TYPES, await clientTypes());
