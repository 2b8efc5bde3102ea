import { openAcpTurns } from "./acp_turns.ts";

const turns = await openAcpTurns();

Deno.bench({
  name: "from the end of a turn over ACP to its response being consumed (p50 to stay under 10 ms)",
  n: 50,
  warmup: 3,
  async fn(b) {
    const turn = await turns.next();
    b.start();
    await turn.end();
    b.end();
  },
});

globalThis.addEventListener("unload", () => void turns[Symbol.asyncDispose]());
