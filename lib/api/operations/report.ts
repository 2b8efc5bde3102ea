import * as z from "zod";
import { count, text } from "../output/shapes.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { isRunId } from "../../run/run_folder.ts";
import type { ServeContext } from "./context.ts";
import { RUN_PARAM } from "./fields.ts";
import { operation, runOperation } from "./operation.ts";
import { Problem } from "../control/problem.ts";
import { placeOf, type ReportFeed } from "../follow/report_feed.ts";
import { type RunHub, withHub } from "../follow/run_hub.ts";

const header = z.looseObject({
  sequence: count("The last record that is taken in."),
  runId: z.string(),
}).describe("How the run is as a whole; see `panewright schema report`.");
const item = z.looseObject({ id: z.string(), sequence: count("The record that made it.") });
const place = z.string().regex(/^\d{1,15}(?:-[0-9a-f]{1,16})?$/, "not the id of an event, or a sequence")
  .transform(placeOf);
const KINDS = ["prompt", "response", "diff", "screen", "output", "audit"] as const;

export const getReport = runOperation({
  id: "getReport",
  method: "get",
  path: "/v1/runs/{run}/report",
  summary: "The report of a run, as it is now",
  replies: { 200: { about: "The report.", schema: z.object({ header, items: z.array(item) }) } },
  async handle(folder, { context }) {
    return { status: 200, json: await withReport(context, folder, (feed) => feed.report()) };
  },
});

export const followReport = runOperation({
  id: "followReport",
  method: "get",
  path: "/v1/runs/{run}/report/events",
  summary: "What changes in the report of a run",
  description:
    "Server-Sent Events. A message has the header, and the items that are new or take the place of those with " +
    "the same id; its id begins with the last record that is in it. `reset` says that the report is to be read anew: " +
    "the journal was cut, say, or too much has happened since.",
  query: z.object({ after: place.describe("The `sequence` of the report's header.").optional() }),
  headers: z.object({ "last-event-id": place.describe("Like `after`, and before it.").optional() }),
  replies: {
    200: {
      about: "The changes.",
      type: "text/event-stream",
      schema: z.object({ sequence: count("The last record that is taken in."), header, items: z.array(item) }),
    },
  },
  handle(folder, { context, query, headers }) {
    const after = headers["last-event-id"] ?? query.after ?? { sequence: 0 };
    return Promise.resolve({
      async events(stream) {
        using lease = context.hubs.open(folder);
        await lease.hub.ready;
        await lease.hub.once(context.reportFeed).send(stream, after);
      },
    });
  },
});

export const getDetail = runOperation({
  id: "getDetail",
  method: "get",
  path: "/v1/runs/{run}/details",
  summary: "A prompt, a response, a diff or a screen that the report names",
  query: z.object({ ref: text("As an item of the report names it.").max(256) }),
  replies: {
    200: {
      about: "The detail.",
      schema: z.object({
        kind: z.enum(KINDS),
        ref: z.string(),
        title: z.string(),
        text: text("Of a screen, rows with their styles. Empty where there is a problem."),
        leftOut: text("How much of it is not in the text.").optional(),
        problem: text("Why there is none.").optional(),
        columns: count("Of a screen.").optional(),
        rows: count("Of a screen.").optional(),
      }),
    },
  },
  problems: ["unknown_detail"],
  async handle(folder, { context, query: { ref } }) {
    return { status: 200, json: await withReport(context, folder, (feed) => feed.detail(ref)) };
  },
});

export const getIndexPage = operation({
  id: "getIndexPage",
  method: "get",
  path: "/",
  summary: "The page of all runs",
  isOpen: true,
  replies: { 200: { about: "The page. It has no data: it asks for them with the token.", type: "text/html" } },
  handle: async () => ({ response: await page({ kind: "index" }, "panewright") }),
});

export const getRunPage = operation({
  id: "getRunPage",
  method: "get",
  path: "/runs/{run}",
  summary: "The live page of a run",
  isOpen: true,
  params: RUN_PARAM,
  replies: { 200: { about: "The page. It has no data: it asks for them with the token.", type: "text/html" } },
  problems: ["unknown_run"],
  async handle({ params }) {
    const run = params["run"]!;
    if (!isRunId(run)) {
      throw new Problem("unknown_run", `Cannot show the run ${JSON.stringify(run)}: it is not an id`);
    }
    return { response: await page({ kind: "live", run }, `panewright ${run}`) };
  },
});

async function withReport<Found>(
  context: ServeContext,
  folder: RunFolder,
  ask: (feed: ReportFeed) => Promise<Found>,
): Promise<Found> {
  return await withHub(context, folder, (hub: RunHub) => ask(hub.once(context.reportFeed)));
}

async function page(
  content: { readonly kind: "index" } | { readonly kind: "live"; readonly run: string },
  title: string,
): Promise<Response> {
  // With all of its script, it is loaded when somebody looks.
  const { pageDocument } = await import("../report/page_document.ts");
  const { html, policy } = pageDocument(content, { title });
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
  };
  return new Response(html, { headers });
}
