import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { Step } from "../lab/steps.ts";
import { panewrightCommands, panewrightFromSource } from "../support/panewright.ts";
import { type PipelineProject, pipelineProject } from "./pipeline_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const done: Step = { do: "say", text: "All done." };

async function project(
  provider: "codex" | "claude_code",
  { check, first }: { readonly check: string; readonly first: string },
): Promise<PipelineProject> {
  const bundle = (await panewrightCommands()).find(({ name }) => name === "bundle") ?? await panewrightFromSource();
  const made = await pipelineProject({
    panewright: bundle,
    provider,
    turnFor: (prompt) => prompt.includes("blue") ? [done] : [shell(first), ...(first.includes("ask") ? [] : [done])],
    config: { pipelines: { main: [{ name: "build", prompt: "self", check: { type: "shell", command: check } }] } },
  });
  await Deno.mkdir(`${made.sandbox.project}/scripts`);
  await Deno.writeTextFile(
    `${made.sandbox.project}/scripts/check.sh`,
    '. "$(dirname "$0")/lib.sh"\ntouch CHECKED\ntest -f made\n',
  );
  await Deno.writeTextFile(`${made.sandbox.project}/scripts/lib.sh`, "touch NEIGHBOUR\n");
  return made;
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`contract, ${provider}: a check that an agent rewrites is not run, whatever trusts the config`, async () => {
    await using made = await project(provider, {
      check: "test -f made",
      first: `touch made; sed -i 's/test -f made/touch EVIL; true/' panewright.jsonc; panewright ask "Which colour?"`,
    });
    const there = (name: string) => exists(`${made.sandbox.project}/${name}`);
    const stopped = await made.run("exec", "task.md", "--trust", "--no-input");
    assertEquals(stopped.code, 3, stopped.stderr);
    const [run = ""] = [...Deno.readDirSync(`${made.sandbox.project}/.panewright/runs`)].map(({ name }) => name);
    assertEquals((await made.run("answer", run, "--question", "q1", "blue", "--trust")).code, 0);
    const refused = await made.run("resume", run, "--trust", "--no-input");
    assertEquals([refused.code, await there("EVIL")], [2, false], refused.stderr);
    assertMatch(refused.stderr, /\n *-.*test -f made.*\n *\+.*touch EVIL; true/);
    const [, command = ""] = /accept the change with: panewright (.*)/.exec(refused.stderr) ?? [];
    assertEquals(command, `resume ${run} --no-input --trust --accept-changes`);
    const accepted = await made.run(...command.split(" "));
    assertEquals([accepted.code, await there("EVIL")], [0, true], accepted.stderr);
    for (const format of [["logs", run], ["report", run, "--format", "md"]]) {
      assertStringIncludes((await made.run(...format)).stdout, "a person accepted what is not as it was");
    }
  });

  Deno.test(`contract, ${provider}: a script that a check names is run as it was when the run began`, async () => {
    await using made = await project(provider, {
      check: "sh scripts/check.sh",
      first: "touch made; echo 'touch EVIL' > scripts/check.sh; sed -i 's/check.sh/evil.sh/' panewright.jsonc",
    });
    const { project: folder } = made.sandbox;
    const ran = await made.run("exec", "task.md", "--trust", "--no-input");
    assertEquals(ran.code, 0, ran.stderr);
    const there = await Promise.all(["EVIL", "CHECKED", "NEIGHBOUR"].map((name) => exists(`${folder}/${name}`)));
    assertEquals(there, [false, true, true]);
    assertStringIncludes(ran.stderr, "scripts/check.sh was changed after the run began: what it was then is run");
    assertStringIncludes(ran.stderr, "panewright.jsonc was changed after the run began: this run goes by what it was");
    assertEquals(await Deno.readTextFile(`${folder}/scripts/check.sh`), "touch EVIL\n");
    assertEquals([...Deno.readDirSync(`${folder}/scripts`)].map(({ name }) => name).toSorted(), ["check.sh", "lib.sh"]);
  });
}
