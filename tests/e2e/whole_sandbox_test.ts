import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { listCommandLines } from "../../lib/base/ports/command_lines.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { runProgram } from "../support/program.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until as untilSeen } from "../support/until.ts";
import { shell } from "./checkouts.ts";
import { pipelineProject } from "./pipeline_project.ts";
import { createReviewModel, responseTargetOf, workTurn } from "./review_model.ts";
import { reviewProject } from "./review_project.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

const PROVIDERS: readonly CliName[] = ["codex", "claude_code"];

/** Has git run something when a person looks at what is there. */
const ARM = "git init -q inner; git -C inner config core.fsmonitor 'touch ../OBEYED; false'";

/** Writes inside, and tries to get out in several ways; each that works leaves a file. */
const GET_OUT = [
  "echo in > INSIDE",
  // What a shell keeps in a file of its own is no way out.
  "zsh -c 'cat > FROM_ZSH <<E\nfrom zsh\nE\n'",
  'echo out > "$HOME/OUTSIDE"',
  'echo out > "$HOME/.local/state/panewright/OUTSIDE"',
  "echo out > ../OUTSIDE",
  'ln -s "$HOME" home; echo out > home/OUTSIDE; rm -f home',
  "echo out > /proc/1/root$HOME/OUTSIDE",
  'cat "$HOME/.ssh/id_test" > KEY',
  "echo $SECRET_OF_MINE > VARIABLE",
  "bash -c 'echo hello > /dev/tcp/127.0.0.1/PORT' && touch REACHED",
  "mkdir -p .git/hooks; echo 'touch OUT' > .git/hooks/pre-commit",
  "mkdir -p .claude .codex; echo '{}' > .claude/settings.json; echo 'x = 1' > .codex/config.toml; echo x > .envrc",
  `${ARM}; echo ../inner/.git > .git/commondir`,
  "true",
].join("; ") + "; true";

/** Tries to write where panewright answers what the agent's hooks ask. */
const FORGE = 'cd "$HOME"/.local/state/panewright/hooks/*.answers && touch "$OLDPWD/SEEN" && ' +
  'echo yes > forged && touch "$OLDPWD/FORGED"; true';

for (const provider of PROVIDERS) {
  const label = CLI_LABELS[provider];

  Deno.test(`exec: a real ${label} in a sandbox around it gets nothing out of its folder, nor does the check`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const script = GET_OUT.replace("PORT", String((listener.addr as Deno.NetAddr).port));
    await using project = await pipelineProject({
      provider,
      turnFor: () => [
        { do: "shell", command: script },
        { do: "say", text: "Done." },
      ],
      config: {
        sandbox: "agent",
        pipelines: {
          main: [{ name: "work", prompt: "self", check: { type: "shell", command: `${script}; test -f INSIDE` } }],
        },
      },
    });
    const { home, project: folder, root } = project.sandbox;
    await Deno.mkdir(`${home}/.ssh`);
    await Deno.writeTextFile(`${home}/.ssh/id_test`, "a key\n");
    const run = await project.run("exec", "task.md", "--trust", "--no-input", "--verbose");
    assertEquals(run.code, 0, run.stderr + run.stdout);
    // The agent's own commands were tried, not only those of the check.
    assertMatch(run.stderr, new RegExp(`main-1: the sandbox refused: write ${RegExp.escape(home)}/OUTSIDE$`, "m"));
    // The check's program does it once more.
    for (
      const seen of [
        `attempt 1 of step "work": the sandbox refused: have git obey ${folder}/inner/.git/config, now config.refused`,
        `the run: the sandbox refused: have git obey ${folder}/.git/commondir, now commondir.refused2`,
      ]
    ) assertStringIncludes(run.stderr, seen);
    for (const place of [folder, `${folder}/inner`]) await shell(place, "git status");
    assertEquals(await exists(`${folder}/OBEYED`), false);
    for (const path of [`${home}/OUTSIDE`, `${root}/OUTSIDE`, `${home}/.local/state/panewright/OUTSIDE`]) {
      assertEquals(await exists(path), false, path);
    }
    assertEquals(await Deno.readTextFile(`${folder}/KEY`), "");
    assertEquals(await Deno.readTextFile(`${folder}/FROM_ZSH`), "from zsh\n");
    assertEquals(await exists(`${folder}/REACHED`), false);
    assertEquals(await exists(`${folder}/.git/hooks/pre-commit`), false);
    assertStringIncludes(run.stderr, "sandbox: around the whole agent");
    // Nothing that is shown inside is left, and nothing of it is taken for a change of what agents obey.
    for (const name of [".bashrc", ".claude", ".codex", ".envrc"]) {
      assertEquals(await exists(`${folder}/${name}`), false, name);
    }
    assertNotMatch(run.stderr, /what the next start obeys/);
    await project.sandbox.assertNothingLeft();
  });

  Deno.test(`exec: what a real ${label} asks in a sandbox around it reaches the person, and the answer it`, async () => {
    await using project = await pipelineProject({ provider, config: { sandbox: "agent" } });
    const stopped = await project.run("exec", "task.md", "--trust", "--no-input");
    assertEquals(stopped.code, 3, stopped.stderr);
    assertStringIncludes(stopped.stdout + stopped.stderr, "Which database?");
    for (const words of [["answer", "PostgreSQL"], ["resume", "--no-input"]]) {
      const { code, stderr } = await project.run(...words);
      assertEquals(code, 0, stderr);
    }
    assertStringIncludes(await Deno.readTextFile(`${project.sandbox.project}/database.txt`), "PostgreSQL");
    await project.sandbox.assertNothingLeft();
  });

  Deno.test(`exec: what the policy denies a real ${label} is denied in a sandbox around it, too`, async () => {
    await using project = await pipelineProject({
      provider,
      turnFor: () => [
        { do: "shell", command: "git push origin; touch PUSHED" },
        { do: "say", text: "Done." },
      ],
      config: {
        sandbox: "agent",
        permissions: { deny: ["git push"] },
        exec: { resume: "replay" },
        pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] },
      },
    });
    const run = await project.run("exec", "task.md", "--trust", "--no-input", "--verbose");
    assertStringIncludes(run.stderr, "git push");
    assertEquals(await exists(`${project.sandbox.project}/PUSHED`), false, run.stderr);
    await project.sandbox.assertNothingLeft();
  });

  Deno.test(`exec: nothing inside can answer what the hooks of a real ${label} in a sandbox around it ask`, async () => {
    await using project = await pipelineProject({
      provider,
      turnFor: () => [{ do: "shell", command: FORGE }, { do: "say", text: "Done." }],
      config: {
        sandbox: "agent",
        permissions: { deny: [{ tool: "mcp__of_nobody__*" }] },
        pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] },
      },
    });
    const run = await project.run("exec", "task.md", "--trust", "--no-input");
    const made = ["SEEN", "FORGED"].map((name) => exists(`${project.sandbox.project}/${name}`));
    assertEquals([run.code, ...await Promise.all(made)], [0, true, false], run.stderr);
  });

  Deno.test(`run: five agents of a real ${label} work in the sandbox around them, and nobody is asked anything`, async () => {
    const review =
      "REVIEW_RESULT: APPROVED\nREVIEW_NOTES:\n- The plan is complete for `greeting.txt` and `check.sh`.\n" +
      '- The scenario "hello, world" is covered.\n- Run `check.sh` afterwards.\n';
    const model = createReviewModel((name) => {
      if (name === "programmer_summary") {
        const commands = [`echo out > "$HOME/OUTSIDE"; ${ARM}; rm -f more; echo "hello, world" > greeting.txt`];
        return { commands, response: "greeting.txt says hello, world." };
      }
      if (name === "test_result") return { response: "I looked at it.\n\nRESULT: PASS" };
      return { response: name === "analyst_summary" ? "Plan: write greeting.txt, run check.sh." : review };
    });
    await using project = await reviewProject({
      provider,
      respond: model.respond,
      config: { sandbox: "agent", limits: { min_review_cycles_before_approval: 1, review_evidence_min_match: 0 } },
    });
    const { home, project: folder } = project.sandbox;
    const { code, stdout, stderr } = await project.run("run", "--json");
    assertEquals(code, 0, stderr + stdout);
    assertEquals(await Deno.readTextFile(`${folder}/greeting.txt`), "hello, world\n");
    assertEquals(await exists(`${home}/OUTSIDE`), false);
    const events = parseEvents(stdout);
    assertEquals(events.filter(({ type }) => type === "dialog_waiting" || type === "dialog_answered"), []);
    // What was refused is what an agent has tried, and nothing that its CLI does whenever it starts.
    const refused = events.filter(({ type }) => type === "sandbox_refused").map((event) => ({ ...event }));
    assertEquals(refused.map((event) => "what" in event ? event.what : ""), [
      `write ${home}/OUTSIDE`,
      `have git obey ${folder}/inner/.git/config, now config.refused`,
    ]);
    await shell(`${folder}/inner`, "git status");
    assertEquals(await exists(`${folder}/OBEYED`), false);
    // What its CLI records is found, wherever and under whichever process id it runs.
    const used = events.filter(({ type }) => type === "tokens_counted").map(({ role = "" }) => role);
    assertEquals(new Set(used).size, 5);
    await project.sandbox.assertNothingLeft();
  });

  Deno.test(`exec: when the process that holds the sandbox of a real ${label} is killed, another one takes its place, and the step is done`, async () => {
    let turns = 0;
    await using project = await pipelineProject({
      provider,
      turnFor: () => turns++ === 0 ? [{ do: "shell", command: HANG }] : [{ do: "say", text: "Done." }],
      config: {
        sandbox: "agent",
        pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] },
      },
    });
    const { project: folder } = project.sandbox;
    const running = project.run("exec", "task.md", "--trust", "--no-input");
    await until(() => exists(`${folder}/STARTED`));
    await killHost(folder);
    const { code, stderr, stdout } = await running;
    assertEquals(code, 0, stderr);
    assertStringIncludes(
      stdout + stderr,
      "the process that holds the sandbox is gone; the agents are started again (restart 1 of at most 2)",
    );
    await project.sandbox.assertNothingLeft();
    assertEquals(await exists(`${folder}/.bashrc`), false);
  });
}

Deno.test("run: when what holds the sandbox of real Codexes in panes is killed, and then panewright, they go on", async () => {
  let turns = 0;
  await using project = await reviewProject({
    respond(request) {
      const target = responseTargetOf(request.prompts.at(-1) ?? "");
      if (target === undefined || turns++ < 2) return [{ do: "shell", command: `echo ${turns} >> STARTED; sleep 300` }];
      return workTurn(target, { commands: ['echo "hello, world" > greeting.txt'], response: "It is there." });
    },
    config: { sandbox: "agent", loop: "solo" },
  });
  const { project: folder } = project.sandbox;
  const begun = (turn: number) => async () =>
    (await Deno.readTextFile(`${folder}/STARTED`).catch(() => "")).includes(`${turn}\n`);
  {
    await using running = project.start("run", "--trust");
    await until(begun(1));
    await killHost(folder);
    await until(begun(2));
    assertStringIncludes(running.output.stderr, "the agents are started again (restart 1 of at most 2)");
    running.kill("SIGKILL");
    await running.ended;
  }
  const { code, stderr, stdout } = await project.run("resume");
  assertEquals(code, 0, stderr + stdout);
  await project.sandbox.assertNothingLeft();
});

const HANG = "touch STARTED; sleep 300";

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 600; look++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it has not come to that");
}

/** Ends the process that holds the sandbox of this folder: it works there. */
async function killHost(folder: string): Promise<void> {
  const script = 'for p in $(pgrep -f sandbox-host); do [ "$(readlink /proc/$p/cwd)" = "$1" ] && kill -9 "$p"; done; :';
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  await runProgram(["sh", "-c", script, "sh", folder], { cwd: "/", env, timeoutMs: 20_000 });
}

Deno.test("exec: a host that is not named is asked about at the terminal, while the program that wants it waits", async () => {
  await using served = serveGreeting();
  await using project = await greetedProject(served);
  {
    await using terminal = await openPersonTerminal(project, { columns: 110, argv: ["sh"] });
    await terminal.command(...project.argv, "exec", "task.md", "--trust");
    await terminal.shows(
      new RegExp(`wants to reach 127\\.0\\.0\\.1:${served.port}, which sandbox_network does not name`),
    );
    await terminal.type("run");
    await terminal.press("C-m");
    const final = await terminal.shows(/^exit code \d/m);
    assertMatch(final, /^exit code 0/m);
    assertMatch(
      final,
      new RegExp(`a person lets programs in the sandbox reach 127\\.0\\.0\\.1:${served.port} until the run ends`),
    );
  }
  assertEquals(served.requests(), 1);
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec: who sits at no terminal is asked about a host as about all else", async () => {
  await using served = serveGreeting();
  await using project = await greetedProject(served);
  {
    await using terminal = await openPersonTerminal(project, { columns: 200, argv: ["sh"] });
    await terminal.command(...project.argv, "exec", "task.md", "--trust", "--detach");
    await terminal.shows(/^exit code 0/m);
    const questions = async () => {
      const { stdout } = await project.run("questions", "--json");
      return stdout.trim() === "" ? [] : stdout.trim().split("\n").map((line) => JSON.parse(line));
    };
    const [asked] = await untilSeen(questions, (seen) => seen.length > 0);
    assertEquals(asked.dialog.subject, `reach 127.0.0.1:${served.port}`);
    assertEquals(asked.reserved, true);
    assertEquals(served.requests(), 0);
    await terminal.command(...project.argv, "answer", asked.run, "--question", asked.id, "run");
    await terminal.shows(/^exit code 0/m);
    await terminal.command(...project.argv, "logs", asked.run, "--follow");
    assertMatch(await terminal.shows(/^exit code \d/m), /^exit code 0/m);
  }
  assertEquals(served.requests(), 1);
  await project.sandbox.assertNothingLeft();
});

Deno.test("exec: of a run that is killed no host is asked about until it is resumed, and then anew", async () => {
  await using served = serveGreeting();
  await using project = await greetedProject(served);
  const run = (await project.run("exec", "task.md", "--trust", "--detach")).stdout.trim();
  const idsOf = async () => {
    const { stdout } = await project.run("questions", "--json");
    return stdout.split("\n").flatMap((line) => line === "" ? [] : JSON.parse(line).id);
  };
  const status = async () => JSON.parse((await project.run("status", run, "--json")).stdout);
  await untilSeen(idsOf, (ids) => ids.length > 0);
  Deno.kill(Number(/\d+/.exec((await status()).owner)?.[0]), "SIGKILL");
  await untilSeen(status, ({ executed }) => !executed);
  assertEquals(await idsOf(), []);
  await project.run("resume", run, "--detach", "--trust");
  assertEquals(await untilSeen(idsOf, (ids) => ids.length > 0), ["q2"]);
  await project.run("stop", run);
  assertEquals(await idsOf(), []);
  assertEquals(served.requests(), 0);
});

/** A project whose agent gets a greeting from a host that is not named, and whose check looks for it. */
function greetedProject(served: { readonly port: number }) {
  return pipelineProject({
    turnFor: () => [
      {
        do: "shell",
        command: `curl -s -m 60 --noproxy '' http://127.0.0.1:${served.port}/greeting > greeting.txt; true`,
      },
      { do: "say", text: "Done." },
    ],
    config: {
      sandbox: "agent",
      pipelines: {
        main: [{ name: "fetch", prompt: "self", check: { type: "shell", command: "grep hello greeting.txt" } }],
      },
    },
  });
}

function serveGreeting() {
  let requests = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    requests++;
    return new Response("hello\n");
  });
  return { port: server.addr.port, requests: () => requests, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("a sandbox that is given up while it is being opened leaves no process, whenever that is", async () => {
  await using dir = await tempDir();
  const host = (folder: string) => {
    const argv = [Deno.execPath(), "run", "--allow-all", "--no-check", "--quiet", MAIN, "sandbox-host"] as const;
    const [program, ...args] = argv;
    const options = { args, cwd: folder, env: { TMPDIR: `${folder}/tmp` }, stdin: "piped", stdout: "piped" } as const;
    return new Deno.Command(program, options).spawn();
  };
  const opened = async (folder: string, giveUp: (told: Promise<unknown>) => Promise<unknown>) => {
    for (const name of ["tmp", "folder", "locks"]) await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    await using child = host(folder);
    const stdin = child.stdin.getWriter();
    const paths = { writable: [folder], folder: `${folder}/folder`, locks: `${folder}/locks` };
    await stdin.write(new TextEncoder().encode(`${JSON.stringify({ type: "open", hosts: [], ...paths })}\n`));
    const reader = child.stdout.getReader();
    const told = reader.read();
    const startedAt = systemClock.now();
    await giveUp(told);
    const took = systemClock.now() - startedAt;
    await stdin.close();
    await told;
    await reader.cancel();
    await child.status;
    const left = [...await listCommandLines()].filter(([, argv]) => argv.join(" ").includes(folder));
    assertEquals(left, [], `given up after ${took} ms`);
    return took;
  };
  const whole = await opened(`${dir.path}/0`, (told) => told);
  // Around the moment at which it would be open, where its own processes begin.
  for (let part = 1; part <= 12; part++) {
    await opened(`${dir.path}/${part}`, () => systemClock.sleep(whole * (0.7 + part * 0.025)));
  }
});
