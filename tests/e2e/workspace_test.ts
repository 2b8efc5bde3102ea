import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { checkoutOf, dirty, shell } from "./checkouts.ts";
import { pipelineProject } from "./pipeline_project.ts";
import { createReviewModel } from "./review_model.ts";
import { reviewProject } from "./review_project.ts";

const PROVIDERS: readonly CliName[] = ["codex", "claude_code"];

for (const provider of PROVIDERS) {
  const label = CLI_LABELS[provider];

  Deno.test(`exec --workspace: a real ${label} in a sandbox works apart from the checkout, and apply brings its work there`, async () => {
    await using project = await pipelineProject({
      provider,
      turnFor: () => [
        {
          do: "shell",
          command: "cat mine.txt staged.txt > made.txt; git log --oneline > LOG; git stash; git stash pop; true",
        },
        { do: "say", text: "Done." },
      ],
      config: {
        sandbox: "agent",
        pipelines: { main: [{ name: "work", prompt: "self", check: { type: "shell", command: "test -f made.txt" } }] },
      },
    });
    const { project: folder } = project.sandbox;
    await dirty(folder);
    const before = await checkoutOf(folder);
    const { code, stderr, stdout } = await project.run("exec", "task.md", "--workspace", "--trust", "--no-input");
    assertEquals(code, 0, stderr + stdout);
    assertEquals(await checkoutOf(folder), before);
    assertStringIncludes(stdout, " apply task\n");
    const shown = await project.run("diff", "task");
    assertMatch(shown.stdout, /\+mine\n\+staged\n\+more/);
    // What the sandbox shows is in no commit.
    assertEquals((await shell(folder, "git diff --name-only refs/panewright/task~ refs/panewright/task")).split("\n"), [
      "LOG",
      "made.txt",
      "",
    ]);
    const applied = await project.run("apply");
    assertEquals(
      [applied.code, await Deno.readTextFile(`${folder}/made.txt`)],
      [0, "mine\nstaged\nmore\n"],
      applied.stderr,
    );
    assertEquals((await project.run("discard", "task")).code, 0);
    assertEquals((await project.run("workspaces")).stdout, "There are no workspaces.\n");
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("exec --workspace: a question is answered, and the step resumed, by the commands that are printed", async () => {
  await using project = await pipelineProject({ config: { sandbox: "agent" } });
  const { project: folder } = project.sandbox;
  await dirty(folder);
  const stopped = await project.run("exec", "task.md", "--workspace", "--trust", "--no-input", "--json");
  assertEquals(stopped.code, 3, stopped.stderr);
  const events = parseEvents(stopped.stdout);
  const { workdir = "" } = events.find(({ type }) => type === "workspace") as { workdir?: string };
  for (const words of [["answer", "PostgreSQL", "--wd", workdir], ["resume", "--no-input"]]) {
    const { code, stderr } = await project.run(...words);
    assertEquals(code, 0, stderr);
  }
  // The run is found from the checkout, too, by its name and without.
  const { run } = JSON.parse((await project.run("status", "--json")).stdout.split("\n")[0] ?? "");
  assertEquals((await project.run("logs", run)).code, 0);
  assertEquals(await exists(`${folder}/database.txt`), false);
  const applied = await project.run("apply", "--json");
  assertEquals(applied.code, 0, applied.stderr);
  assertStringIncludes(await Deno.readTextFile(`${folder}/database.txt`), "PostgreSQL");
});

Deno.test("exec --workspace: in the sandbox an agent and the check have what the checkout shares, what the setup makes, and ports", async () => {
  const kept = "cat node_modules/dep.js built/x; echo ${PANEWRIGHT_PORT_BASE:+ports}";
  await using project = await pipelineProject({
    turnFor: () => [{ do: "shell", command: `{ ${kept}; } > seen.txt` }, { do: "say", text: "Done." }],
    config: {
      sandbox: "agent",
      isolation: "workspace",
      workspace: { share: ["node_modules/"], setup: "mkdir -p built && echo built > built/x" },
      pipelines: {
        main: [{ name: "work", prompt: "self", check: { type: "shell", command: `{ ${kept}; } | cmp - seen.txt` } }],
      },
    },
  });
  const { project: folder } = project.sandbox;
  await Deno.writeTextFile(`${folder}/.gitignore`, "node_modules\nbuilt\n");
  await Deno.mkdir(`${folder}/node_modules`);
  await Deno.writeTextFile(`${folder}/node_modules/dep.js`, "dep\n");
  await dirty(folder);
  const before = await checkoutOf(folder);
  const { code, stderr } = await project.run("exec", "task.md", "--trust", "--no-input");
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, "it has a copy of node_modules/");
  assertStringIncludes(stderr, "the workspace was set up by mkdir -p built");
  assertEquals(await checkoutOf(folder), before);
  assertEquals(
    await shell(
      folder,
      "git diff --name-only refs/panewright/task~ refs/panewright/task; git show refs/panewright/task:seen.txt",
    ),
    "seen.txt\ndep\nbuilt\nports\n",
  );
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec --workspace: three agents at once in one checkout do not tread on each other, and all of it is applied", async () => {
  await using project = await pipelineProject({
    turnFor: (prompt) => {
      const name = /Write (\w+)/.exec(prompt)?.[1] ?? "none";
      return [{ do: "shell", command: `ls *.made; echo ${name} > ${name}.made; git stash -u; git stash pop` }, {
        do: "say",
        text: "Done.",
      }];
    },
    config: {
      sandbox: "agent",
      isolation: "workspace",
      pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] },
    },
  });
  const { project: folder } = project.sandbox;
  await dirty(folder);
  const before = await checkoutOf(folder);
  const names = ["one", "two", "three"];
  const runs = await Promise.all(
    names.map((name) => project.run("exec", `Write ${name} down`, "--trust", "--no-input", "--json")),
  );
  assertEquals(runs.map(({ code }) => code), [0, 0, 0], runs.map(({ stderr }) => stderr).join("\n"));
  assertEquals(await checkoutOf(folder), before);
  for (const name of names) {
    const { code, stdout, stderr } = await project.run("apply", `write-${name}-down`, "--json");
    assertEquals([code, JSON.parse(stdout).files], [0, [`${name}.made`]], stderr);
  }
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec --workspace: after kill -9 nothing of it is lost, and the checkout is as it was", async () => {
  await using project = await pipelineProject({
    turnFor: () => [{ do: "shell", command: "echo half > half.txt; sleep 600" }],
    config: {
      sandbox: "agent",
      pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] },
    },
  });
  const { home, project: folder } = project.sandbox;
  await dirty(folder);
  const before = await checkoutOf(folder);
  const tree = `${home}/.local/state/panewright-workspaces/task`;
  {
    const [file = "", ...args] = [...project.argv, "exec", "task.md", "--workspace", "--trust", "--no-input"];
    await using running = startProgram([file, ...args], { cwd: folder, env: project.env });
    await until(() => exists(`${tree}/half.txt`));
    const early = await project.run("apply", "task");
    assertEquals(early.code, 2);
    assertMatch(early.stderr, /run \S+ is at work in it[^]*panewright stop \S+ --wd/);
    running.kill("SIGKILL");
    await running.ended;
  }
  assertEquals(await checkoutOf(folder), before);
  const { code, stdout, stderr } = await project.run("diff", "task");
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, "+half");
  assertEquals(await shell(folder, "git diff --name-only refs/panewright/task~ refs/panewright/task"), "half.txt\n");
  assertEquals((await project.run("stop", "--wd", tree)).code, 0);
  await project.sandbox.assertNothingLeft();
});

for (const provider of PROVIDERS) {
  Deno.test(`run --workspace: five agents of a real ${CLI_LABELS[provider]} work apart from the checkout, and apply brings their work there`, async () => {
    const review =
      "REVIEW_RESULT: APPROVED\nREVIEW_NOTES:\n- The plan is complete for `greeting.txt` and `check.sh`.\n" +
      '- The scenario "hello, world" is covered.\n- Run `check.sh` afterwards.\n';
    const model = createReviewModel((name) => {
      if (name === "programmer_summary") {
        return { commands: ['echo "hello, world" > greeting.txt'], response: "greeting.txt says hello, world." };
      }
      if (name === "test_result") return { response: "I looked at it.\n\nRESULT: PASS" };
      return { response: name === "analyst_summary" ? "Plan: write greeting.txt, run check.sh." : review };
    });
    await using project = await reviewProject({
      provider,
      respond: model.respond,
      config: { sandbox: "agent", limits: { min_review_cycles_before_approval: 1, review_evidence_min_match: 0 } },
    });
    const { project: folder } = project.sandbox;
    await shell(folder, "git init -q . 2>/dev/null; true");
    await dirty(folder);
    const before = await checkoutOf(folder);
    const { code, stdout, stderr } = await project.run("run", "--workspace");
    assertEquals(code, 0, stderr + stdout);
    assertEquals(await checkoutOf(folder), before);
    const applied = await project.run("apply");
    assertEquals([applied.code, applied.stderr], [0, ""]);
    assertEquals(await Deno.readTextFile(`${folder}/greeting.txt`), "hello, world\n");
    assertEquals((await project.run("discard")).code, 0);
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("run --workspace: without the sandbox around its agents it is refused before anything is made", async () => {
  await using project = await reviewProject({ provider: "codex", respond: () => [], config: { sandbox: "off" } });
  const { code, stderr } = await project.run("run", "--workspace");
  assertEquals(code, 2);
  assertMatch(stderr, /Cannot work in a workspace[^]*"sandbox": "agent"/);
  assertEquals((await project.run("workspaces")).stdout, "There are no workspaces.\n");
});

Deno.test("exec --workspace: with a key the same request is the same run, in one workspace", async () => {
  await using project = await pipelineProject();
  const words = ["exec", "task.md", "--workspace", "--trust", "--detach", "--key", "once"];
  const [first, second] = [await project.run(...words), await project.run(...words)];
  assertEquals([first.code, second.code, second.stdout], [0, 0, first.stdout], first.stderr + second.stderr);
  assertEquals((await project.run("workspaces", "--json")).stdout.trim().split("\n").length, 1);
  await until(
    async () => JSON.parse((await project.run("show", first.stdout.trim(), "--json")).stdout).state,
    (state) => state !== "running" && state !== "empty",
  );
});

Deno.test("reply: what a person says of the result is another round in the same workspace, with the task and what was done", async () => {
  const prompts: string[] = [];
  await using project = await pipelineProject({
    turnFor(prompt) {
      prompts.push(prompt);
      const line = prompt.includes("A person has looked at that") ? "echo second >> made.txt" : "echo first > made.txt";
      return [{ do: "shell", command: line }, { do: "say", text: "Done." }];
    },
    config: {
      sandbox: "agent",
      pipelines: {
        other: [{ name: "never", prompt: "self", check: { type: "shell", command: "false" } }],
        main: [{ name: "work", prompt: "self", check: { type: "shell", command: "test -f made.txt" } }],
      },
    },
  });
  const { home, project: folder } = project.sandbox;
  await Deno.writeTextFile(`${folder}/task.md`, "---\npipeline: main\n---\nStore the users in a database.\n");
  await dirty(folder);
  const none = await project.run("reply", "task", "Once more.");
  assertEquals([none.code, none.stderr.split("\n")[0]], [2, 'panewright: Cannot find the workspace "task"']);
  assertEquals((await project.run("exec", "task.md", "--workspace", "--trust", "--no-input")).code, 0);
  // What an agent may put there is no run of ours.
  const runs = `${home}/.local/state/panewright-workspaces/task/.panewright/runs`;
  const [own = ""] = [...Deno.readDirSync(runs)].map(({ name }) => name);
  const forged = (await Deno.readTextFile(`${runs}/${own}/journal.ndjson`)).replaceAll(
    "Store the users",
    "Forge the users",
  );
  await Deno.mkdir(`${runs}/99991231-235959-abcd`);
  await Deno.writeTextFile(
    `${runs}/99991231-235959-abcd/journal.ndjson`,
    forged.replaceAll(own, "99991231-235959-abcd"),
  );
  const again = await project.run("reply", "task", "Say it twice: `second`, too.", "--no-input");
  assertEquals(again.code, 0, again.stderr);
  assertStringIncludes(again.stdout, " apply task\n");
  const prompt = prompts.at(-1) ?? "";
  for (const words of ["Say it twice: `second`, too.", "Store the users in a database."]) {
    assertStringIncludes(prompt, words);
  }
  assertEquals((await project.run("apply", "task")).code, 0);
  assertEquals(await Deno.readTextFile(`${folder}/made.txt`), "first\nsecond\n");
  assertEquals((await project.run("reply", "task", " ")).code, 2);
  await project.sandbox.assertNothingLeft();
});
