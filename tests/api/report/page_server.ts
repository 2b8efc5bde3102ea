import type { ReportItem } from "../../../lib/journal/items/source.ts";
import type { Report, ReportDetail, ReportHeader, ReportIncrement } from "../../../lib/api/report/model.ts";
import { pageDocument } from "../../../lib/api/report/page_document.ts";

/** The token of the server that pages are tried with. */
export const TOKEN = "k".repeat(43);

/** A server with what a page asks for, told by the test what happens. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
  /** What was posted: path and body. */
  readonly posted: readonly { readonly path: string; readonly body: unknown }[];
  /** The `Last-Event-ID` of each stream that was opened. */
  readonly streams: readonly (string | null)[];
  /** How many streams are open. */
  readonly open: number;
  /** The report as it is now, told to all who follow. */
  tell(header: Partial<ReportHeader>, items?: readonly ReportItem[]): void;
  /** Shows a screen to those who watch. */
  show(text: string): void;
  /** Tells what an agent without a screen does. */
  act(activity: { readonly rows: readonly object[]; readonly isReset: boolean; readonly doing: string }): void;
  /** Answers the next posts with a problem. */
  refuse(problem: { readonly status: number; readonly code: string; readonly detail: string }): void;
  /** Ends, with all connections. */
  stop(): Promise<void>;
  /** Starts again, on the same port. */
  start(): Promise<void>;
}

/** What the server has. */
export interface PageServerOptions {
  readonly report: Report;
  readonly details?: Readonly<Record<string, ReportDetail>>;
  readonly runs?: readonly object[];
}

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** Starts the server. */
export async function startPageServer({ report, details = {}, runs = [] }: PageServerOptions): Promise<PageServer> {
  const posted: { path: string; body: unknown }[] = [];
  const streams: (string | null)[] = [];
  const followers = new Set<Stream>();
  const watchers = new Set<Stream>();
  const increments: ReportIncrement[] = [];
  let refusal: { status: number; code: string; detail: string } | undefined;
  let screen = "";
  let isActivity = false;
  let server: Deno.HttpServer<Deno.NetAddr> | undefined;
  let port = 0;

  const page = (content: Parameters<typeof pageDocument>[0]) => {
    const { html, policy } = pageDocument(content, { title: "panewright" });
    return new Response(html, { headers: { "Content-Type": "text/html", "Content-Security-Policy": policy } });
  };
  const problem = (status: number, code: string, detail: string) =>
    Response.json({ code, detail }, { status, headers: { "Content-Type": "application/problem+json" } });
  const screenFrame = () => ({
    type: "screen",
    at: report.header.lastAt,
    role: "programmer",
    status: "processing",
    pane: { columns: 60, rows: 11, title: "", isDead: false, text: screen, isPlain: false },
  });
  const stream = (among: Set<Stream>, first: readonly string[]) => {
    let own: Stream;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        among.add(controller);
        for (const text of [": hello\n\n", ...first]) controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => void among.delete(own),
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/") return page({ kind: "index" });
    if (pathname === `/runs/${report.header.runId}`) return page({ kind: "live", run: report.header.runId });
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
      return problem(401, "unauthorized", "Cannot answer: the token is missing");
    }
    if (request.method === "POST") {
      posted.push({ path: pathname, body: await request.json() });
      const { status, code, detail } = refusal ?? { status: 0, code: "", detail: "" };
      refusal = undefined;
      return status === 0 ? Response.json({}) : problem(status, code, detail);
    }
    if (pathname === "/v1/runs") return Response.json({ workdirs: ["/srv/shop"], runs });
    const [, , , run, what = "", more = ""] = pathname.split("/");
    if (run !== report.header.runId) return problem(404, "unknown_run", "Cannot find the run");
    if (what === "report" && more === "") return Response.json(report);
    if (what === "details") {
      const found = details[searchParams.get("ref") ?? ""];
      return found === undefined ? problem(404, "unknown_detail", "Cannot find the detail") : Response.json(found);
    }
    if (what === "screens") return stream(watchers, isActivity ? [] : [`data: ${JSON.stringify(screenFrame())}\n\n`]);
    if (what !== "report" || more !== "events") return problem(404, "unknown_path", "Cannot answer");
    const lastId = request.headers.get("last-event-id");
    streams.push(lastId);
    return stream(followers, increments.filter(({ sequence }) => sequence > Number(lastId)).map(frame));
  };
  const result: PageServer = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    posted,
    streams,
    get open() {
      return followers.size + watchers.size;
    },
    tell(header, items = []) {
      const known = new Map(report.items.map((item) => [item.id, item]));
      for (const item of items) known.set(item.id, item);
      report = {
        header: { ...report.header, sequence: report.header.sequence + 1, ...header },
        items: [...known.values()],
      };
      const increment = { sequence: report.header.sequence, header: report.header, items };
      increments.push(increment);
      for (const one of followers) one.enqueue(new TextEncoder().encode(frame(increment)));
    },
    show(text) {
      screen = text;
      const told = `data: ${JSON.stringify(screenFrame())}\n\n`;
      for (const one of watchers) one.enqueue(new TextEncoder().encode(told));
    },
    act(activity) {
      isActivity = true;
      const told = `event: activity\ndata: ${JSON.stringify({ ...screenFrame(), type: "activity", ...activity })}\n\n`;
      for (const one of watchers) one.enqueue(new TextEncoder().encode(told));
    },
    refuse(problem) {
      refusal = problem;
    },
    async stop() {
      for (const one of [...followers, ...watchers]) one.close();
      followers.clear();
      watchers.clear();
      await server?.shutdown();
      server = undefined;
    },
    async start() {
      server = Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, answer);
      port = server.addr.port;
      await Promise.resolve();
    },
    [Symbol.asyncDispose]: () => result.stop(),
  };
  await result.start();
  return result;
}

function frame(increment: ReportIncrement): string {
  return `id: ${increment.sequence}\ndata: ${JSON.stringify(increment)}\n\n`;
}
