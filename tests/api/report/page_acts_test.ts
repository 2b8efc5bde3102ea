import { assertEquals, assertMatch } from "@std/assert";
import { exists } from "@std/fs";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { acpRoles } from "../../support/acp_roles.ts";
import { startBrowser, type TestPage, whyNoBrowser } from "../../support/browser.ts";
import { until } from "../../support/until.ts";

const missing = await whyNoBrowser();

function asksFor(name: string): FakeStep {
  return {
    permission: "make a file",
    command: `touch ${name}`,
    allowed: [{ write: name, text: "" }],
    rejected: [],
  };
}

const TESTER: FakeAgentScript = {
  turns: [
    { steps: [asksFor("made.txt"), asksFor("more.txt"), { respond: "RESULT: PASS" }] },
    { steps: [{ respond: "RESULT: PASS" }] },
  ],
};

/** Presses the button with that text, as soon as it can be pressed. */
async function press(page: TestPage, text: string): Promise<void> {
  const button = `[...document.querySelectorAll("button:not(:disabled)")]
    .find((one) => one.innerText.trim() === ${JSON.stringify(text)} && one.checkVisibility())`;
  await page.until(`${button} !== undefined`);
  await page.evaluate(`${button}.click()`);
}

Deno.test({
  name: "a real run is answered, stopped and resumed from the page of panewright serve" +
    (missing === undefined ? "" : ` (${missing})`),
  ignore: missing !== undefined,
  async fn() {
    const config = { start_agent: "tester", permissions: { auto_accept: true, default: "ask" } };
    await using stage = await acpRoles({ scripts: { tester: TESTER }, config });
    const { project } = stage.sandbox;
    await using run = stage.start("run");
    await stage.record("dialog_waiting");
    await using server = stage.start("serve", "--port", "0");
    const [, address] = await until(() => /Serving (\S+)/.exec(server.output.stdout), (found) => found !== null) ?? [];
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await page.goto(address!);
    await page.until(`document.querySelector(".listed") !== null`);
    await page.click(".listed a");
    await page.until(`document.querySelector(".question .subject")?.innerText === "touch made.txt"`);
    await press(page, "Yes, once");
    await page.until(`document.querySelector(".question .subject")?.innerText === "touch more.txt"`);
    assertEquals([await exists(`${project}/made.txt`), await exists(`${project}/more.txt`)], [true, false]);
    const { by } = await stage.record("dialog_answered");
    assertEquals(by, "http");

    await press(page, "Stop");
    await press(page, "Stop the run");
    assertEquals((await run.ended).code, 143);
    // The question stays open.
    await page.until(`document.querySelector(".outcome .badge").innerText === "Waiting for an answer"`);
    await press(page, "Resume");
    await press(page, "Resume the run");
    // There is no git on its PATH, to look into that with.
    await page.until(`document.querySelector(".outcome .badge").innerText === "Passed, with remarks"`);
    assertEquals(await page.evaluate(`document.querySelector(".question") === null`), true);
    assertEquals(await exists(`${project}/more.txt`), false);
    assertMatch(await page.evaluate("document.title"), /^✓ /);
    assertEquals(page.problems, []);
  },
});
