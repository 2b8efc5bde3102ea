import { assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { BUNDLE, panewrightBundle } from "../asks/bundle.ts";
import { runAsks } from "../asks/run_asks.ts";

/** Another one each time, unless PANEWRIGHT_ASKS_SEED says which. */
const SEED = Number(Deno.env.get("PANEWRIGHT_ASKS_SEED") ?? Date.now() % 1_000_000);

/** `deno task test:asks` is the long form. */
Deno.test({
  name:
    `asks by the front door, and kills while they are halted and answered: each is asked once, none is passed by (seed ${SEED})`,
  ignore: !await exists(BUNDLE),
  async fn() {
    await using panewright = await panewrightBundle();
    const said: string[] = [];
    const { failures } = await runAsks({
      panewright,
      asks: 2,
      kills: 4,
      seed: SEED,
      jobs: 2,
      say: (text) => said.push(text),
      signal: new AbortController().signal,
    });
    assertEquals(failures, [], said.join("\n"));
  },
});
