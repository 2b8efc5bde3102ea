import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { startProgram } from "../support/program.ts";
import { createRandom } from "../support/random.ts";
import { until } from "../support/until.ts";
import type { Turn } from "../lab/steps.ts";
import { fakeAcpAgent } from "../support/acp_fake.ts";
import { cliProject } from "./cli_project.ts";
import { checkoutOf, dirty, shell } from "./checkouts.ts";
import { pipelineProject } from "./pipeline_project.ts";

/** What is to be run, and what comes before it. */
type Step = readonly [command: string, needs?: readonly string[]];

const PROVIDERS: readonly CliName[] = ["codex", "claude_code"];

const CHECK = { type: "shell", command: "sh check.sh" } as const;

/** A real agent in a sandbox, and a folder of tasks each of which names what is to be run. */
async function nightProject(
  provider: CliName,
  tasks: Readonly<Record<string, string>>,
  { merge, steps, thinks }: {
    readonly merge?: Turn;
    readonly steps?: Readonly<Record<string, Step>>;
    /** Whether the model thinks about a task longer than anybody waits. */
    readonly thinks?: (command: string) => boolean;
  } = {},
) {
  const project = await pipelineProject({
    provider,
    turnFor(prompt) {
      if (merge !== undefined && prompt.includes("Two pieces of work")) return merge;
      const answer = /The answer of the person to it:\s`{3}text\s(.*?)\s`{3}/.exec(prompt)?.[1];
      const command = answer === undefined
        ? /Run: (.*?)\s*(?:`{3}|\n|$)/.exec(prompt)?.[1] ?? "true"
        : `echo '${answer}' > answer.txt`;
      const thinking = thinks?.(command) === true ? [{ do: "wait", ms: 3_600_000 } as const] : [];
      return [...thinking, { do: "shell", command }, { do: "say", text: "Done." }];
    },
    config: {
      sandbox: "agent",
      pipelines: {
        main: steps === undefined
          ? [{ name: "work", prompt: "self", check: CHECK }]
          : Object.entries(steps).map(([name, [, needs]]) => ({
            ...{ name, prompt: `steps/${name}.md`, check: CHECK },
            ...(needs === undefined ? {} : { needs }),
          })),
      },
    },
  });
  const { project: folder } = project.sandbox;
  await Deno.mkdir(`${folder}/night`);
  await Deno.mkdir(`${folder}/steps`);
  for (const [name, [command]] of Object.entries(steps ?? {})) {
    await Deno.writeTextFile(`${folder}/steps/${name}.md`, `Run: ${command}\n`);
  }
  for (const [name, command] of Object.entries(tasks)) {
    await Deno.writeTextFile(`${folder}/night/${name}.md`, `Run: ${command}\n`);
  }
  await Deno.writeTextFile(`${folder}/check.sh`, "! test -e broken.txt\n");
  await Deno.writeTextFile(`${folder}/words.txt`, "one\ntwo\nthree\n");
  await dirty(folder);
  return { ...project, folder, before: await checkoutOf(folder) };
}

for (const provider of PROVIDERS) {
  const label = CLI_LABELS[provider];

  Deno.test(`exec --parallel: real ${label}s side by side, a conflict that one more turn resolves, and apply`, async () => {
    await using project = await nightProject(provider, {
      a: "git stash; sed -i s/two/TWO/ words.txt; echo a > a.txt",
      b: "sed -i s/two/zwei/ words.txt; echo b > b.txt",
      c: "cat mine.txt > c.txt",
    }, {
      merge: [{ do: "shell", command: "printf 'one\\nZWEI\\nthree\\n' > words.txt" }, { do: "say", text: "Both." }],
    });
    const { folder } = project;
    const { code, stderr, stdout } = await project.run(
      ...["exec", "night", "--parallel", "3", "--trust", "--no-input", "--junit", `${project.sandbox.home}/report.xml`],
    );
    assertEquals(code, 0, stderr + stdout);
    const report = await Deno.readTextFile(`${project.sandbox.home}/report.xml`);
    for (const name of ["a", "b", "c"]) assertMatch(report, new RegExp(`<testsuite name="${name}" [^>]*failures="0"`));
    assertEquals(await withoutRuns(folder), project.before);
    assertStringIncludes(stdout, " apply night\n");
    const log = (await shell(folder, "git log --format=%s refs/panewright/night")).trim().split("\n");
    assertEquals([log.slice(0, 3).sort(), log.slice(3)], [["a", "b", "c"], ["The checkout as it was", "first"]]);
    assertEquals((await project.run("apply", "night")).code, 0);
    const made = ["a.txt", "b.txt", "c.txt", "words.txt"].map((name) => Deno.readTextFile(`${folder}/${name}`));
    assertEquals(await Promise.all(made), ["a\n", "b\n", "mine\n", "one\nZWEI\nthree\n"]);
    const discarded = await project.run("discard", "night");
    assertEquals(discarded.code, 0, discarded.stderr);
    assertEquals((await project.run("workspaces")).stdout, "There are no workspaces.\n");
    await project.sandbox.assertNothingLeft();
  });
}

for (const provider of PROVIDERS) {
  Deno.test(`exec --parallel: real ${CLI_LABELS[provider]}s do the steps of a graph, each with what those before it have made`, async () => {
    await using project = await nightProject(provider, { build: "true" }, {
      steps: {
        docs: ["cat api.txt page.txt > docs.txt", ["api", "page"]],
        api: ["sed s/plan/api/ plan.txt > api.txt; sed -i s/two/TWO/ words.txt", ["plan"]],
        page: ["sed s/plan/page/ plan.txt > page.txt; sed -i s/two/zwei/ words.txt", ["plan"]],
        plan: ["echo plan > plan.txt"],
      },
      merge: [{ do: "shell", command: "printf 'one\\nZWEI\\nthree\\n' > words.txt" }, { do: "say", text: "Both." }],
    });
    const { folder } = project;
    const shown = await project.run("exec", "night/build.md", "--dry-run", "--trust");
    assertMatch(shown.stdout, /step 4 "docs"[^]*\n {4}needs {8}api, page\n/);
    const { code, stderr, stdout } = await project.run(
      ...["exec", "night/build.md", "--parallel", "2", "--trust", "--no-input"],
    );
    assertEquals(code, 0, stderr + stdout);
    assertEquals(await withoutRuns(folder), project.before);
    const log = (await shell(folder, "git log --format=%s refs/panewright/build")).trim().split("\n");
    assertEquals([log[0], log.slice(1, 3).sort(), log[3]], ["build/docs", ["build/api", "build/page"], "build/plan"]);
    assertEquals((await project.run("apply", "build")).code, 0);
    const made = ["docs.txt", "words.txt"].map((name) => Deno.readTextFile(`${folder}/${name}`));
    assertEquals(await Promise.all(made), ["api\npage\n", "one\nZWEI\nthree\n"]);
    assertEquals((await project.run("discard", "build")).code, 0);
    assertEquals((await project.run("workspaces")).stdout, "There are no workspaces.\n");
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("exec --parallel: a step of a graph that asks keeps no other from its work; answer and resume do the rest", async () => {
  await using project = await nightProject("codex", { build: "true" }, {
    steps: {
      api: ['panewright ask "Which one?"'],
      page: ["echo page > page.txt"],
      docs: ["cat answer.txt page.txt > docs.txt", ["api", "page"]],
    },
  });
  const stopped = await project.run("exec", "night/build.md", "--parallel", "2", "--trust", "--no-input");
  assertEquals(stopped.code, 3, stopped.stderr);
  const commands = [
    ...stopped.stdout.matchAll(/(?:answer|resume) [\w-]+(?: --question \w+ --wd \S+)?(?= "YOUR ANSWER"|$)/gm),
  ];
  assertEquals(commands.map(([line]) => line.split(" ")[0]).slice(0, 2), ["answer", "resume"], stopped.stdout);
  const [part] = commands[0]?.[0].match(/\d{8}-\S+/) ?? [];
  const alone = await project.run("resume", part ?? "", "--wd", commands[0]?.[0].split(" ").at(-1) ?? "");
  assertEquals(alone.code, 2);
  const [, whole] = commands[1]?.[0].split(" ") ?? [];
  assertStringIncludes(alone.stderr, `Cannot resume run ${part} by itself: it is a part of run ${whole}\n`);
  for (const [line] of commands.slice(0, 2)) {
    const words = [...line.split(" "), ...(line.startsWith("answer") ? ["This one"] : ["--no-input"])];
    const { code, stderr } = await project.run(...words);
    assertEquals(code, 0, stderr);
  }
  assertEquals((await project.run("apply", "build")).code, 0);
  assertEquals(await Deno.readTextFile(`${project.folder}/docs.txt`), "This one\npage\n");
  await project.sandbox.assertNothingLeft();
});

/** What a person has there, but for the folder with the runs. */
async function withoutRuns(folder: string): Promise<string> {
  return (await checkoutOf(folder)).split("\n").filter((line) => !line.includes("./.panewright/")).join("\n");
}

Deno.test("exec --parallel: what one asks is told with the commands that answer and resume, and the others are done", async () => {
  await using project = await nightProject("codex", {
    a: 'panewright ask "Which?"',
    b: "echo b > b.txt",
  });
  const { folder } = project;
  const stopped = await project.run("exec", "night", "--parallel", "2", "--trust", "--no-input");
  assertEquals(stopped.code, 3, stopped.stderr);
  assertStringIncludes(stopped.stderr, "b: landed");
  const questions = await project.run("questions");
  assertStringIncludes(questions.stdout, "Which?");
  const [, answer = ""] = /Answer with: {2}panewright (.*) "YOUR ANSWER"/.exec(stopped.stdout) ?? [];
  const [, resume = ""] = /Then resume: {2}panewright (.*)/.exec(stopped.stdout) ?? [];
  for (const words of [[...answer.split(" "), "This one"], [...resume.split(" "), "--no-input"]]) {
    const { code, stderr } = await project.run(...words);
    assertEquals(code, 0, stderr);
  }
  assertEquals((await project.run("apply", "night")).code, 0);
  assertMatch(await Deno.readTextFile(`${folder}/answer.txt`), /This one/);
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec --parallel: after kill -9 the target is as it was or as it was to be, and resume lands the rest, once", async () => {
  let isKilled = false;
  await using project = await nightProject("codex", {
    a: "echo a > a.txt",
    b: "echo b > b.txt",
    c: "echo c > c.txt",
  }, { thinks: (command) => !isKilled && command.includes("c.txt") });
  const { folder } = project;
  const [file = "", ...args] = [...project.argv, "exec", "night", "--parallel", "3", "--trust", "--no-input"];
  {
    await using running = startProgram([file, ...args], { cwd: folder, env: project.env });
    await until(() => exists(`${folder}/.git/refs/panewright/night`));
    running.kill("SIGKILL");
    await running.ended;
  }
  isKilled = true;
  assertEquals(await withoutRuns(folder), project.before);
  const resumed = await project.run("resume", "--no-input");
  assertEquals(resumed.code, 0, resumed.stderr);
  const log = (await shell(folder, "git log --format=%s refs/panewright/night")).trim().split("\n");
  assertEquals(log.slice(0, 3).sort(), ["a", "b", "c"]);
  await project.sandbox.assertNothingLeft();
});

/** At how many random moments a process is killed; a person may want more. */
const KILLS = Number(Deno.env.get("PANEWRIGHT_TEST_KILLS") ?? 3);

Deno.test(`exec --parallel: killed at ${KILLS} random moments, each time taken up: nothing is lost, and nothing is landed twice`, async () => {
  await using project = await nightProject("codex", {
    a: "sleep 1; sed -i s/two/TWO/ words.txt",
    b: "sed -i s/two/zwei/ words.txt",
    c: "echo c > c.txt",
  }, { merge: [{ do: "shell", command: "printf 'one\\nZWEI\\nthree\\n' > words.txt" }, { do: "say", text: "Both." }] });
  const { folder } = project;
  const file = `${folder}/night`;
  const seed = Number(Deno.env.get("PANEWRIGHT_TEST_SEED") ?? Date.now() % 100_000);
  const random = createRandom(seed);
  let killed = 0;
  let words = ["exec", file, "--parallel", "3", "--trust", "--no-input"];
  while (killed < KILLS) {
    const [program = "", ...args] = [...project.argv, ...words];
    await using running = startProgram([program, ...args], { cwd: folder, env: project.env });
    const ended = await Promise.race([
      running.ended.then(() => true),
      systemClock.sleep(300 + random.int(7000)).then(() => false),
    ]);
    if (ended) {
      words = ["exec", file, "--parallel", "3", "--trust", "--no-input"];
      await checkEnd(`seed ${seed}`);
      continue;
    }
    running.kill("SIGKILL");
    await running.ended;
    killed++;
    assertEquals(await withoutRuns(folder), project.before, `seed ${seed}`);
    const { stdout } = await project.run("runs", "--wd", folder, "--json");
    words = stdout === "" ? words : ["resume", "--wd", folder, "--trust", "--no-input"];
  }
  const last = await project.run(...words);
  // It may have been killed when the run was over, and its process was not.
  const isOver = last.stderr.includes("every run is over");
  assertEquals(last.code, isOver ? 2 : 0, `seed ${seed}: ${last.stderr}`);
  await checkEnd(`seed ${seed}`);
  await project.sandbox.assertNothingLeft();

  async function checkEnd(about: string): Promise<void> {
    const targets =
      (await shell(folder, "git for-each-ref --sort=-creatordate --format='%(refname)' 'refs/panewright/night*'"))
        .trim().split("\n");
    for (const target of targets) {
      const log = (await shell(folder, `git log --format=%s ${target}`)).trim().split("\n");
      assertEquals(log.slice(-2), ["The checkout as it was", "first"], about);
      assertEquals(new Set(log).size, log.length, `${about}: ${log.join(", ")}`);
    }
    const done = await Promise.all(targets.map((target) => shell(folder, `git log --format=%s ${target}`)));
    assertEquals(done.some((log) => ["a", "b", "c"].every((name) => log.split("\n").includes(name))), true, about);
  }
});

Deno.test("exec --attempts: a real Codex, a real Claude Code and an agent over ACP try it side by side, and the smallest change is landed", async () => {
  const change = (model: string) => model.startsWith("claude") ? "printf 'one\\ntwo\\n3\\n'" : "printf '1\\n2\\n3\\n'";
  await using project = await cliProject({
    ...{ provider: "codex", also: ["claude_code"], isRepository: true },
    respond: ({ model }) => [{ do: "shell", command: `${change(model)} > words.txt` }, { do: "say", text: "Done." }],
    files: {
      "words.txt": "one\ntwo\nthree\n",
      "panewright.jsonc": {
        providers: { claude_code: { args: ["--allowedTools", "Bash"] }, gemini: { command: ["./agent/gemini"] } },
        exec: { attempt_agents: ["codex", "claude_code", "gemini"].map((provider) => ({ provider })) },
        permissions: { auto_accept: true, default: "allow" },
        pipelines: {
          main: [{ name: "work", prompt: "self", check: { type: "shell", command: "grep -q 3 words.txt" } }],
        },
      },
      "task.md": "Write three as a figure.\n",
    },
  });
  const { project: folder, home } = project.sandbox;
  await Deno.mkdir(`${home}/agent`);
  const { path } = await fakeAcpAgent(`${home}/agent`, {
    turns: [{ times: 9, steps: [{ write: "words.txt", text: "I\nII\n3\nIV\n" }, { say: "Done." }] }],
  }, { name: "gemini" });
  const config = `${folder}/panewright.jsonc`;
  await Deno.writeTextFile(config, (await Deno.readTextFile(config)).replace("./agent/gemini", path));
  await dirty(folder);
  const before = await checkoutOf(folder);
  const { code, stderr, stdout } = await project.run("exec", "task.md", "--attempts", "3", "--trust", "--no-input");
  assertEquals(code, 0, stderr + stdout);
  assertEquals(await withoutRuns(folder), before);
  assertMatch(stderr, /task#2: landed \(grep -q 3 words\.txt: passed; the smallest that passes: 2 lines; task#\d: \d+/);
  assertEquals(await shell(folder, "git show refs/panewright/task:words.txt"), "one\ntwo\n3\n");
  for (const [name, words] of [["task-1", "1\n2\n3\n"], ["task-3", "I\nII\n3\nIV\n"]]) {
    assertEquals(await shell(folder, `git show refs/panewright/${name}:words.txt`), words);
  }
  assertEquals((await project.run("apply", "task")).code, 0);
  assertEquals(await Deno.readTextFile(`${folder}/words.txt`), "one\ntwo\n3\n");
  await project.sandbox.assertNothingLeft();
});

/** A Codex that writes much, and a Claude Code that writes little, each in attempts of its own; both judge by what they see. */
async function twoAttempts() {
  const isJudge = (prompt: string) => prompt.includes("Say which one is the best");
  const chosen = (prompt: string) =>
    /Change (.):\s*`{3,}(?:text)?\s(?:(?!Change .:)[^])*?\+III/.exec(prompt)?.[1] ?? "?";
  const text = (request: object) => JSON.stringify(request).replaceAll("\\n", "\n");
  const project = await cliProject({
    ...{ provider: "codex", also: ["claude_code"], isRepository: true },
    respond(request) {
      const prompt = text(request);
      if (isJudge(prompt)) return [{ do: "say", text: `It says it in Roman.\n\nCHOICE: ${chosen(prompt)}` }];
      const words = request.model.startsWith("claude") ? "one\\ntwo\\n3\\n" : "I\\nII\\nIII\\nIV\\n";
      return [{ do: "shell", command: `printf '${words}' > words.txt` }, { do: "say", text: "Done." }];
    },
    files: {
      "words.txt": "one\ntwo\nthree\n",
      "panewright.jsonc": {
        providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
        exec: { attempt_agents: ["codex", "claude_code"].map((provider) => ({ provider })) },
        permissions: { auto_accept: true, default: "allow" },
        pipelines: {
          main: [{ name: "work", prompt: "self", check: { type: "shell", command: "! grep -q three words.txt" } }],
        },
      },
      "task.md": "Write three as a figure.\n",
    },
  });
  await dirty(project.sandbox.project);
  return project;
}

Deno.test("exec --choose judge: a real Codex and a real Claude Code look at both, each in another order, and agree", async () => {
  await using project = await twoAttempts();
  const { project: folder } = project.sandbox;
  const before = await checkoutOf(folder);
  const words = ["exec", "task.md", "--attempts", "2", "--choose", "judge", "--trust", "--no-input"];
  const { code, stderr, stdout } = await project.run(...words);
  assertEquals(code, 0, stderr + stdout);
  assertMatch(stderr, /task#1 is chosen: the best for the judge, in both orders/);
  assertEquals(await shell(folder, "git show refs/panewright/task:words.txt"), "I\nII\nIII\nIV\n");
  assertEquals(await withoutRuns(folder), before);
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec --choose person: the run waits with what there is; diff, answer and resume as printed land what was chosen", async () => {
  await using project = await twoAttempts();
  const { project: folder } = project.sandbox;
  const words = ["exec", "task.md", "--attempts", "2", "--choose", "person", "--trust", "--no-input"];
  const stopped = await project.run(...words);
  assertEquals(stopped.code, 3, stopped.stderr);
  assertMatch(stopped.stdout, /1\. attempt 1: 7 lines in 1 file; panewright diff task-1\n +2\. attempt 2: 2 lines/);
  const listed = await project.run("questions");
  assertMatch(
    listed.stdout,
    /^run \S+, step "task", asked .* ago \(q1\):\n {2}Which attempt of task is to be landed\? 2 have passed\.\n {2}1\. attempt 1: 7 lines/,
  );
  assertMatch((await project.run("diff", "task-1", "task-2")).stdout, /-III\n-IV\n\+one\n\+two\n\+3\n/);
  const [, answer = ""] = /Answer with: {2}panewright (.*) "YOUR ANSWER"/.exec(stopped.stdout) ?? [];
  const [, resume = ""] = /Then resume: {2}panewright (.*)/.exec(stopped.stdout) ?? [];
  const wrong = await project.run(...answer.split(" "), "7");
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "it takes one of 1 to 3 or a label");
  for (const more of [[...answer.split(" "), "1"], [...resume.split(" "), "--no-input"]]) {
    const { code, stderr } = await project.run(...more);
    assertEquals(code, 0, stderr);
  }
  assertEquals((await project.run("apply", "task")).code, 0);
  assertEquals(await Deno.readTextFile(`${folder}/words.txt`), "I\nII\nIII\nIV\n");
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec --parallel: a script that a task makes weaker decides about nobody's work, and Ctrl-C leaves nothing running", async () => {
  await using project = await nightProject("codex", {
    a: "echo true > check.sh",
    b: "echo broken > broken.txt",
  });
  const { folder } = project;
  const tasks = `${folder}/night`;
  await Deno.writeTextFile(`${tasks}/b.md`, `---\nneeds: a\n---\n${await Deno.readTextFile(`${tasks}/b.md`)}`);
  const { code, stderr } = await project.run("exec", "night", "--parallel", "2", "--trust", "--no-input");
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "a: landed (sh check.sh: passed)");
  assertMatch(stderr, /b: merged with what was landed before, a check fails: sh check\.sh/);
  assertEquals(await shell(folder, "git ls-tree --name-only refs/panewright/night broken.txt"), "");
  await Deno.writeTextFile(`${tasks}/a.md`, "Run: touch ../here; sleep 600\n");
  const [file = "", ...args] = [...project.argv, "exec", "night", "--parallel", "2", "--trust", "--no-input"];
  await using running = startProgram([file, ...args], { cwd: folder, env: project.env });
  await until(() => running.output.stderr.includes('a: step "work"'));
  running.kill("SIGINT");
  const ended = await running.ended;
  assertEquals(ended.code, 130, ended.stderr);
  assertStringIncludes(ended.stderr, "1 task not begun: b");
  await project.sandbox.assertNothingLeft();
});
