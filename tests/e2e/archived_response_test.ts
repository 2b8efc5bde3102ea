import { assert, assertEquals } from "@std/assert";
import { isAtRest, type TerminalStatus } from "../../lib/base/status.ts";
import type { Step } from "../lab/steps.ts";
import { CLI_LABELS } from "../support/clis.ts";
import { until } from "../support/until.ts";
import { setUpStage } from "./agent_stage.ts";

const CONTENT = "The whole report of the programmer.";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`a real ${CLI_LABELS[provider]} that asks before it acts reads an archived response without asking`, async () => {
    let path = "";
    const bodies: string[] = [];
    const read = (): Step =>
      provider === "codex"
        ? { do: "shell", command: `cat '${path}'` }
        : { do: "call", tool: "Read", input: { file_path: path } };
    await using stage = await setUpStage({
      provider,
      guarded: true,
      respond({ body }) {
        bodies.push(JSON.stringify(body));
        return bodies.length === 1
          ? [read(), { do: "say", text: "I have read it." }]
          : [{ do: "say", text: "It is fine." }];
      },
    });
    const folder = `${stage.sandbox.project}/.panewright/runs/20261122-080000-aaaa/responses`;
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    path = `${folder}/001-programmer.md`;
    await Deno.writeTextFile(path, CONTENT, { mode: 0o600 });
    const agent = await stage.start();
    const seen = new Set<TerminalStatus>();
    for (const [count, prompt] of [[1, "Read what is missing."], [2, "What do you say to it?"]] as const) {
      await agent.submit(prompt);
      await until(async () => {
        const { status } = await agent.status();
        seen.add(status);
        return (isAtRest(status) && bodies.length === count) || status === "waiting_user_answer";
      });
    }
    assertEquals(seen.has("waiting_user_answer"), false);
    assert(!bodies[0]!.includes(CONTENT) && bodies[1]!.includes(CONTENT), "what was read reached the model");
  });
}
