/** What axe-core finds in the pages: rules of the Web Content Accessibility Guidelines, and of good practice. */
import { assertEquals } from "@std/assert";
import { pageDocument } from "../../../lib/api/report/page_document.ts";
import { execProject } from "../../cli/commands/exec_project.ts";
import { startBrowser, type TestPage, whyNoBrowser } from "../../support/browser.ts";
import { runProgram } from "../../support/program.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { DETAILS, liveReport, reportDocument, SCREEN } from "./page_fixture.ts";
import { startPageServer, TOKEN } from "./page_server.ts";

const missing = await whyNoBrowser();
const AXE = new URL("axe.min.js", import.meta.resolve("axe-core"));

/** What is wrong with the page, by rule; each with the first element that it is about. */
async function problemsOf(page: TestPage): Promise<readonly string[]> {
  await page.evaluate(`${await Deno.readTextFile(AXE)}; true`);
  return await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => id + ": " + help + ": " + nodes.map(({ html, any }) =>
        html.slice(0, 160) + " " + (any[0]?.message ?? "").slice(0, 160)).slice(0, 3).join(" | ")))`,
  );
}

const SIZES = [
  { scheme: "light", height: 1100 },
  { scheme: "dark", height: 1100 },
  { scheme: "light", width: 360, height: 800, mobile: true },
] as const;

const shown = missing === undefined ? "" : ` (${missing})`;

Deno.test({
  name: `axe finds nothing in a report, a run under way, the list of runs and the sign-in${shown}`,
  ignore: missing !== undefined,
  async fn() {
    await using dir = await tempDir();
    await Deno.writeTextFile(
      `${dir.path}/report.html`,
      pageDocument({ kind: "file", document: reportDocument() }, { title: "report" }).html,
    );
    const runs = (["waiting", "running", "passed", "failed", "killed"] as const).map((state, index) => ({
      ...{ run: `20261120-21040${index}-3fa9`, state, executed: index < 2, workdir: "/srv/shop" },
      ...{ startedAt: "2026-11-20T21:04:00Z", lastRecordAt: "2026-11-20T21:10:00Z", about: "Greet people by name" },
      ...index === 0 ? { question: "q1", answered: false } : {},
    }));
    await using server = await startPageServer({ report: liveReport(), details: DETAILS, runs });
    server.show(SCREEN);
    await using browser = await startBrowser();
    const run = `${server.url}/runs/20261120-210400-3fa9`;
    const pages = [
      [`file://${dir.path}/report.html`, "main"],
      [`file://${dir.path}/report.html#17`, "main"],
      [`file://${dir.path}/report.html#20`, "main"],
      [`${server.url}/`, "form"],
      [`${run}#token=${TOKEN}`, ".worker"],
      [`${server.url}/#token=${TOKEN}`, ".listed"],
    ] as const;
    for (const options of SIZES) {
      for (const [url, part] of pages) {
        const page = await browser.newPage(options);
        await page.goto(url);
        await page.until(`document.querySelector(${JSON.stringify(part)}) !== null`);
        assertEquals(await problemsOf(page), [], `${url} ${JSON.stringify(options)}`);
      }
    }
    const page = await browser.newPage();
    await page.goto(`file://${dir.path}/report.html`);
    await page.evaluate(`document.querySelector("main").append(document.createElement("img")); true`);
    assertEquals(
      (await problemsOf(page)).map((problem) => problem.split(":")[0]),
      ["image-alt"],
      "it finds what is wrong",
    );
  },
});

Deno.test({
  name: `axe finds nothing where a task is started, its patch is read, and a line of it is commented on${shown}`,
  ignore: missing !== undefined,
  async fn() {
    await using project = await execProject();
    const git = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
    assertEquals(
      (await runProgram(["sh", "-c", git], { cwd: project.path, env: project.env, timeoutMs: 20_000 })).code,
      0,
    );
    assertEquals((await project.run("trust", "--yes")).code, 0);
    await using server = project.start("serve", "--port", "0");
    const [, address] = await until(() => /Serving (\S+)/.exec(server.output.stdout), (found) => found !== null) ?? [];
    await using browser = await startBrowser();
    const page = await browser.newPage();
    await page.goto(address!);
    await page.until(`document.querySelector(".start textarea") !== null`);
    assertEquals(await problemsOf(page), [], "the start");
    await page.evaluate(`{ const box = document.querySelector(".start textarea"); box.value = "Build a login.";
      box.dispatchEvent(new Event("input", { bubbles: true })); }`);
    await page.until(`document.querySelector(".start button:not(:disabled)") !== null`);
    await page.click(".start button:not(:disabled)");
    await page.until(`document.querySelector(".work .files")?.innerText.includes("done-3") === true`);
    await page.click(".work summary");
    await page.until(`document.querySelector(".work .patch") !== null`);
    assertEquals(await problemsOf(page), [], "the patch");
    await page.evaluate(`document.querySelector(".work .patch button, .work .patch .add")?.click()`);
    assertEquals(await problemsOf(page), [], "a comment");
  },
});
