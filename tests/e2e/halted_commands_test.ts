import { assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { CLI_LABELS } from "../support/clis.ts";
import { pipelineProject } from "./pipeline_project.ts";

/** Commands that would go on when their ask ends, or when a signal tells them to end. */
const STUBBORN = [
  `trap '' TERM INT HUP; panewright ask "Go?"; touch LATE`,
  `trap 'touch LATE' TERM INT HUP EXIT; panewright ask "Go?"; touch LATE`,
  `(trap '' TERM; panewright ask "Go?" || true; touch LATE) & wait; touch LATE`,
  `sh -c 'trap "" TERM INT; panewright ask "Go?"; touch LATE'; touch LATE`,
];

for (const provider of ["codex", "claude_code"] as const) {
  for (const [number, command] of STUBBORN.entries()) {
    Deno.test(`exec: nothing behind an ask of a real ${CLI_LABELS[provider]} runs while it is open, whatever traps there are (${number + 1})`, async () => {
      await using project = await pipelineProject({
        provider,
        turnFor: () => [{ do: "shell", command }, { do: "shell", command: "touch LATE" }, { do: "say", text: "Done." }],
        config: { pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] } },
      });
      const stopped = await project.run("exec", "task.md", "--trust", "--no-input");
      assertEquals(stopped.code, 3, stopped.stderr);
      assertEquals(await exists(`${project.sandbox.project}/LATE`), false);
      await project.sandbox.assertNothingLeft();
    });
  }
}
