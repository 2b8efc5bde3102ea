import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type JobEvent, readJob, readLog } from "../../lib/fleet/mod.ts";
import { eventsOf, recordsIn } from "../fleet/fleet_stage.ts";
import { type FleetServer, fleetServer } from "../fleet/fleet_server.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { type CliProject, cliProject } from "./cli_project.ts";
import { pipelineProject } from "./pipeline_project.ts";

async function onFleet(project: CliProject, stack: AsyncDisposableStack) {
  const { argv, env, sandbox } = project;
  const server = stack.use(await fleetServer(sandbox, { leaseSeconds: 4 }));
  const rules = `${sandbox.root}/worker.jsonc`;
  await Deno.writeTextFile(
    rules,
    JSON.stringify({ accept: [{ repositories: ["bundle"], configs: "any", secrets: Object.keys(env) }] }),
  );
  const as = (user: string) => ({ ...env, PANEWRIGHT_FLEET: server.credentials[user] ?? "" });
  return {
    server,
    worker: (name: string) =>
      stack.use(
        startProgram([...argv, "worker", "--name", name, "--accept", rules, "--max-load", "1000"], {
          cwd: sandbox.root,
          env: as("machine"),
        }),
      ),
    start: (...args: readonly string[]) =>
      stack.use(startProgram([...argv, ...args], { cwd: sandbox.project, env: as("me") })),
    call: (...args: readonly string[]) =>
      runProgram([...argv, ...args], { cwd: sandbox.project, env: as("me"), timeoutMs: 120_000 }),
  };
}

async function logOf({ fleet }: FleetServer, job: string): Promise<readonly JobEvent[]> {
  return await readLog(fleet, (await readJob(fleet, job)).name);
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`fleet, ${provider}: a worker is killed in the middle of a turn; another one ends the job, and its work is applied here`, async () => {
    await using stack = new AsyncDisposableStack();
    let isFree = false;
    const held = Promise.withResolvers<void>();
    const project = stack.use(
      await cliProject({
        provider,
        isRepository: true,
        onPath: provider === "codex" ? "npm" : "itself",
        files: {
          "task.md": "Write made.txt.",
          "panewright.jsonc": {
            provider,
            pipelines: {
              main: [{ name: "build", prompt: "self", check: { type: "shell", command: "grep made made.txt" } }],
            },
            sandbox: "agent",
          },
        },
        async respond() {
          if (!isFree) {
            isFree = true;
            await held.promise;
          }
          return [{ do: "shell", command: "echo made > made.txt" }, { do: "say", text: "Done." }];
        },
      }),
    );
    const { call, server, worker } = await onFleet(project, stack);
    const first = worker("w1");
    const submitted = await call("submit", "task.md", "--id", "make-it");
    assertEquals(submitted.code, 0, submitted.stderr);
    await until(() => isFree);
    first.kill("SIGKILL");
    await first.ended;
    const second = worker("w2");
    await until(
      async () => (await readJob(server.fleet, "make-it")).entry,
      ({ state }) => state === "ended",
      () => first.output.stderr + second.output.stderr,
    );
    held.resolve();

    const events = await logOf(server, "make-it");
    assertEquals(eventsOf(events, "claimed").map((event) => event.worker), ["w1", "w2"]);
    assertEquals(eventsOf(events, "ended").map(({ outcome }) => outcome), ["pass"], JSON.stringify(events.at(-1)));
    assertEquals(recordsIn(events).filter((type) => type === "run_started").length, 1);
    const collected = await call("fleet", "collect", "make-it");
    assertEquals(collected.code, 0, collected.stderr);
    const [, name = ""] = / apply (\S+)$/m.exec(collected.stdout) ?? [];
    const applied = await call("apply", name);
    assertEquals(applied.code, 0, applied.stderr);
    assertEquals(await Deno.readTextFile(`${project.sandbox.project}/made.txt`), "made\n");
    const [, run = ""] = / show (\S+)$/m.exec(collected.stdout) ?? [];
    assertMatch((await call("show", run)).stdout, /^✓ PASS/m);
    // What it was when it began is known where it has come to, too, and goes with it.
    const evidence = await call("evidence", run);
    assertMatch(evidence.stdout, /on a fresh checkout of the result the checks pass/, evidence.stderr);
    const stores = [...Deno.readDirSync(`${project.sandbox.home}/.local/state/panewright/stores`)];
    assertEquals(stores.length, 1, "only that of the person's own repository is left");
  });

  Deno.test(`fleet, ${provider}: it asks; the answer comes from elsewhere, and a worker goes on with it`, async () => {
    await using stack = new AsyncDisposableStack();
    const project = await pipelineProject({ provider, resume: "native" });
    stack.use(project);
    const { call, server, worker } = await onFleet(project, stack);
    const first = worker("w1");
    assertEquals((await call("submit", "task.md", "--id", "store")).code, 0);
    await until(
      async () => (await readJob(server.fleet, "store")).entry,
      ({ state }) => state === "waiting",
      () => first.output.stderr,
    );
    // It holds no slot while it waits: its worker may go.
    first.kill("SIGTERM");
    assertEquals((await first.ended).code, 0);
    const status = await call("fleet", "status", "store");
    assertStringIncludes(status.stdout, "Which database?");
    const wrong = await call("fleet", "answer", "store", "PostgreSQL", "--question", "q9");
    assertEquals(wrong.code, 2);
    assertStringIncludes(wrong.stderr, "no question q9 is open");
    assertEquals((await call("fleet", "answer", "store", "PostgreSQL")).code, 0);
    const second = worker("w2");
    await until(
      async () => (await readJob(server.fleet, "store")).entry,
      ({ state }) => state === "ended",
      (entry) => `${JSON.stringify(entry)}${second.output.stderr}`,
    );
    const events = await logOf(server, "store");
    assertEquals(eventsOf(events, "ended").map(({ outcome }) => outcome), ["pass"], JSON.stringify(events.at(-1)));
    const answered = events.flatMap((event) => event.type === "record" ? [JSON.parse(event.line)] : [])
      .find(({ type }) => type === "question_answered");
    assertEquals([answered?.answer, answered?.who], ["PostgreSQL", "me"]);
    // Three steps, and the one that asked a second time.
    assertEquals(project.prompts.length, 4);
  });

  Deno.test(`fleet, ${provider}: it is followed here, where its question is seen and answered as that of any run`, async () => {
    await using stack = new AsyncDisposableStack();
    const project = await pipelineProject({ provider, resume: "native" });
    stack.use(project);
    const { call, server, worker, start } = await onFleet(project, stack);
    assertEquals((await call("submit", "task.md", "--id", "store")).code, 0);
    const followed = start("fleet", "follow");
    const first = worker("w1");
    await until(
      async () => await call("show", "store", "--json"),
      ({ code, stdout }) => code === 0 && JSON.parse(stdout).state === "waiting",
      () => first.output.stderr + followed.output.stderr,
    );
    assertStringIncludes((await call("show", "store")).stdout, "Which database?");
    assertStringIncludes((await call("questions")).stdout, "Which database?");
    const answered = await call("answer", "PostgreSQL");
    assertEquals(answered.code, 0, answered.stderr);
    await until(
      async () => (await readJob(server.fleet, "store")).entry,
      ({ state }) => state === "ended",
      (entry) => `${JSON.stringify(entry)}${first.output.stderr}`,
    );
    await until(() => call("show", "store"), ({ stdout }) => /^✓ PASS/m.test(stdout), ({ stdout }) => stdout);
    const given = (await logOf(server, "store")).flatMap((event) =>
      event.type === "record" ? [JSON.parse(event.line)] : []
    )
      .find(({ type }) => type === "question_answered");
    assertEquals([given?.answer, given?.who], ["PostgreSQL", "me"]);
    assertEquals(project.prompts.length, 4);
  });
}
