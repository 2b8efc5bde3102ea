import { assertEquals } from "@std/assert";
import createClient from "openapi-fetch";
import { CLIENT_TYPES, clientTypes } from "../../../.ci/serve_client.ts";
import { RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import type { paths } from "./openapi.d.ts";
import { HOST, testServer } from "./support.ts";

Deno.test("the client's types are those of the OpenAPI document: deno task schemas", async () => {
  assertEquals(await Deno.readTextFile(CLIENT_TYPES), await clientTypes());
});

Deno.test("a generated client lists runs, asks how one is, reads its report, and is told of refusals", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  await using server = testServer(dir.path);
  const client = createClient<paths>({
    baseUrl: `http://${HOST}`,
    fetch: async (request) => {
      const { method, headers, url } = request;
      const body = method === "GET" ? null : await request.text();
      return await server.ask(new URL(url).pathname + new URL(url).search, { method, headers, body });
    },
  });
  const { data: list } = await client.GET("/v1/runs");
  assertEquals(list?.runs.map(({ run, state, workdir }) => [run, state, workdir]), [[RUN_ID, "killed", dir.path]]);
  const params = { path: { run: RUN_ID } };
  const { data: run } = await client.GET("/v1/runs/{run}", { params });
  assertEquals([run?.folder, run?.sequence, run?.progress?.job], [folder.path, 2, "run"]);
  const { data: questions } = await client.GET("/v1/runs/{run}/questions", { params });
  assertEquals(questions, { questions: [], answers: [] });
  const { data: report } = await client.GET("/v1/runs/{run}/report", { params });
  assertEquals(report?.header.runId, RUN_ID);

  const { error: stranger } = await client.GET("/v1/runs/{run}", { params: { path: { run: "20261120-072605-0000" } } });
  assertEquals(stranger?.code, "unknown_run");
  const { error: unasked, response } = await client.POST("/v1/runs/{run}/answer", { params, body: { answer: "yes" } });
  assertEquals([unasked?.code, response.status], ["not_open", 409]);
  const { error: elsewhere } = await client.POST("/v1/runs", { body: { kind: "run", workdir: "/srv" } });
  assertEquals(elsewhere?.code, "bad_input");
});
