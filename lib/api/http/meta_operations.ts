import * as z from "zod";
import { VERSION } from "../../base/version.ts";
import { type Operation, operation } from "./operation.ts";

/** What is told without the token: nothing of a run. @param all the operations of the server, these among them */
export const metaOperations = (all: () => readonly Operation[]): readonly Operation[] => [
  operation({
    id: "getHealth",
    method: "get",
    path: "/healthz",
    summary: "Whether the server answers",
    isOpen: true,
    replies: { 200: { about: "It does.", schema: z.object({ status: z.literal("ok"), version: z.string() }) } },
    handle: () => Promise.resolve({ status: 200, json: { status: "ok", version: VERSION } }),
  }),
  operation({
    id: "getOpenApi",
    method: "get",
    path: "/openapi.json",
    summary: "This document",
    isOpen: true,
    replies: { 200: { about: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
    async handle() {
      const { openApiDocument } = await import("./openapi.ts");
      return { status: 200, json: openApiDocument(all()) };
    },
  }),
];
