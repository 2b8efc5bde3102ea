import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import type { Turn } from "../lab/steps.ts";
import { processesWith } from "../agents/process/support.ts";
import { callCli } from "../support/call_cli.ts";
import type { CliName } from "../support/clis.ts";
import { readRecords } from "../support/journal_records.ts";
import { startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { type PipelineProject, pipelineProject } from "./pipeline_project.ts";

const STEPS = [
  { name: "implement", prompt: "self", check: { type: "shell", command: "test -s cart.txt" } },
  {
    name: "review",
    prompt: "review.md",
    check: { type: "review" },
    next: { pass: "document", fail: "implement" },
  },
  { name: "document", prompt: "document.md", check: { type: "fileExists", path: "notes.txt" } },
];

/** The first implementation is wrong, and the second one right; in the second, the agent works until there is a file `go`. */
function turnFor(prompt: string): Turn {
  const isAgain = prompt.includes("this is round 2 of it");
  if (prompt.includes('YOUR STEP, "review"')) {
    return [{
      do: "say",
      text: isAgain ? "Right.\n\nREVIEW_RESULT: APPROVED" : "It rounds twice.\n\n**REVIEW_RESULT: REVISE**",
    }];
  }
  if (prompt.includes('YOUR STEP, "document"')) {
    return [{ do: "shell", command: "echo notes > notes.txt" }, { do: "say", text: "Documented." }];
  }
  return isAgain
    ? [
      { do: "shell", command: "touch working; until [ -e go ]; do sleep 0.1; done; echo right > cart.txt" },
      { do: "say", text: "It rounds once." },
    ]
    : [{ do: "shell", command: "echo wrong > cart.txt" }, { do: "say", text: "Implemented." }];
}

function flowProject(provider: CliName): Promise<PipelineProject> {
  return pipelineProject({ provider, config: { pipelines: { main: STEPS } }, turnFor });
}

async function writePrompts({ sandbox: { project } }: PipelineProject): Promise<void> {
  await Deno.writeTextFile(`${project}/review.md`, "Review:\n{{steps.implement.files}}\n");
  await Deno.writeTextFile(`${project}/document.md`, "Document what was done:\n{{steps.implement.final}}\n");
}

for (const [name, provider] of [["codex exec", "codex"], ["claude -p", "claude_code"]] as const) {
  Deno.test(`implement, review, implement again with the real ${name}, killed in the second round and resumed`, async () => {
    await using project = await flowProject(provider);
    const { sandbox, argv, env, prompts } = project;
    await writePrompts(project);
    const shown = await callCli(["exec", "task.md", "--dry-run"], { cwd: sandbox.project, env });
    assertEquals(shown.code, 0, shown.stderr);
    assertMatch(shown.stdout, /next +document where it passes, implement where a check says no; .* at most 5 times/);
    assertMatch(shown.stdout, /checks +the review approves/);
    assertEquals(prompts.length, 0);

    await using killed = startProgram([...argv, "exec", "task.md"], { cwd: sandbox.project, env });
    await until(() => [...Deno.readDirSync(sandbox.project)].some((entry) => entry.name === "working"));
    killed.kill("SIGKILL");
    await killed.ended;
    const [run] = [...Deno.readDirSync(`${sandbox.project}/.panewright/runs`)];
    const id = run?.name ?? "";
    assertMatch(
      (await callCli(["status", id], { cwd: sandbox.project, env })).stdout,
      /stood at +step 1 of 3, implement, round 2/,
    );

    await Deno.writeTextFile(`${sandbox.project}/go`, "");
    const resumed = await project.run("resume", id, "--junit", "report.xml");
    assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
    const journal = await readRecords(`${sandbox.project}/.panewright/runs/${id}/journal.ndjson`);
    const ends = journal.filter(({ type }) => type === "step_finished");
    assertEquals(ends.map(({ name, outcome, next }) => [name, outcome, next]), [
      ["implement", "pass", undefined],
      ["review", "fail", { step: 1, name: "implement", round: 2 }],
      ["implement", "pass", undefined],
      ["review", "pass", { step: 3, name: "document", round: 1 }],
      ["document", "pass", undefined],
    ]);
    assertEquals(await Deno.readTextFile(`${sandbox.project}/cart.txt`), "right\n");

    assertEquals(prompts.length, 6);
    assertMatch(prompts[1] ?? "", /Review:\s```text\scart\.txt\s```/);
    for (const prompt of [prompts[2], prompts[3]]) {
      assertMatch(prompt ?? "", /WHAT STEP "review" FOUND[^`]*```text\sIt rounds twice\./);
      assertMatch(prompt ?? "", /ROUND BEFORE[^`]*```text\sImplemented\./);
    }
    assertMatch(prompts[5] ?? "", /Document what was done:\s```text\sIt rounds once\.\s```/);
    const report = await Deno.readTextFile(`${sandbox.project}/report.xml`);
    assertMatch(report, /tests="3" failures="0" errors="0" skipped="0"/);
    const logs = (await callCli(["logs", id], { cwd: sandbox.project, env })).stdout;
    assertMatch(
      logs,
      /step 2 "review": FAIL after 1 attempt: the review says REVISE; next: step 1 "implement", round 2/,
    );
    assertMatch(logs, /step 1 "implement", round 2: /);
    assertNotMatch(logs, /undefined/);
    assertEquals(await processesWith(sandbox.root), []);
  });
}
