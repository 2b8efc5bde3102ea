import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { CLI_LABELS } from "../support/clis.ts";
import { pipelineProject } from "./pipeline_project.ts";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`exec: with --keep-going the tasks after one of a real ${CLI_LABELS[provider]} that asks are done, and it goes on with its answer`, async () => {
    await using project = await pipelineProject({
      provider,
      turnFor(prompt) {
        const [number = "?"] = /TASK-(\d)/.exec(prompt)?.slice(1) ?? [];
        const answer = /The answer of the person to it:\s`{3}text\s(.*?)\s`{3}/.exec(prompt)?.[1];
        if (number === "3" && answer === undefined) return [{ do: "shell", command: 'panewright ask "Which one?"' }];
        return [{ do: "shell", command: `echo '${answer ?? "done"}' > done-${number}.txt` }, {
          do: "say",
          text: "Done.",
        }];
      },
      config: { pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] } },
    });
    const { project: folder } = project.sandbox;
    await Deno.mkdir(`${folder}/tasks`);
    for (const number of [1, 2, 3, 4]) await Deno.writeTextFile(`${folder}/tasks/${number}.md`, `Do TASK-${number}.\n`);
    const options = ["--keep-going", "--trust", "--no-input", "--junit", "junit.xml"];
    const night = await project.run("exec", "tasks", ...options);
    assertEquals(night.code, 3, night.stderr);
    for (const number of [1, 2, 4]) assertEquals(await exists(`${folder}/done-${number}.txt`), true, night.stderr);
    assertEquals(await exists(`${folder}/done-3.txt`), false);
    const junit = await Deno.readTextFile(`${folder}/junit.xml`);
    assertEquals([...junit.matchAll(/<testsuite name="([^"]+)"/g)].map(([, name]) => name), ["1", "2", "3", "4"]);
    assertStringIncludes(junit, '<error message="question q1');
    assertStringIncludes((await project.run("questions")).stdout, "Which one?");
    assertEquals((await project.run("answer", "This one")).code, 0);
    const morning = await project.run("resume", "--no-input");
    assertEquals(morning.code, 0, morning.stderr);
    assertEquals(await Deno.readTextFile(`${folder}/done-3.txt`), "This one\n");
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("exec: without --keep-going the tasks after one that asks are listed as not begun", async () => {
  await using project = await pipelineProject({
    turnFor: (prompt) =>
      prompt.includes("TASK-2")
        ? [{ do: "shell", command: 'panewright ask "Which one?"' }]
        : [{ do: "say", text: "Done." }],
    config: { pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] } },
  });
  const { project: folder } = project.sandbox;
  await Deno.mkdir(`${folder}/tasks`);
  for (const number of [1, 2, 3, 4]) await Deno.writeTextFile(`${folder}/tasks/${number}.md`, `Do TASK-${number}.\n`);
  const night = await project.run("exec", "tasks", "--trust", "--no-input", "--junit", "junit.xml");
  assertEquals(night.code, 3, night.stderr);
  assertStringIncludes(night.stderr, "2 tasks not begun: 3, 4");
  const junit = await Deno.readTextFile(`${folder}/junit.xml`);
  assertEquals([...junit.matchAll(/<testsuite name="([^"]+)"/g)].map(([, name]) => name), ["1", "2", "3", "4"]);
  assertEquals([...junit.matchAll(/<skipped message="not begun"/g)].length, 2);
});
