import * as z from "zod";
import { VERSION } from "../../base/version.ts";
import { operation } from "./operation.ts";

/** What is told without the token: nothing of a run. */
export const getHealth = operation({
  id: "getHealth",
  method: "get",
  path: "/healthz",
  summary: "Whether the server answers",
  isOpen: true,
  replies: { 200: { about: "It does.", schema: z.object({ status: z.literal("ok"), version: z.string() }) } },
  handle: () => Promise.resolve({ status: 200, json: { status: "ok", version: VERSION } }),
});
