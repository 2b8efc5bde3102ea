import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { DEFAULT_LIMITS } from "../../../lib/api/http/deps.ts";
import { RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { HOST, testServer, TOKEN } from "./support.ts";

/** Status and code of an answer. */
async function told(response: Response): Promise<string> {
  const text = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return isProblem ? `${response.status} ${JSON.parse(text).code}` : String(response.status);
}

const JSON_TYPE = { "Content-Type": "application/json" };

Deno.test("requests: what is refused, and why", async () => {
  await using dir = await tempDir();
  await writeReview(dir, []);
  await using server = testServer(dir.path);
  const run = `/v1/runs/${RUN_ID}`;
  const stop = (init: RequestInit) =>
    [`${run}/stop`, { method: "POST", headers: JSON_TYPE, body: "{}", ...init }] as const;
  const expected: Record<string, readonly (readonly [string, RequestInit?])[]> = {
    "401 unauthorized": [
      ["/v1/runs", { headers: { Authorization: "" } }],
      ["/v1/runs", { headers: { Authorization: `Bearer ${TOKEN.slice(1)}` } }],
      ["/v1/runs", { headers: { Authorization: TOKEN } }],
      [`/v1/runs?token=${TOKEN}`, { headers: { Authorization: "x" } }],
      ["/nowhere", { headers: { Authorization: "x" } }],
      ["/mcp", { headers: { Authorization: "x" } }],
    ],
    "403 wrong_host": [
      ["/v1/runs", { headers: { Host: "panewright.example" } }],
      ["/v1/runs", { headers: { Host: "127.0.0.1" } }],
      ["/", { headers: { Host: `${HOST}.panewright.example` } }],
      ["/healthz", { headers: { Host: "localhost:8485" } }],
    ],
    "403 foreign_origin": [
      ["/v1/runs", { headers: { Origin: "https://panewright.example" } }],
      ["/v1/runs", { headers: { Origin: "null" } }],
      ["/v1/runs", { headers: { Origin: `https://${HOST}` } }],
      ["/v1/runs", { headers: { Origin: `http://${HOST}.panewright.example` } }],
      ["/v1/runs", { headers: { "Sec-Fetch-Site": "cross-site" } }],
      stop({ headers: { ...JSON_TYPE, Origin: "https://panewright.example" } }),
    ],
    "404 unknown_path": [["/v1"], ["/v1/runs/"], ["/../etc/passwd"], ["/v1/Runs"]],
    "404 unknown_run": [
      ["/v1/runs/20261120-072605-0000"],
      ["/v1/runs/20261120"],
      ["/v1/runs/..%2f..%2fetc"],
      [`/v1/runs/${encodeURIComponent("\x1b[2J\u202e<script>")}/events`],
      ["/runs/x"],
    ],
    "404 unknown_detail": [[`${run}/details?ref=../journal.ndjson`]],
    "405 wrong_method": [["/v1/runs", { method: "PUT" }], ["/v1/runs", { method: "OPTIONS" }], [run, {
      method: "DELETE",
    }], [
      "/v1/runs",
      { method: "HEAD" },
    ]],
    "413 too_large": [stop({ body: `{"force":"${"x".repeat(DEFAULT_LIMITS.bodyBytes)}"}` })],
    "415 wrong_type": [stop({ headers: { "Content-Type": "text/plain" } }), stop({ headers: {} })],
    "400 malformed": [stop({ body: "{" }), stop({ body: new Uint8Array([0x22, 0xff, 0x22]) })],
    "422 bad_input": [
      stop({ body: '{"force":"yes"}' }),
      stop({ body: '{"forced":true}' }),
      stop({ body: "[]" }),
      [`${run}/events`, { headers: { "Last-Event-ID": "-1" } }],
      [`${run}/events?after=1e9`],
      [`${run}/details`],
    ],
    "431 headers_too_large": [["/v1/runs", { headers: { "X-Much": "x".repeat(DEFAULT_LIMITS.headerBytes) } }]],
  };
  for (const [problem, requests] of Object.entries(expected)) {
    for (const [path, init] of requests) assertEquals(await told(await server.ask(path, init)), problem, path);
  }
});

Deno.test("requests: where a method is not that of a path, those that are are told", async () => {
  await using dir = await tempDir();
  await using server = testServer(dir.path);
  const allowed = async (method: string, path: string) => {
    const response = await server.ask(path, { method });
    await response.body?.cancel();
    return [response.status, response.headers.get("Allow")];
  };
  assertEquals(await allowed("DELETE", "/v1/runs"), [405, "GET, POST"]);
  assertEquals(await allowed("GET", `/v1/runs/${RUN_ID}/answer`), [405, "POST"]);
  assertEquals(await allowed("PUT", "/v1/runs"), [405, "GET, POST, DELETE"]);
});

Deno.test("requests: a problem has its parts, names the mistake, and no secret", async () => {
  await using dir = await tempDir();
  await using server = testServer(dir.path);
  const body = JSON.stringify({ kind: "run", workdir: "/correct-horse" });
  const response = await server.ask("/v1/runs", { method: "POST", headers: JSON_TYPE, body });
  const problem = await response.json();
  assertEquals([response.status, problem.code, problem.type], [422, "bad_input", "urn:panewright:problem:bad_input"]);
  assertStringIncludes(problem.detail, "Cannot start a run in /redactedxxxxx: that working directory is not served");
  assertStringIncludes(problem.hint, dir.path);
  const wrong = await (await server.ask("/v1/runs", { method: "POST", headers: JSON_TYPE, body: '{"kind":"walk"}' }))
    .json();
  assertEquals(wrong.mistakes[0].pointer, "/kind");
});

Deno.test("requests: pages and what tells nothing of a run need no token, and nothing lets another site in", async () => {
  await using dir = await tempDir();
  await using server = testServer(dir.path);
  for (const path of ["/", `/runs/${RUN_ID}`, "/healthz", "/openapi.json"]) {
    const response = await server.ask(path, { headers: { Authorization: "x" } });
    await response.body?.cancel();
    assertEquals(response.status, 200, path);
    assertEquals([...response.headers.keys()].filter((name) => name.startsWith("access-control")), []);
    assertMatch(response.headers.get("content-security-policy") ?? "", /^default-src 'none'.*frame-ancestors 'none'/);
  }
});

Deno.test("requests: one client has a rate; those without the token do not use up what the others may ask", async () => {
  await using dir = await tempDir();
  const limits = { ...DEFAULT_LIMITS, requestsPerSecond: 1, failuresPerMinute: 5 };
  await using server = testServer(dir.path, { limits, clock: { now: () => 0, sleep: () => new Promise(() => {}) } });
  const ask = async (token: string, client = "127.0.0.1") =>
    await told(await server.ask("/v1/runs", { headers: { Authorization: `Bearer ${token}` }, client }));
  const wrong = [];
  for (let count = 0; count < 8; count++) wrong.push(await ask("wrong"));
  assertEquals(wrong.slice(0, 5), Array(5).fill("401 unauthorized"));
  assertEquals(wrong.slice(5), Array(3).fill("429 too_many_requests"));
  const right = [];
  for (let count = 0; count < 12; count++) right.push(await ask(TOKEN));
  assertEquals(right, [...Array(10).fill("200"), ...Array(2).fill("429 too_many_requests")]);
  assertEquals(await ask(TOKEN, "127.0.0.2"), "200");
});

Deno.test("requests: so many streams at once, and no more; what has ended makes room", async () => {
  await using dir = await tempDir();
  await writeReview(dir, []);
  await using server = testServer(dir.path, { limits: { ...DEFAULT_LIMITS, connections: 2 } });
  const open = async () => await server.ask(`/v1/runs/${RUN_ID}/events`);
  const streams = [await open(), await open()];
  assertEquals(await told(await server.ask("/v1/runs")), "503 overloaded");
  await streams[0]!.body!.cancel();
  assertEquals(await told(await server.ask("/v1/runs")), "200");
  await streams[1]!.body!.cancel();
});

Deno.test("requests: an unexpected error shows the client nothing of the inside", async () => {
  await using dir = await tempDir();
  const logged: string[] = [];
  const broken = {
    id: "break",
    method: "get",
    path: "/break",
    summary: "",
    replies: {},
    handle: () => Promise.reject(new TypeError("/home/jane is not iterable")),
  } as const;
  await using server = testServer(dir.path, { log: (message) => logged.push(message) }, { operations: [broken] });
  const response = await server.ask("/break");
  const text = await response.text();
  assertEquals([response.status, text.includes("jane")], [500, false]);
  assertNotEquals(logged, []);
});
