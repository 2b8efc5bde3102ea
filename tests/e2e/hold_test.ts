import { assertEquals } from "@std/assert";
import { playTurn } from "../../lib/turn/play_turn.ts";
import { responsePathFor } from "../../lib/turn/response_files.ts";
import { sendKeys } from "../../lib/tmux/input.ts";
import { CLI_LABELS } from "../support/clis.ts";
import { until } from "../support/until.ts";
import { setUpStage } from "./agent_stage.ts";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`a real ${CLI_LABELS[provider]} that a person keeps at work, with a draft after it, gets its prompt once`, async () => {
    const prompts: string[] = [];
    await using stage = await setUpStage({
      provider,
      respond({ prompts: all }) {
        const prompt = all.at(-1) ?? "";
        prompts.push(prompt);
        if (prompt.includes("person")) return [{ do: "hold" }, { do: "say", text: "The answer." }];
        Deno.writeTextFileSync(responsePathFor(stage.sandbox.project, "tester"), "the response");
        return [{ do: "say", text: "Written." }];
      },
    });
    const { server, session, sandbox } = stage;
    const agent = await stage.start();
    const { paneId } = agent.pane;
    await agent.submit("What does a person ask?");
    await server.log.waitFor((entry) => entry.event === "step" && entry.step === "hold", { timeoutMs: 15_000 });

    const held: (string | undefined)[] = [];
    const keys: Promise<unknown>[] = [];
    const typeDraft = async () => {
      await sendKeys(session.client, paneId, { keys: ["w", "a", "i", "t"] });
      await until(() => agent.hasDraft());
      server.release();
    };
    const response = await playTurn(agent, {
      role: "tester",
      message: "The prompt of the turn.",
      workdir: sandbox.project,
      settings: { pollSeconds: 0.2 },
      emit(event) {
        if (event.type !== "held" && event.type !== "released") return;
        const now = event.type === "held" ? event.held : undefined;
        held.push(now?.obstacle);
        if (now?.obstacle === "at_work") keys.push(typeDraft());
        if (now?.obstacle === "draft") {
          keys.push(sendKeys(session.client, paneId, { keys: ["BSpace", "BSpace", "BSpace", "BSpace"] }));
        }
      },
    });
    await Promise.all(keys);
    assertEquals([response, held], ["the response", ["at_work", "draft", undefined]]);
    assertEquals(prompts, ["What does a person ask?", "The prompt of the turn."]);
  });
}
