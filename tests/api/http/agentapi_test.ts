import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ReviewFact } from "../../../lib/jobs/review_loop/facts.ts";
import { isMessageId, readLeftMessage } from "../../../lib/run/inbox.ts";
import { takeRawKeys } from "../../../lib/run/raw_keys.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { findRunMail } from "../../../lib/run/run_mail.ts";
import { acpReady, agentReady, execWaiting, RUN_ID, writeReview, writeRun } from "../../support/run_folders.ts";
import { holdRun, inboxOf } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { agentapiClient } from "./agentapi_client.ts";
import { testServer, TOKEN } from "./support.ts";

const AT = "2026-11-20T08:00:00.000Z";

/** Appends facts to a journal, as the process that executes the run does. */
async function happen({ journalPath }: RunFolder, ...facts: readonly ReviewFact[]): Promise<void> {
  const lines = facts.map((fact) => `${JSON.stringify({ at: AT, ...fact })}\n`);
  await Deno.writeTextFile(journalPath, lines.join(""), { append: true });
}

function sent(turnId: string, file: string): readonly ReviewFact[] {
  const turn = { turnId, role: "programmer", what: "prompt" } as const;
  return [
    { type: "message_sending", ...turn, terminalId: "%1", step: "paste", file, bytes: 1, sha256: "" },
    { type: "message_sent", ...turn },
  ];
}

async function keep(folder: RunFolder, file: string, text: string): Promise<string> {
  const path = `${folder.path}/${file}`;
  await Deno.mkdir(path.replace(/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(path, text);
  return path;
}

function response(path: string): ReviewFact {
  const turn = { turnId: "r1-programmer-c1", role: "programmer" } as const;
  return { type: "response_received", ...turn, bytes: 1, archivedAs: path, sha256: "", seconds: 1 };
}

const IDLE: ReviewFact = {
  type: "status_changed",
  turnId: "r1-programmer-c1",
  role: "programmer",
  status: "idle",
};

function clientOf(server: ReturnType<typeof testServer>, role = "programmer", run = RUN_ID) {
  return agentapiClient((path, init) => server.ask(`/agents/${run}/${role}${path}`, init));
}

Deno.test("agentapi: status and messages are those of the journal, without secrets, and of no other file", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, agentReady());
  using _held = await holdRun(folder);
  await using server = testServer(dir.path);
  const client = clientOf(server);
  assertEquals(await client.status(), { status: "stable", agent_type: "codex", transport: "pty" });
  assertEquals(await client.messages(), []);

  await keep(folder, "messages/p.md", "Do it.\nThe key is correct-horse\x1b[2J\u202e.");
  await happen(folder, ...sent("r1-programmer-c1", "messages/p.md"));
  await until(client.status, ({ status }) => status === "running");
  const archived = await keep(folder, "responses/001-programmer.md", "Done.");
  await Deno.symlink("/etc/passwd", `${folder.responsesDir}/link.md`);
  const outside = ["/etc/passwd", `${folder.path}/../../../../etc/passwd`, `${folder.path}/owner.lock`];
  const paths = [archived, ...outside, `${folder.path}/responses/link.md`, `${folder.path}/responses/gone.md`];
  await happen(folder, ...paths.map(response), IDLE);
  await until(client.status, ({ status }) => status === "stable");
  const messages = await client.messages();
  assertEquals(messages.slice(0, 2), [
    { id: 0, role: "user", content: "Do it.\nThe key is redactedxxxxx.", time: AT },
    { id: 1, role: "agent", content: "Done.", time: AT },
  ]);
  assertEquals(
    messages.slice(2).map(({ content }) => content),
    Array.from({ length: 5 }, () => "[this text is not kept any more]"),
  );
});

Deno.test("agentapi: the events begin with all that there is, and tell what changes; after a cut they begin anew", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, agentReady());
  using _held = await holdRun(folder);
  const before = await Deno.readTextFile(folder.journalPath);
  await keep(folder, "messages/p.md", `${"字\\".repeat(200_000)}end`);
  await happen(folder, ...sent("r1-programmer-c1", "messages/p.md"));
  await using server = testServer(dir.path);
  const events = clientOf(server).events();
  const next = async () => (await events.next()).value;
  const first = await next();
  assertEquals([first?.event, first?.data.id, first?.data.role], ["message_update", 0, "user"]);
  assertStringIncludes(first?.data.message, "left out");
  assertEquals(await next(), { event: "status_change", data: { status: "running", agent_type: "codex" } });
  const archived = await keep(folder, "responses/001-programmer.md", "Done.");
  await happen(folder, response(archived), IDLE);
  const told = [await next(), await next()].toSorted((one, other) => one!.event < other!.event ? -1 : 1);
  assertEquals(told, [
    { event: "message_update", data: { id: 1, role: "agent", message: "Done.", time: AT } },
    { event: "status_change", data: { status: "stable", agent_type: "codex" } },
  ]);
  await Deno.writeTextFile(folder.journalPath, before);
  assertEquals(await next(), undefined, "the client comes back, and is told all anew");
  assertEquals(await clientOf(server).messages(), []);
});

Deno.test("agentapi: a message is sent through the run's inbox, and answered once the agent has it", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, agentReady());
  using _held = await holdRun(folder);
  await using server = testServer(dir.path);
  const client = clientOf(server);
  let isAnswered = false;
  const posted = client.post({ content: "Hello, agent!", type: "user" }).finally(() => isAnswered = true);
  const [messageId = ""] = await until(() => inboxOf(folder), (ids) => ids.length === 1);
  assert(isMessageId(messageId));
  const { text, wantsResponse, by, who } = readLeftMessage(findRunMail(folder), messageId);
  assertEquals([text, wantsResponse, by, who], ["Hello, agent!", true, "http", "agentapi"]);
  const received = { role: "programmer", by: "http", wantsResponse: true, bytes: 13, sha256: "" } as const;
  await happen(folder, { type: "message_received", messageId, ...received });
  await until(client.status, ({ status }) => status === "running");
  assertEquals(isAnswered, false);
  const busy = await client.post({ content: "And another", type: "user" });
  assertEquals([busy?.status, busy?.code], [409, "agent_busy"]);
  await happen(folder, { type: "message_started", messageId, role: "programmer" });
  await keep(folder, `messages/${messageId}.md`, "A message from outside. It says: Hello, agent!");
  await happen(folder, ...sent(messageId, `messages/${messageId}.md`));
  assertEquals(await posted, undefined);
  const archivedAs = await keep(folder, `replies/${messageId}/001.md`, "Hello, person!");
  await happen(folder, { type: "message_answered", messageId, role: "programmer", seconds: 1, archivedAs }, IDLE);
  await until(client.status, ({ status }) => status === "stable");
  const messages = await client.messages();
  assertEquals(messages.map(({ role, content }) => [role, content]), [
    ["user", "Hello, agent!"],
    ["agent", "Hello, person!"],
  ]);
});

Deno.test("agentapi: a message that fails is told so; with a key it is one message, however often it is asked for", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, agentReady());
  using _held = await holdRun(folder);
  await using server = testServer(dir.path);
  const client = clientOf(server);
  const key = { "Idempotency-Key": "order-7" };
  const posts = [1, 2].map(() => client.post({ content: "Once", type: "user" }, key));
  const [messageId = ""] = await until(() => inboxOf(folder), (ids) => ids.length === 1);
  const received = { role: "programmer", by: "http", wantsResponse: true, bytes: 4, sha256: "" } as const;
  await happen(folder, { type: "message_received", messageId, ...received });
  await happen(folder, { type: "message_failed", messageId, role: "programmer", reason: "Its agent has ended." });
  for (const problem of await Promise.all(posts)) {
    assertEquals([problem?.status, problem?.code], [409, "not_sent"]);
    assertStringIncludes(problem?.detail ?? "", "Its agent has ended.");
  }
  assertEquals(inboxOf(folder).length, 1);
  const other = await client.post({ content: "Something else", type: "user" }, key);
  assertEquals(other?.code, "key_reused");
});

Deno.test("agentapi: raw keys are refused unless the run allows them, and then answered when they were pressed", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...agentReady(), ...acpReady("tester")]);
  using _held = await holdRun(folder);
  await using server = testServer(dir.path, { keysFolderOf: () => `${dir.path}/keys` });
  const keysFolder = `${dir.path}/keys`;
  const client = clientOf(server);
  const keys = { content: "\x1b[A\r", type: "raw" };
  const refused = await client.post(keys);
  assertEquals([refused?.status, refused?.code], [403, "raw_refused"]);
  assertEquals(takeRawKeys(keysFolder), []);

  const { settings } = JSON.parse((await Deno.readTextFile(folder.journalPath)).split("\n")[1]!);
  const resumed = { type: "run_resumed", runId: RUN_ID, folder: folder.path, settings, rawInput: true } as const;
  await happen(folder, resumed);
  await until(
    async () => (await client.post({ ...keys, content: "x".repeat(5000) }))?.code,
    (code) => code === "bad_input",
  );
  assertEquals((await clientOf(server, "tester").post(keys))?.code, "raw_refused", "it has no terminal");
  assertEquals((await client.post(keys))?.code, "not_sent", "no process takes them");
  await Deno.mkdir(keysFolder);
  const press = async (problem?: string) => {
    const posted = client.post(keys);
    const [left] = await until(() => takeRawKeys(keysFolder), (all) => all.length === 1);
    assertEquals([left?.role, left?.text, left?.by], ["programmer", "\x1b[A\r", "http"]);
    const ended = { type: "raw_keys_ended", id: left!.id, role: "programmer", passable: true } as const;
    await happen(folder, problem === undefined ? ended : { ...ended, problem });
    return await posted;
  };
  assertEquals(await press(), undefined);
  assertEquals((await press("the pane is gone"))?.code, "not_sent");
});

Deno.test("agentapi: what cannot be: unknown runs and roles, bad bodies, runs that nobody executes, pipelines", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, agentReady());
  const exec = "20261120-080000-77c1";
  await writeRun({ workdir: dir.path, id: exec, events: execWaiting(dir.path, exec) });
  await using server = testServer(dir.path);
  const client = clientOf(server);
  const user = { content: "Hi", type: "user" };
  assertEquals((await client.status()).status, "stable");
  assertEquals((await client.post(user))?.code, "not_executed");
  assertEquals(inboxOf(folder), []);
  assertEquals((await clientOf(server, "boss").post(user))?.code, "unknown_role");
  assertEquals((await clientOf(server, "programmer", "20261120-072605-0000").post(user))?.code, "unknown_run");
  assertEquals((await clientOf(server, "programmer", exec).post(user))?.code, "unknown_role");
  const wrong = [
    {},
    { content: "", type: "user" },
    { content: "x", type: "key" },
    { ...user, more: 1 },
    "{",
    "[]",
    "7",
  ];
  for (const body of wrong) {
    const problem = await client.post(body);
    assert(problem !== undefined && problem.status >= 400 && problem.status < 500, JSON.stringify(problem));
  }
  assertEquals(
    (await server.ask(`/agents/${RUN_ID}/programmer/status`, { headers: { Authorization: "" } })).status,
    401,
  );
  assertEquals((await server.ask(`/agents/${RUN_ID}/programmer/upload`, { method: "POST" })).status, 404);
});

Deno.test("the token may be the password of an address, which is all that agentapi's programs take", async () => {
  await using dir = await tempDir();
  await writeReview(dir, agentReady());
  await using server = testServer(dir.path);
  const ask = async (authorization: string) =>
    (await server.ask(`/agents/${RUN_ID}/programmer/status`, { headers: { Authorization: authorization } })).status;
  assertEquals(await ask(`Basic ${btoa(`panewright:${TOKEN}`)}`), 200);
  assertEquals(await ask(`Basic ${btoa(`panewright:${TOKEN}x`)}`), 401);
  for (const broken of ["Basic", "Basic %%%", `Basic ${btoa(TOKEN)}`, `Basic ${btoa(`${TOKEN}:`)}`]) {
    assertEquals(await ask(broken), 401, broken);
  }
});
