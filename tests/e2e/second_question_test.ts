import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Turn } from "../lab/steps.ts";
import { CLI_LABELS } from "../support/clis.ts";
import { pipelineProject } from "./pipeline_project.ts";

const FORMS: Readonly<Record<string, Turn>> = {
  "by commands in the background": [
    { do: "shell", command: `panewright ask "Which colour?" & panewright ask "Which size?" & wait; touch LATE` },
  ],
  "by two calls of one reply": [
    { do: "shell", command: `panewright ask "Which colour?"` },
    { do: "shell", command: `panewright ask "Which size?"; touch LATE` },
  ],
};

const done: Turn = [{ do: "say", text: "All done." }];

for (const provider of ["codex", "claude_code"] as const) {
  for (const [how, asks] of Object.entries(FORMS)) {
    Deno.test(`exec: two questions of a real ${CLI_LABELS[provider]} at the same time, ${how}, are both asked, and both answers reach it`, async () => {
      await using project = await pipelineProject({
        provider,
        resume: "native",
        turnFor: (prompt) => prompt.includes("The answer") ? done : [...asks, ...done],
        config: { pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] } },
      });
      const stopped = await project.run("exec", "task.md", "--trust", "--no-input");
      assertEquals(stopped.code, 3, stopped.stderr);
      const listed = (await project.run("questions", "--json")).stdout.trim().split("\n").map((line) =>
        JSON.parse(line)
      );
      assertEquals(listed.map(({ text }) => text).sort(), ["Which colour?", "Which size?"]);
      assertEquals(listed.map(({ id }) => id).sort(), ["q1", "q2"]);
      const [{ run }] = listed;
      for (const text of ["Which colour?", "Which size?"]) assertStringIncludes(stopped.stdout, text);
      const answerTo = (text: string) => listed.find((one) => one.text === text).id;

      assertEquals((await project.run("answer", run, "--question", answerTo("Which size?"), "Large")).code, 0);
      const waiting = await project.run("resume", run, "--no-input");
      assertEquals(waiting.code, 3, waiting.stderr);
      assertEquals((await project.run("answer", run, "--question", answerTo("Which colour?"), "Blue")).code, 0);
      const resumed = await project.run("resume", run, "--no-input");
      assertEquals(resumed.code, 0, resumed.stderr);
      const prompt = project.prompts.at(-1) ?? "";
      assertMatch(prompt, /Which colour\?[\s\S]*Blue/);
      assertMatch(prompt, /Which size\?[\s\S]*Large/);
      await project.sandbox.assertNothingLeft();
    });
  }
}
