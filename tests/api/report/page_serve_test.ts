import { assertEquals, assertStringIncludes } from "@std/assert";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { startBrowser, whyNoBrowser } from "../../support/browser.ts";
import { agentReady, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { testServer, TOKEN } from "../http/support.ts";

const missing = await whyNoBrowser();

function line(fact: object): string {
  return `${JSON.stringify({ at: "2026-11-20T08:00:00Z", ...fact })}\n`;
}

Deno.test({
  name: "the pages of the real server: a run is found, followed, cut and followed on, and its details are opened" +
    (missing === undefined ? "" : ` (${missing})`),
  ignore: missing !== undefined,
  async fn() {
    await using dir = await tempDir();
    const folder = await writeReview(dir, [...agentReady()]);
    using _held = await tryLockFile(folder.lockPath, "process 1");
    const hosts = new Set<string>();
    await using server = testServer(dir.path, { hosts });
    const http = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => server.app.fetch(request, { client: "127.0.0.1" }),
    );
    const host = `127.0.0.1:${http.addr.port}`;
    hosts.add(host);
    try {
      await using browser = await startBrowser();
      const page = await browser.newPage();
      await page.goto(`http://${host}/#token=${TOKEN}`);
      await page.until(`document.querySelector(".listed") !== null`);
      assertStringIncludes(await page.textOf(".listed"), "Running");
      await page.click(".listed a");
      await page.until(`document.querySelector(".connection.good") !== null`);
      assertEquals(await page.evaluate("location.pathname"), `/runs/${RUN_ID}`);
      const before = await Deno.readTextFile(folder.journalPath);
      const output = "not ok 1 - <b>greets</b>\n";
      await Deno.writeTextFile(
        folder.journalPath,
        line({ type: "round_started", round: 1, maxRounds: 8 }) + line({
          type: "test_command_finished",
          ...{ round: 1, passed: false, exitCode: 1, seconds: 2, timedOut: false, truncated: false, output },
        }),
        { append: true },
      );
      await page.until(`document.querySelector(".item.k-tests") !== null`);
      await page.until(`document.querySelector(".outcome").innerText.includes("round 1 of 8")`);
      await page.click(".item.k-tests .head");
      await page.until(`document.querySelector(".item.k-tests .source") !== null`);
      assertEquals(await page.textOf(".item.k-tests .source"), output);
      // What the journal does not have any more, the page does not show any more.
      await Deno.writeTextFile(folder.journalPath, before + line({ type: "round_started", round: 7, maxRounds: 8 }));
      await page.until(`document.querySelector(".outcome").innerText.includes("round 7 of 8")`);
      await page.until(`document.querySelector(".item.k-tests") === null`);
      assertEquals(page.problems, []);
    } finally {
      await server[Symbol.asyncDispose]();
      await http.shutdown();
    }
  },
});
