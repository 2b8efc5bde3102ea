import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
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

Deno.test("an agent that starts at work is not ready, and the error shows why", async () => {
  const rows = "\x1b[2m•\x1b[0m \x1b[2mWorking (1s • esc to interrupt)\x1b[0m\n\n";
  const look = readScreen(parseScreen(`  >_ OpenAI Codex (v0.169.0)\n\n${rows}${COMPOSER}`), CODEX_RULES);
  assertEquals(look.classification.status, "processing");
  const pane = { name: "analyst", look: () => Promise.resolve(look), clock: stillClock() };
  const error = await assertRejects(
    () => waitUntilReady({ ...pane, provider: codexProvider, timeoutMs: 1500 }),
    RuntimeError,
    "not ready within 1.5 s",
  );
  assertStringIncludes(error.message, "Working");
});
