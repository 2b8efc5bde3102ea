import { assertEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../../lib/base/errors.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import { codexProvider } from "../../../lib/agents/codex/provider.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import { waitUntilReady } from "../../../lib/agents/pane/startup.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { stillClock } from "../../support/still_clock.ts";

const COMPOSER = "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m\n\n  gpt-6.1-sol default · /work\n";
const REFUSED = "\x1b[1;2m› \x1b[0mDo it\n\n\x1b[31m■ unexpected status 401 Unauthorized\x1b[0m\n\n";

Deno.test("an agent that shows an error when it starts is ready only where that may be its earlier session's", async () => {
  const look = readScreen(parseScreen(`${REFUSED}${COMPOSER}`), CODEX_RULES);
  assertEquals(look.classification.status, "error");
  const about = { name: "tester", provider: codexProvider, timeoutMs: 60_000 } as const;
  const start = (resumes: boolean) =>
    waitUntilReady({ ...about, look: () => Promise.resolve(look), clock: stillClock(), resumes });
  await start(true);
  await assertRejects(() => start(false), RuntimeError, "was not ready within 60 s (status error, rule turn-error)");
});
