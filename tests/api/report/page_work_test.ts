import { assertEquals, assertMatch } from "@std/assert";
import { exists } from "@std/fs";
import { linesOf } from "../../../lib/page/work.tsx";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { execProject } from "../../cli/commands/exec_project.ts";
import { startBrowser, type TestPage, whyNoBrowser } from "../../support/browser.ts";
import { runProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const missing = await whyNoBrowser();

Deno.test("each line of a patch knows its file and its number in the result; what is gone has none", () => {
  const patch =
    "diff --git a/a.js b/a.js\nindex 1..2 100644\n--- a/a.js\n+++ b/a.js\n@@ -1,3 +1,3 @@\n same\n-old\n+new\n last\n" +
    "@@ -9,0 +10 @@\n+++ b/no-file\n";
  assertEquals(linesOf(patch).flatMap(({ at, text }) => at === undefined ? [] : [[at, text]]), [
    ["a.js:1", " same"],
    ["a.js:2", "+new"],
    ["a.js:3", " last"],
    ["a.js:10", "+++ b/no-file"],
  ]);
});

async function press(page: TestPage, text: string): Promise<void> {
  const button = `[...document.querySelectorAll("button:not(:disabled)")]
    .find((one) => one.innerText.trim() === ${JSON.stringify(text)} && one.checkVisibility())`;
  await page.until(`${button} !== undefined`);
  await page.evaluate(`${button}.click()`);
}

function typing(selector: string, text: string): string {
  return `const box = document.querySelector(${JSON.stringify(selector)}); box.value = ${JSON.stringify(text)};
    box.dispatchEvent(new Event("input", { bubbles: true }));`;
}

Deno.test({
  name:
    "a task is started, and what was done in a workspace is looked at, commented on, applied and discarded, all from the page" +
    (missing === undefined ? "" : ` (${missing})`),
  ignore: missing !== undefined,
  async fn() {
    await using project = await execProject();
    const git = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
    const begun = await runProgram(["sh", "-c", git], { cwd: project.path, env: project.env, timeoutMs: 20_000 });
    assertEquals(begun.code, 0, begun.stderr);
    assertEquals((await project.run("trust", "--yes")).code, 0);
    await using server = project.start("serve", "--port", "0");
    const [, address] = await until(() => /Serving (\S+)/.exec(server.output.stdout), (found) => found !== null) ?? [];
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await page.goto(address!);
    await page.until(`document.querySelector(".start textarea") !== null`);
    await page.evaluate(`{ ${typing(".start textarea", "Build a login.")} }`);
    await press(page, "Start in a workspace");
    await page.until(`document.querySelector(".work .files")?.innerText.includes("done-3") === true`);

    await page.click(".work summary");
    await page.until(`document.querySelector(".work .patch") !== null`);
    assertMatch(String(await page.evaluate(`document.querySelector(".work .patch").innerText`)), /done-1/);
    assertEquals(await exists(`${project.path}/done-1`), false);
    await press(page, "Apply to the checkout");
    await page.until(`document.querySelector(".work .good")?.innerText === "In the checkout: done-1, done-2, done-3"`);
    assertEquals(await exists(`${project.path}/done-1`), true);

    // A draft is not lost with the page.
    await page.evaluate(`{ ${typing(".work textarea", "Once more, please")} }`);
    await page.evaluate("location.reload()");
    await page.until(`document.querySelector(".work textarea")?.value === "Once more, please"`);
    await press(page, "Reply");
    await page.until(`document.querySelector(".work .good a") !== null`);
    await page.click(".work .good a");
    await page.until(`document.querySelector(".work .files")?.innerText.includes("done-6") === true`);
    assertMatch((await project.prompts()).at(-2) ?? "", /Once more, please/);

    await press(page, "Discard");
    await press(page, "Remove it");
    await page.until(`document.querySelector(".work .good")?.innerText.startsWith("The workspace is gone.") === true`);
    assertMatch((await project.run("workspaces")).stdout, /There are no workspaces/);

    // What a run in the checkout itself has changed can be looked at.
    const inCheckout = await project.run("exec", "Build it once more.");
    assertEquals(inCheckout.code, 0, inCheckout.stderr);
    const [run = ""] = await listRunIds(project.path);
    const { changes } = JSON.parse((await project.run("show", run, "--json")).stdout);
    const path = changes.files.at(-1).path;
    await page.goto(`${new URL(address!).origin}/runs/${run}`);
    await page.until(`document.querySelector(".work .files")?.innerText.includes(${JSON.stringify(path)}) === true`);
    await page.click(".work summary");
    await page.until(`document.querySelector(".work .patch")?.innerText.includes(${JSON.stringify(path)}) === true`);
    assertEquals(await page.evaluate(`document.querySelector(".work button") === null`), true);
    assertEquals(page.problems, []);
  },
});
