/** Several loops at a time, each in a workspace: a folder of jobs, and attempts at one. */
import { exists } from "@std/fs";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseEvents } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import type { ModelRequest } from "../lab/script.ts";
import { shell } from "./checkouts.ts";
import { responseTargetOf, type ScriptedAnswer, workTurn } from "./review_model.ts";
import { reviewProject, reviewResponse } from "./review_project.ts";

const WITHOUT_PANE = { driver: "process", args: ["--skip-git-repo-check"] };

const TESTER_APART = {
  loop: "programmer, tester",
  project_test_cmd: ["sh", "check.sh"],
  roles: { programmer: WITHOUT_PANE, tester: { ...WITHOUT_PANE, isolation: "workspace" } },
};

/** Each job says which command does it. */
async function jobsProject(
  config: Readonly<Record<string, unknown>>,
  answer: (name: string, request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer> = workOf,
  files: Readonly<Record<string, string>> = {},
) {
  const project = await reviewProject({
    async respond(request) {
      const prompt = request.prompts.at(-1) ?? "";
      const target = responseTargetOf(prompt);
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      return workTurn(target, await answer(target.name, request));
    },
    config: { sandbox: "agent", prompt_file: undefined, ...config },
    files: {
      ...files,
      "check.sh": "! test -e broken.txt\n",
      "jobs/a.md": "Run: echo a > a.txt\n",
      "jobs/b.md": "---\nneeds: a\n---\nRun: cat a.txt a.txt > b.txt\n",
      "jobs/c.md": "Run: echo c > c.txt\n",
    },
  });
  const { project: folder } = project.sandbox;
  await shell(
    folder,
    "git init -q -b main; git add -A; git -c user.name=P -c user.email=p@example.com commit -qm first",
  );
  return { ...project, folder };
}

function workOf(name: string, { prompts }: ModelRequest) {
  if (name !== "programmer_summary") return { response: reviewResponse("APPROVED") };
  const command = /Run: (.*)/.exec(prompts.join("\n"))?.[1] ?? "true";
  return { commands: [command], response: `I have run ${command}.` };
}

Deno.test("run FOLDER --parallel: real Codexes in panes take each job through its loop in a workspace, and all of it is landed", async () => {
  await using project = await jobsProject({ loop: "pair", limits: { min_review_cycles_before_approval: 1 } });
  const { folder } = project;
  const before = await shell(folder, "git status --porcelain; ls");
  const { code, stderr, stdout } = await project.run("run", "jobs", "--parallel", "2", "--trust", "--json");
  assertEquals(code, 0, stderr + stdout);
  const events = parseEvents(stdout);
  const all = (type: string) => events.filter((event) => event.type === type);
  const turns = stdout.split("\n").filter((line) => line.includes('"lane_turn_started"')).map((line) =>
    JSON.parse(line)
  );
  const ofEach = ["r1-programmer-c1", "r1-programmer_review-c1"];
  for (const name of ["a", "b", "c"]) {
    const ofThis = turns.filter(({ file }) => file.endsWith(`/${name}.md`));
    assertEquals(ofThis.map(({ turn }) => turn), ofEach);
  }
  assertEquals(all("merge_finished").length, 3);
  assertEquals(await shell(folder, "git status --porcelain; ls"), before);
  assertEquals((await project.run("apply", "jobs")).code, 0);
  assertEquals(await shell(folder, "cat a.txt b.txt c.txt"), "a\na\na\nc\n");
  assertEquals((await project.run("discard", "jobs")).code, 0);
  await project.sandbox.assertNothingLeft();
});

Deno.test("run TEXT --attempts: the loop is tried several times side by side, and the smallest change is landed", async () => {
  let attempts = 0;
  await using project = await jobsProject(
    { loop: "solo", roles: { programmer: WITHOUT_PANE } },
    () => ({ commands: [`seq ${++attempts === 1 ? 30 : 3} > made.txt`], response: "It is made." }),
  );
  const { folder } = project;
  const { code, stderr, stdout } = await project.run("run", "Make made.txt", "--attempts", "2", "--trust");
  assertEquals(code, 0, stderr + stdout);
  assertStringIncludes(stderr + stdout, "Make-made-txt#1");
  const [name = ""] = /(?<= apply )\S+/.exec(stdout) ?? [];
  assertEquals((await project.run("apply", name)).code, 0);
  assertEquals(await shell(folder, "cat made.txt"), "1\n2\n3\n");
  const refused = await project.run("run", "Make made.txt", "--parallel", "2");
  assertEquals(refused.code, 2);
  assertMatch(refused.stderr, /Cannot use --parallel: it is for a folder of jobs/);
});

Deno.test("run FOLDER --parallel: killed while agents are at work, resume has the loops go on, and what one asks is answered as printed", async () => {
  await using project = await jobsProject({
    loop: "solo",
    permissions: { ask: ["echo c"] },
    handoff: { poll_seconds: 0.2 },
  });
  const { folder } = project;
  const isAtWork = () => project.server.log.entries.some(({ event }) => event === "busy");
  {
    await using running = project.start("run", "jobs", "--parallel", "2", "--trust");
    await until(isAtWork);
    running.kill("SIGKILL");
    await running.ended;
  }
  await using resumed = project.start("resume");
  await until(() => resumed.output.stderr.includes("Answer with: "));
  assertStringIncludes(resumed.output.stderr, "c asks: programmer: ");
  const [, command = ""] = /Answer with: {2}panewright (.*) "yes, or no and why"/.exec(resumed.output.stderr) ?? [];
  const answered = await project.run(...command.split(" "), "yes");
  assertEquals(answered.code, 0, answered.stderr);
  const { code, stderr, stdout } = await resumed.ended;
  assertEquals(code, 0, stderr + stdout);
  assertEquals((await project.run("apply", "jobs")).code, 0);
  assertEquals(await shell(folder, "cat a.txt b.txt c.txt"), "a\na\na\nc\n");
  await project.sandbox.assertNothingLeft();
});

Deno.test("run --workspace: a reply to what a loop has made is another round of that loop, and a fork is one from an earlier turn", async () => {
  const told: string[] = [];
  await using project = await jobsProject(
    { loop: "solo", roles: { programmer: WITHOUT_PANE } },
    (_name, { prompts }) => {
      told.push(prompts.at(-1) ?? "");
      return { commands: [`echo ${told.length} >> made.txt`], response: "It is made." };
    },
  );
  const { folder } = project;
  for (
    const words of [
      ["run", "Make made.txt", "--workspace", "--trust"],
      ["reply", "make-made-txt", "Make it longer"],
      ["fork", "make-made-txt", "Make another", "--turn", "1"],
      ["apply", "make-made-txt"],
    ]
  ) {
    const { code, stderr, stdout } = await project.run(...words);
    assertEquals(code, 0, words.join(" ") + stderr + stdout);
  }
  assertStringIncludes(told[1]!, "Make it longer");
  assertStringIncludes(told[1]!, "Make made.txt");
  assertStringIncludes(told[2]!, "Make another");
  assertEquals(await shell(folder, "cat made.txt"), "1\n2\n");
  assertMatch((await project.run("diff", "make-made-txt", "make-made-txt-2")).stdout, /-2\n\+3\n/);
  assertMatch((await project.run("runs")).stdout, /Reply: Make another.*\n.*Reply: Make it longer/);
});

/** Three attempts of the programmer, after an analyst. */
const IN_ATTEMPTS = {
  loop: "analyst, programmer, programmer_review",
  project_test_cmd: ["sh", "check.sh"],
  limits: { min_review_cycles_before_approval: 1 },
  roles: {
    analyst: WITHOUT_PANE,
    programmer: { ...WITHOUT_PANE, attempts: 3 },
    programmer_review: WITHOUT_PANE,
  },
};

Deno.test("run with attempts of the programmer: the roles before work once, each attempt begins with what they have done, and one is landed", async () => {
  const asked: string[] = [];
  const models = new Set<string>();
  let attempts = 0;
  await using project = await jobsProject(
    {
      ...IN_ATTEMPTS,
      exec: { attempt_agents: [{ provider: "codex" }, { provider: "codex", model: "gpt-6.1-terra" }] },
    },
    (name, { model, prompts }) => {
      asked.push(name);
      models.add(`${name} ${model}`);
      if (name === "analyst_summary") return { commands: ["echo plan > plan.txt"], response: "The plan is plan.txt." };
      if (name !== "programmer_summary") return { response: reviewResponse("APPROVED") };
      assertStringIncludes(prompts.at(-1) ?? "", "The plan is plan.txt.");
      const lines = [30, 3, 9][attempts++] ?? 50;
      return { commands: [`test -e plan.txt && seq ${lines} > made.txt`], response: "It is made." };
    },
  );
  const { folder } = project;
  const { code, stderr, stdout } = await project.run("run", "Make made.txt", "--trust");
  assertEquals(code, 0, stderr + stdout);
  assertEquals(asked.filter((name) => name === "analyst_summary").length, 1);
  assertEquals(attempts, 3);
  assertMatch(stderr + stdout, /Make-made-txt: what the programmer begins with is there/);
  assertMatch(stderr + stdout, /landed \(.*the smallest that passes: 3 lines/);
  assertEquals([...models].filter((one) => one.endsWith("terra")), ["programmer_summary gpt-6.1-terra"]);
  const [name = ""] = /(?<= apply )\S+/.exec(stdout) ?? [];
  assertEquals((await project.run("apply", name)).code, 0);
  assertEquals(await shell(folder, "cat plan.txt made.txt"), "plan\n1\n2\n3\n");
  const refused = await project.run("reply", name, "Make it longer");
  assertEquals(refused.code, 2);
  assertMatch(refused.stderr, new RegExp(`Or reply to one of them: ${name}-1, ${name}-2, ${name}-3$`, "m"));
  const reply = await project.run("reply", `${name}-2`, "Make it longer");
  assertEquals(reply.code, 0, reply.stderr + reply.stdout);
  assertMatch(reply.stdout, new RegExp(`^✓ PASS +${name}-2 `));
  assertEquals(attempts, 4);
  assertEquals((await project.run("discard", name)).code, 0);
  await project.sandbox.assertNothingLeft();
});

Deno.test("run with attempts of the programmer, killed before and after the attempts begin: resume goes on, and nobody is asked twice for what is done", async () => {
  const done: string[] = [];
  let isHeld = true;
  await using project = await jobsProject(IN_ATTEMPTS, (name) => {
    if (name === "analyst_summary") return { response: "The plan is to make it." };
    if (name !== "programmer_summary") return { response: reviewResponse("APPROVED") };
    done.push(name);
    return { commands: [isHeld ? "sleep 60" : "echo made > made.txt"], response: "It is made." };
  });
  const { folder, server: { log } } = project;
  const kill = async (words: readonly string[], isDue: () => boolean) => {
    await using running = project.start(...words);
    await until(isDue);
    running.kill("SIGKILL");
    await running.ended;
  };
  await kill(["run", "Make made.txt", "--trust"], () => log.entries.some(({ event }) => event === "busy"));
  await kill(["resume"], () => done.length === 3);
  isHeld = false;
  const { code, stderr, stdout } = await project.run("resume");
  assertEquals(code, 0, stderr + stdout);
  const [name = ""] = /(?<= apply )\S+/.exec(stdout) ?? [];
  assertEquals((await project.run("apply", name)).code, 0);
  assertEquals(await shell(folder, "cat made.txt"), "made\n");
  const attempt = await project.run("logs", "--wd", await workdirOf(project, `${name}-1`));
  assertMatch(attempt.stdout, /analyst: its turn \(.*\) was done before the attempts, in run/);
  assertEquals((await project.run("discard", name)).code, 0);
  await project.sandbox.assertNothingLeft();
});

async function workdirOf({ run }: Awaited<ReturnType<typeof jobsProject>>, name: string): Promise<string> {
  const { stdout } = await run("workspaces", "--json");
  const all = stdout.trim().split("\n").map((line) => JSON.parse(line));
  return all.find((one) => one.name === name)?.workdir ?? "";
}

Deno.test("run --workspace: the tester is told which tests failed before anybody worked", async () => {
  const told: string[] = [];
  await using project = await jobsProject(
    {
      loop: "programmer, tester",
      project_test_cmd: ["node", "--test"],
      roles: { programmer: WITHOUT_PANE, tester: WITHOUT_PANE },
    },
    async (name, { prompts }) => {
      if (name === "programmer_summary") {
        await until(() => journals(project.sandbox.home).includes('"base_tried"'));
        return { commands: ["echo made > made.txt"], response: "It is made." };
      }
      told.push(prompts.at(-1) ?? "");
      return { response: "- node --test: exit code 0\nRESULT: PASS" };
    },
    { "made.test.js": 'require("node:test").test("is made", () => require("node:fs").readFileSync("made.txt"));\n' },
  );
  const { code, stderr, stdout } = await project.run("run", "Make made.txt", "--workspace", "--trust");
  assertEquals(code, 0, stderr + stdout);
  assertMatch(told[0] ?? "", /THE PROJECT'S TESTS ON THE CODE AS IT WAS, .*\n[^]*1 tests\n.*failed: is made/);
  await project.sandbox.assertNothingLeft();
});

/** What the runs of a person have on record so far. */
function journals(home: string): string {
  const runs = `${home}/.local/state/panewright/runs`;
  const ids = [...Deno.readDirSync(runs)].filter(({ isDirectory }) => isDirectory);
  const entries = ids.flatMap(({ name }) =>
    [...Deno.readDirSync(`${runs}/${name}`)].map((one) => `${name}/${one.name}`)
  );
  return entries.map((entry) => Deno.readTextFileSync(`${runs}/${entry}/journal.ndjson`)).join("");
}

Deno.test("run --workspace: the reviewer is told which places of the changes no test misses, with evidence.budget_minutes", async () => {
  const told: string[] = [];
  await using project = await jobsProject(
    {
      ...{ loop: "programmer, programmer_review, tester", project_test_cmd: ["node", "--test"] },
      ...{ evidence: { budget_minutes: 5 }, limits: { min_review_cycles_before_approval: 1 } },
      roles: { programmer: WITHOUT_PANE, programmer_review: WITHOUT_PANE, tester: WITHOUT_PANE },
    },
    (name, { prompts }) => {
      if (name === "programmer_summary") {
        return { commands: ["echo 'exports.n = 2;' | tee one.js > other.js"], response: "Both are 2." };
      }
      if (!name.includes("review")) return { response: "- node --test: exit code 0\nRESULT: PASS" };
      told.push(prompts.at(-1) ?? "");
      return { response: reviewResponse("APPROVED") };
    },
    {
      ...{ "one.js": "exports.n = 1;\n", "other.js": "exports.n = 1;\n" },
      "one.test.js": [
        'const { test } = require("node:test");',
        'test("is there", () => require("./other.js"));',
        'test("is even", () => require("node:assert").equal(require("./one.js").n % 2, 0));\n',
      ].join("\n"),
    },
  );
  const { code, stderr, stdout } = await project.run("run", "Make both 2", "--workspace", "--trust");
  assertEquals(code, 0, stderr + stdout);
  assertMatch(
    told[0] ?? "",
    /WHAT TRIALS OF THE CHANGES HAVE SHOWN .*\n[^]*no check misses 1 place that was changed: other\.js:1\n/,
  );
  // It is looked at once: nothing was changed after it.
  assertEquals(journals(project.sandbox.home).split('"evidence_gathered"').length, 2);
});

Deno.test("a tester that works apart changes nothing for those after it: what it did is put back, told, and kept as a turn", async () => {
  let tests = 0;
  await using project = await jobsProject(
    TESTER_APART,
    (name) => {
      if (name === "programmer_summary") return { commands: ["echo work >> made.txt"], response: "It is made." };
      return {
        commands: ["echo cheat > made.txt; echo 'exit 0' > check.sh; echo left.txt > .gitignore; echo x > left.txt"],
        response: `I looked at made.txt.\n\nRESULT: ${++tests === 1 ? "FAIL" : "PASS"}`,
      };
    },
    { "unused.txt": "" },
  );
  const { folder } = project;
  const refused = await project.run("run", "Make made.txt", "--trust");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "Cannot put back what the tester changes: the run works in the checkout itself");
  const { code, stderr, stdout } = await project.run("run", "Make made.txt", "--workspace", "--trust");
  assertEquals(code, 0, stderr + stdout);
  const told = "what r1-tester has changed is put back: .gitignore, check.sh, made.txt; to see it: ";
  assertStringIncludes(stderr + stdout, told);
  const turns = await project.run("diff", "make-made-txt", "--turns");
  assertEquals([...turns.stdout.matchAll(/^ +\d+ {2}(.*?) {2}/gm)].map(([, of]) => of), [
    // The second time what was ignored until then.
    ...["r1-programmer", "r1-tester", "undone to turn 1", "undone to turn 1"],
    ...["r2-programmer", "r2-tester", "undone to turn 5", "undone to turn 5"],
  ]);
  assertStringIncludes((await project.run("diff", "make-made-txt", "--turn", "2")).stdout, "+cheat");
  assertEquals((await project.run("apply", "make-made-txt")).code, 0);
  assertEquals(
    await shell(folder, "cat made.txt check.sh; ls left.txt .gitignore 2>/dev/null; true"),
    "work\nwork\n! test -e broken.txt\n",
  );
});

for (const signal of ["SIGKILL", "SIGINT"] as const) {
  Deno.test(`a tester that works apart, ended by ${signal} in the middle of its turn: what it has changed until then is put back, too`, async () => {
    let tests = 0;
    await using project = await jobsProject(
      TESTER_APART,
      (name) => {
        if (name === "programmer_summary") return { commands: ["echo work >> made.txt"], response: "It is made." };
        const commands = [++tests === 1 ? "echo cheat > cheat.txt; sleep 600" : "echo more >> made.txt"];
        return { commands, response: "I looked at made.txt.\n\nRESULT: PASS" };
      },
    );
    const { env, folder, sandbox } = project;
    const tree = `${sandbox.home}/.local/state/panewright-workspaces/make-made-txt`;
    const args = ["run", "Make made.txt", "--workspace", "--trust"];
    await using run = startProgram([...project.argv, ...args], { cwd: folder, env });
    await until(() => exists(`${tree}/cheat.txt`));
    run.kill(signal);
    const { stderr: told } = await run.ended;
    // Who has stopped it may apply what is there, without any resume.
    const isPutBack = signal === "SIGINT";
    assertEquals(await exists(`${tree}/cheat.txt`), !isPutBack);
    assertEquals(told.includes("what r1-tester has changed is put back: cheat.txt; "), isPutBack, told);
    const { code, stderr, stdout } = await project.run("resume", "make-made-txt");
    assertEquals(code, 0, stderr + stdout);
    const files = isPutBack ? "made.txt" : "cheat.txt, made.txt";
    assertStringIncludes(stderr + stdout, `what r1-tester has changed is put back: ${files}; `);
    assertEquals(await shell(tree, "cat made.txt; ls cheat.txt 2>/dev/null || true"), "work\n");
  });
}
