import { assertEquals } from "@std/assert";
import openapiTS, { astToString } from "openapi-typescript";
import { OPERATIONS } from "../../../lib/api/operations/mod.ts";
import { openApiDocument } from "../../../lib/api/operations/openapi.ts";
import { RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { HOST, testServer } from "./support.ts";

/** What a program asks by a client whose types are made of the OpenAPI document. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./openapi.d.ts";

export async function ask(fetch: (request: Request) => Promise<Response>, run: string) {
  const client = createClient<paths>({ baseUrl: "http://${HOST}", fetch });
  const params = { path: { run } };
  const { data: list } = await client.GET("/v1/runs");
  const { data: one } = await client.GET("/v1/runs/{run}", { params });
  const { data: questions } = await client.GET("/v1/runs/{run}/questions", { params });
  const { data: report } = await client.GET("/v1/runs/{run}/report", { params });
  const { error: stranger } = await client.GET("/v1/runs/{run}", { params: { path: { run: "20261120-072605-0000" } } });
  const { error: unasked, response } = await client.POST("/v1/runs/{run}/answer", { params, body: { answer: "yes" } });
  const { error: elsewhere } = await client.POST("/v1/runs", { body: { kind: "run", workdir: "/srv" } });
  return [
    list?.runs.map(({ run, state, workdir }) => [run, state, workdir]),
    [one?.folder, one?.sequence, one?.progress?.job],
    questions,
    report?.header.runId,
    [stranger?.code, unasked?.code, response.status, elsewhere?.code],
  ];
}
`;

Deno.test("a client with types made of the OpenAPI document lists runs, asks how one is, reads its report, and is told of refusals", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const document = structuredClone(openApiDocument(OPERATIONS)) as unknown as Parameters<typeof openapiTS>[0];
  await Deno.writeTextFile(`${dir.path}/openapi.d.ts`, astToString(await openapiTS(document)));
  const path = `${dir.path}/client.ts`;
  await Deno.writeTextFile(path, PROGRAM);
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const checking = new Deno.Command(Deno.execPath(), { args: ["check", "--quiet", "--config", config, path] }).output();
  await using server = testServer(dir.path);
  const { ask } = await import(path);
  const told = await ask(async (request: Request) => {
    const { method, headers, url } = request;
    const body = method === "GET" ? null : await request.text();
    return await server.ask(new URL(url).pathname + new URL(url).search, { method, headers, body });
  }, RUN_ID);
  assertEquals(told, [
    [[RUN_ID, "killed", dir.path]],
    [folder.path, 2, "run"],
    { questions: [], answers: [] },
    RUN_ID,
    ["unknown_run", "not_open", 409, "bad_input"],
  ]);
  const { code, stderr } = await checking;
  assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
});
