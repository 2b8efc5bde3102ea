import type { FailureClass } from "../../lib/base/terms.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../tmux/support.ts";
import { setUpStage, untilStatus } from "./agent_stage.ts";

/** What the model server answers, and of which class what the CLI then says is. */
const ANSWERS: readonly (readonly [status: number, FailureClass])[] = [
  [400, "other"],
  [401, "auth"],
  [429, "rate_limit"],
  [500, "overloaded"],
];

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`a real ${provider} that its server refuses says why, and its record proves that the turn is over`, async () => {
    let answer = 0;
    await using stage = await setUpStage({
      provider,
      respond: () => [{ do: "refuse", status: answer, times: 20, message: "refused by the test" }],
      async prepare({ home }) {
        if (provider !== "claude_code") return;
        const path = `${home}/.claude/settings.json`;
        const settings = JSON.parse(await Deno.readTextFile(path));
        await Deno.writeTextFile(path, JSON.stringify({ ...settings, env: { CLAUDE_CODE_MAX_RETRIES: "0" } }));
      },
    });
    const agent = await stage.start();
    for (const [status, expected] of ANSWERS) {
      answer = status;
      await agent.submit(`Answer with ${status}, please.`);
      await untilStatus(agent, "error", { timeoutMs: 60_000 });
      const failure = await until(() => agent.failure(), (one) => one?.isTurnOver === true);
      assert(failure !== undefined);
      assertEquals([status, failure.class], [status, expected]);
      assertMatch(
        failure.evidence,
        /^rule turn-error\S* on row \d+ of its screen; .+ in its (?:session log|transcript)$/,
      );
    }
  });
}
