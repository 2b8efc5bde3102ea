/** A person works in the session of an agent, and hands it back: the run goes on in the same session. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { processesWith } from "../agents/process/support.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { until } from "../support/until.ts";
import { cliProject, type CliProjectOptions } from "./cli_project.ts";
import { reviewProject } from "./review_project.ts";

/** The agent begins and does not come to an end; a person has it write a file; then it finishes. */
function respond({ prompts }: ModelRequest): Turn {
  const prompt = prompts.at(-1) ?? "";
  if (prompt.includes("A PERSON HAS STOPPED YOU TO SAY") && prompt.includes("Write the whole")) {
    return [{ do: "shell", command: "echo whole > work.txt; echo hand > hand.txt" }, { do: "say", text: "I have." }];
  }
  if (prompt.includes("hands it back to you")) {
    return [{ do: "shell", command: "echo whole > work.txt" }, { do: "say", text: "The work is whole." }];
  }
  if (prompt.includes("Write it by hand")) {
    return [{ do: "shell", command: "echo hand > hand.txt" }, { do: "say", text: "It is written by hand." }];
  }
  return [
    { do: "say", text: "I begin.", phase: "commentary" },
    { do: "shell", command: "echo half > work.txt" },
    { do: "wait", ms: 600_000 },
    { do: "say", text: "Never said." },
  ];
}

/** A project whose agent works so; `prompts` gets what it is asked. */
function steppedProject(
  provider: CliName,
  { files, prompts }: Required<Pick<CliProjectOptions, "files">> & { readonly prompts: string[] },
) {
  return cliProject({
    ...{ provider, files, isRepository: true },
    respond(request) {
      prompts.push(request.prompts.at(-1) ?? "");
      return respond(request);
    },
  });
}

/** Keys that come faster than a person's are taken for what is pasted. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 1500));

const LEAVE: Readonly<Record<CliName, string>> = { codex: "/quit", claude_code: "/exit" };

const PLACES = [["codex", "off"], ["claude_code", "off"], ["codex", "agent"], ["claude_code", "agent"]] as const;

for (const [provider, sandbox] of PLACES) {
  const where = sandbox === "off" ? "" : ", in the sandbox around it";
  Deno.test(`takeover: a person works in the session of a step's ${CLI_LABELS[provider]}${where}, and the step goes on in it`, async () => {
    const prompts: string[] = [];
    await using project = await steppedProject(provider, {
      prompts,
      files: {
        "task.md": "Do the work.\n",
        "panewright.jsonc": {
          ...{ provider, sandbox },
          providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
          pipelines: {
            main: [{
              name: "work",
              prompt: "self",
              check: { type: "shell", command: "grep -q whole work.txt && test -f hand.txt" },
            }],
          },
        },
      },
    });
    const { sandbox: { project: folder } } = project;
    await using run = project.start("exec", "task.md");
    await until(() => exists(`${folder}/work.txt`), (found) => found);
    await using terminal = await openPersonTerminal(project, { rows: 50 });
    await terminal.command(...project.argv, "takeover");
    await terminal.shows(sandbox === "off" ? /of work, outside of any sandbox/ : /of work, in the sandbox of the run/);
    assertEquals((await run.ended).code, 143);
    await terminal.shows(/I begin\./);
    await terminal.type("Write it by hand");
    await terminal.shows(/Write it by hand/);
    // Enter right behind what was typed is taken for a part of it.
    const enter = async (shown: string) => {
      await until(
        async () => {
          await terminal.press("Enter");
          await settled();
          return await terminal.screen();
        },
        (screen) => screen.includes(shown),
        String,
      );
    };
    await enter("It is written by hand");
    await terminal.type(LEAVE[provider]);
    await enter("hands it back");
    assertMatch(await terminal.shows(/^exit code \d+/m), /^exit code 0/m);
    assertEquals(await Deno.readTextFile(`${folder}/work.txt`), "whole\n");
    const journal = (await Deno.readTextFile(`${folder}/.panewright/runs/${project.runId()}/journal.ndjson`)).split(
      "\n",
    )
      .filter((line) => line !== "").map((line) => JSON.parse(line));
    const [first, second] = journal.filter(({ type }) => type === "attempt_started");
    const resumed = journal.find(({ type }) => type === "run_resumed");
    const sessions = journal.filter(({ type }) => type === "session_found").map(({ sessionId }) => sessionId);
    assertEquals([first.reason, second.reason], ["first", "handed_back"]);
    assertEquals(new Set([resumed.handedBack, ...sessions]).size, 1);
    // Told once, in the session: it knows the rest.
    const told = prompts.find((prompt) => prompt.includes("hands it back"))!;
    assertEquals(told.includes("Do the work."), false);
    assertStringIncludes(told, "What they said and did in it holds");
    await terminal[Symbol.asyncDispose]();
    assertEquals(await processesWith(project.sandbox.root), []);
  });
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`resume --message: a step of a real ${CLI_LABELS[provider]} that was stopped hears a person in its session`, async () => {
    const prompts: string[] = [];
    await using project = await steppedProject(provider, {
      prompts,
      files: { "check.sh": "grep -q whole work.txt && test -f hand.txt\n" },
    });
    const { sandbox: { project: folder } } = project;
    await using run = project.start("exec", "Do the work", "--check", "sh check.sh", "--trust");
    await until(() => exists(`${folder}/work.txt`), (found) => found);
    const unheard = await project.run("resume", "--message", "Write the whole");
    assertEquals(unheard.code, 2);
    assertMatch(unheard.stderr, /it is being executed\n.*panewright stop/);
    assertEquals((await project.run("stop")).code, 0);
    await run.ended;
    const { code, stderr, stdout } = await project.run("resume", "--message", "Write the whole by hand, please");
    assertEquals(code, 0, stderr + stdout);
    assertStringIncludes(stderr, "a person says: Write the whole by hand, please");
    const told = prompts.find((prompt) => prompt.includes("Write the whole by hand, please"))!;
    // In its session it knows the task.
    assertEquals(told.includes("Do the work"), false, told);
    const over = await project.run("resume", project.runId(), "--message", "More");
    assertEquals(over.code, 2);
    assertMatch(over.stderr, /it is over \(passed\)/);
  });
}

Deno.test("takeover: a role's session in its pane, and the loop goes on; refused without a terminal and where nothing can be taken", async () => {
  await using project = await reviewProject({ config: { loop: "solo" }, thinkMs: 4000 });
  const none = await project.run("takeover");
  assertEquals(none.code, 2);
  await using run = project.start("run", "panewright.jsonc");
  const journal = () =>
    Promise.try(() =>
      Deno.readTextFile(`${project.sandbox.project}/.panewright/runs/${project.runId()}/journal.ndjson`)
    )
      .catch(() => "");
  await until(journal, (text) => text.includes('"agent_session"') && text.includes('"message_sent"'));
  const refused = await project.run("takeover");
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "this is not a terminal");
  await using terminal = await openPersonTerminal(project, { rows: 50 });
  await terminal.command(...project.argv, "takeover", "@1", "testr");
  await terminal.shows(/Cannot take over "testr": there is no such role \(did you mean "tester"\?\)/);
  await terminal.command(...project.argv, "takeover", "@1", "programmer");
  await terminal.shows(/This is the session of programmer/);
  await run.ended;
  await terminal.shows(/Conversation interrupted/);
  await settled();
  await terminal.type(LEAVE.codex);
  await until(
    async () => {
      await terminal.press("Enter");
      await settled();
      return await terminal.screen();
    },
    (screen) => screen.includes("hands it back"),
    String,
  );
  assertMatch(await terminal.shows(/^exit code \d+/m), /^exit code 0/m);
  assertEquals(await Deno.readTextFile(`${project.sandbox.project}/greeting.txt`), "hello, world\n");
  assertStringIncludes(await journal(), '"handedBack":"');
  await terminal[Symbol.asyncDispose]();
  await project.sandbox.assertNothingLeft();
});
