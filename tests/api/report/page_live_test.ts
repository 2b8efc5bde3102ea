import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Report } from "../../../lib/api/report/model.ts";
import { startBrowser, type TestPage, whyNoBrowser } from "../../support/browser.ts";
import { until } from "../../support/until.ts";
import { at, DETAILS, HEADER, HOSTILE, item, liveReport, liveReportOfTwo, SCREEN } from "./page_fixture.ts";
import { type PageServer, startPageServer, TOKEN } from "./page_server.ts";

const missing = await whyNoBrowser();
const { runId } = HEADER;

interface LiveTest {
  readonly page: TestPage;
  readonly server: PageServer;
}

/** A test with a run that a page follows. */
function liveTest(name: string, play: (test: LiveTest) => Promise<void>, report: Report = liveReport()): void {
  Deno.test({
    name: missing === undefined ? name : `${name} (${missing})`,
    ignore: missing !== undefined,
    async fn() {
      await using server = await startPageServer({ report, details: DETAILS, runs: RUNS });
      server.show(SCREEN);
      await using browser = await startBrowser();
      const page = await browser.newPage();
      await page.goto(`${server.url}/runs/${runId}#token=${TOKEN}`);
      await page.until(`document.querySelector(".connection.good") !== null`);
      await play({ page, server });
    },
  });
}

const RUNS = [
  { run: runId, state: "waiting", executed: true, startedAt: at(0), lastRecordAt: at(200), about: "Greet people" },
  { run: "20261119-210400-aaaa", state: "failed", executed: false, startedAt: at(-90_000), lastRecordAt: at(-80_000) },
].map((run) => ({ workdir: "/srv/shop", ...run }));

/** The button with that text, once it can be pressed. */
function button(text: string, within = "#page"): string {
  return `[...document.querySelectorAll(${JSON.stringify(within)} + " button:not(:disabled)")]
    .find((one) => one.innerText.trim() === ${JSON.stringify(text)} && one.checkVisibility())`;
}

async function press(page: TestPage, text: string, within?: string): Promise<void> {
  await page.until(`${button(text, within)} !== undefined`);
  await page.evaluate(`${button(text, within)}.click()`);
}

liveTest(
  "a page takes the token out of its address, keeps it for its tab, and stays when it is loaded again",
  async ({ page }) => {
    assertEquals(await page.evaluate("location.hash"), "");
    assertEquals(await page.evaluate("JSON.stringify({ ...localStorage })"), "{}");
    await page.evaluate("location.reload()");
    await page.until(`document.querySelector(".connection.good") !== null`);
    await page.until(`document.title === "? Greet people by name"`);
    assertEquals(page.problems, []);
  },
);

liveTest(
  "a permission is answered for what was seen; the page shows what the journal says, and nothing before",
  async (test) => {
    const { page, server } = test;
    assertEquals(await page.textOf(".question .subject"), "npm install left-pad");
    await page.click(".question input");
    await page.type("use what is there");
    await press(page, "No", ".question");
    const { posted } = server;
    await until(() => posted.length);
    const body = { question: "q1", answer: "no, use what is there", fingerprint: "f1" };
    assertEquals(posted, [{ path: `/v1/runs/${runId}/answer`, body }]);
    await page.until(`document.querySelector(".question").innerText.includes("has not taken it yet")`);
    assertEquals(await page.evaluate(`${button("Yes, once")} === undefined`), true, "it is answered once");
    const { waiting: _waiting, ...header } = liveReport().header;
    server.tell({ ...header, condition: "running", sequence: 18, waiting: undefined } as object, [
      item({ sequence: 18, lane: "programmer", kind: "answer", at: at(290), title: "A person said no" }),
    ]);
    await page.until(`document.querySelector(".question") === null`);
    await page.until(`document.querySelector("#item-i18") !== null`);
  },
);

liveTest("an answer that is refused says why, and can be given again", async ({ page, server }) => {
  const detail = `Cannot answer q1: it was answered before, by the terminal ${HOSTILE}`;
  server.refuse({ status: 409, code: "answered_before", detail });
  await press(page, "Yes, once", ".question");
  await page.until(`document.querySelector(".question .problem") !== null`);
  assertStringIncludes(await page.textOf(".question .problem"), "answered before, by the terminal </script>");
  await press(page, "Yes, once", ".question");
  const { posted } = server;
  await until(() => posted.length, (count) => count === 2);
});

liveTest(
  "a page survives a server that is started again: without a reload, with nothing missing and nothing twice",
  async ({ page, server }) => {
    await page.evaluate("globalThis.stayed = true");
    const { sequence } = liveReport().header;
    server.tell({}, [
      item({ sequence: sequence + 1, lane: "run", kind: "note", at: at(210), title: "Before the end" }),
    ]);
    await page.until(`document.querySelector("#item-i${sequence + 1}") !== null`);
    await server.stop();
    await page.until(`document.querySelector(".connection.bad")?.innerText.includes("Connection lost, trying again")`);
    const heard = `[...document.querySelectorAll("[role=status]")].map((one) => one.textContent)`;
    assert((await page.evaluate<string[]>(heard)).includes("Connection lost, trying again"));
    server.tell({}, [item({ sequence: sequence + 2, lane: "run", kind: "note", at: at(220), title: "Meanwhile" })]);
    await server.start();
    await page.until(`document.querySelector(".connection.good") !== null`);
    await page.until(`document.querySelector("#item-i${sequence + 2}") !== null`);
    const { streams } = server;
    assertEquals(streams.at(-1), String(sequence + 1), "it says what it has seen last");
    assertEquals(await page.evaluate("globalThis.stayed"), true);
    const ids = await page.evaluate<string[]>(`[...document.querySelectorAll(".item")].map(({ id }) => id)`);
    assertEquals(new Set(ids).size, ids.length);
  },
);

/** Says whether a page is seen, as the browser does when another tab is shown. */
function seen(page: TestPage, isSeen: boolean): Promise<unknown> {
  const value = isSeen ? "visible" : "hidden";
  return page.evaluate(
    `Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${value}" });
    dispatchEvent(new Event("visibilitychange"))`,
  );
}

Deno.test({
  name:
    `pages that nobody sees hold no connection: from the last of eight tabs an answer is sent, and the others know of it later${
      missing === undefined ? "" : ` (${missing})`
    }`,
  ignore: missing !== undefined,
  async fn() {
    await using server = await startPageServer({ report: liveReport(), details: DETAILS, runs: RUNS });
    server.show(SCREEN);
    await using browser = await startBrowser();
    const open = async () => {
      const page = await browser.newPage();
      await page.goto(`${server.url}/runs/${runId}#token=${TOKEN}`);
      await page.until(`document.querySelector(".connection.good") !== null`);
      return page;
    };
    const others: TestPage[] = [];
    for (let tab = 1; tab < 8; tab++) {
      const page = await open();
      await seen(page, false);
      await until(() => server.open === 0);
      others.push(page);
    }
    const page = await open();
    await page.click(".question input");
    await page.type("use what is there");
    await press(page, "No", ".question");
    const { posted } = server;
    await until(() => posted.length);
    const { sequence } = liveReport().header;
    const title = "A person said no";
    server.tell({}, [item({ sequence: sequence + 1, lane: "programmer", kind: "answer", at: at(290), title })]);
    await page.until(`document.querySelector("#item-i${sequence + 1}") !== null`);
    const [first] = others;
    await seen(page, false);
    await seen(first as TestPage, true);
    await first?.until(`document.querySelector("#item-i${sequence + 1}") !== null`);
    assertEquals(others.flatMap(({ problems }) => problems), []);
  },
});

liveTest("the screen of who works is shown as it changes, with its colours", async ({ page, server }) => {
  await page.until(`document.querySelector(".workers .terminal") !== null`);
  assertStringIncludes(await page.textOf(".workers .terminal"), "npm install left-pad");
  assertEquals(
    await page.evaluate(`document.querySelector(".worker[aria-pressed=true] .worker-name").innerText`),
    "programmer",
  );
  server.show("\x1b[31mred\x1b[0m now");
  await page.until(`document.querySelector(".workers .terminal").innerText.includes("red now")`);
  const tall = (last: string) => Array.from({ length: 200 }, (_, row) => row === 199 ? last : `row ${row}`).join("\n");
  const place =
    `(({ scrollTop, clientHeight, scrollHeight }) => [scrollTop, scrollTop + clientHeight >= scrollHeight - 4])` +
    `(document.querySelector(".workers .terminal"))`;
  server.show(tall("› composer"));
  await page.until(`document.querySelector(".workers .terminal").innerText.includes("› composer")`);
  assertEquals((await page.evaluate<[number, boolean]>(place))[1], true, "its end is in view");
  await page.evaluate(`document.querySelector(".workers .terminal").scrollTop = 10`);
  await page.until(`document.querySelector(".workers .terminal").scrollTop === 10`);
  await page.evaluate("new Promise(requestAnimationFrame)");
  server.show(tall("› more"));
  await page.until(`document.querySelector(".workers .terminal").innerText.includes("› more")`);
  assertEquals(await page.evaluate(place), [10, false], "who has scrolled stays there");
  await page.click(".worker[aria-pressed=true]");
  await page.until(`document.querySelector(".workers .terminal") === null`);
});

liveTest("an agent without a screen shows what it does, row by row", async ({ page, server }) => {
  await page.until(`document.querySelector(".workers .terminal") !== null`);
  const row = (text: string) => ({ at: at(1), mark: "• ", text, style: "strong", begins: true });
  server.act({ rows: [row("Reads the plan"), row(HOSTILE)], isReset: true, doing: "reading" });
  await page.until(`document.querySelector(".activity")?.innerText.includes("<script>hacked=1</script>")`);
  server.act({ rows: [row("Edits greet.sh")], isReset: false, doing: "editing" });
  await page.until(`document.querySelector(".activity").innerText.includes("Edits greet.sh")`);
  assertEquals(await page.evaluate(`document.querySelectorAll(".activity .row").length`), 3);
  server.act({ rows: [row("Anew")], isReset: true, doing: "" });
  await page.until(`document.querySelectorAll(".activity .row").length === 1`);
  assertEquals(await page.evaluate(`"hacked" in window`), false);
});

liveTest("a run is stopped, and resumed, after a second question", async ({ page, server }) => {
  const { posted } = server;
  await press(page, "Stop");
  await press(page, "Cancel");
  await press(page, "Stop");
  assertEquals(posted, []);
  await press(page, "Stop the run");
  await until(() => posted.length);
  assertEquals(posted, [{ path: `/v1/runs/${runId}/stop`, body: {} }]);
  await page.until(`document.querySelector(".steering").innerText.includes("Stopping")`);
  server.tell(
    { executed: false, condition: "stopped", resumeCommand: "panewright resume x", waiting: undefined } as object,
  );
  await press(page, "Resume");
  server.refuse({ status: 403, code: "needs_trust", detail: "Cannot resume: the configuration is not trusted" });
  await press(page, "Resume the run");
  await page.until(`document.querySelector(".steering .problem")?.innerText.includes("not trusted")`);
  assertEquals(posted.at(-1), { path: `/v1/runs/${runId}/resume`, body: {} });
});

/** The label of the question that has the focus, or is around it. */
const FOCUSED_QUESTION = `(() => {
  const label = document.activeElement?.closest(".question")?.getAttribute("aria-labelledby");
  return label === undefined || label === null ? "" : document.getElementById(label).innerText;
})()`;

liveTest(
  "all that waits is shown, each with its own buttons, for a keyboard and a screen reader, too",
  async ({ page, server }) => {
    const { posted } = server;
    const subjects = `[...document.querySelectorAll(".question .subject")].map((one) => one.innerText)`;
    assertEquals(await page.evaluate(subjects), ["npm install left-pad", "rm -rf build"]);
    const ids = await page.evaluate<string[]>(`[...document.querySelectorAll("[id]")].map(({ id }) => id)`);
    assertEquals(ids.filter((id, index) => ids.indexOf(id) !== index), []);
    const nodes = await page.accessibility();
    const regions = nodes.filter(({ role, name }) => role === "region" && name.includes("asks"));
    assertEquals(regions.map(({ name }) => name.split(" asks")[0]), ["programmer", "tester"]);
    const told = await page.evaluate<string[]>(
      `[...document.querySelectorAll("[role=status] p")].map((one) => one.textContent)`,
    );
    assertEquals(told.map((text) => text.split(":")[0]), ["programmer asks", "tester asks"]);

    // The second one, by keyboard alone; the first one stays as it was.
    const second = `document.querySelectorAll(".question")[1]`;
    await page.until(`${second}.querySelector(".main-act:not(:disabled)") !== null`);
    await page.evaluate(`${second}.querySelector(".subject").focus()`);
    await page.press("Tab");
    await page.press("Enter");
    await until(() => posted.length);
    const path = `/v1/runs/${runId}/answer`;
    assertEquals(posted, [{ path, body: { question: "q2", answer: "yes", fingerprint: "f2" } }]);
    await page.until(`${second}.innerText.includes("has not taken it yet")`);
    assertMatch(await page.evaluate(FOCUSED_QUESTION), /^tester asks/);
    assertEquals(await page.evaluate(`${button("Yes, once", ".question")} !== undefined`), true);
    const { header: { alsoWaiting = [] } } = liveReportOfTwo();
    server.tell({ alsoWaiting: [] });
    await page.until(`document.querySelectorAll(".question").length === 1`);
    assertMatch(await page.evaluate(FOCUSED_QUESTION), /^programmer asks/);

    // One that moves up to where another one was is not answered by the click that was meant for that one.
    server.tell({ alsoWaiting });
    await page.until(`document.querySelectorAll(".question .main-act:not(:disabled)").length === 2`);
    await page.evaluate(`void (globalThis.moved = new Promise((resolve) => {
      const look = () => {
        const [one, ...others] = document.querySelectorAll(".question");
        if (one !== undefined && others.length === 0) resolve(one.querySelector(".main-act").disabled);
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    }))`);
    server.tell({ waiting: alsoWaiting[0]!, alsoWaiting: [] });
    assertEquals(await page.evaluate("moved"), true);
    await press(page, "No", ".question");
    await until(() => posted.length, (count) => count === 2);
    assertEquals(posted[1], { path, body: { question: "q2", answer: "no", fingerprint: "f2" } });
    server.tell({ waiting: undefined } as object);
    await page.until(`document.querySelector(".question") === null`);
    assertEquals(await page.evaluate(`document.activeElement.localName`), "main");
    assertEquals(page.problems, []);
  },
  liveReportOfTwo(),
);

const QUESTIONS = [
  {
    question: "Which database?",
    multiSelect: false,
    options: [{ label: "PostgreSQL", description: "A server" }, { label: "SQLite", description: "" }],
  },
  {
    question: "Which tests?",
    multiSelect: true,
    options: ["Unit", "Browser", "Load"].map((label) => ({ label, description: "" })),
  },
];

const asking: Report = (() => {
  const { items, header } = liveReport();
  const { waiting } = header;
  const dialog = { ...waiting!.dialog!, subject: undefined, questions: QUESTIONS };
  return { items, header: { ...header, waiting: { ...waiting!, answer: "choices" as const, dialog } } };
})();

liveTest("questions with choices are answered by choosing", async ({ page, server }) => {
  assertEquals(await page.evaluate(`${button("Send")} === undefined`), true, "not before each has an answer");
  const choice = (text: string) =>
    `[...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("${text}"))`;
  for (const text of ["SQLite", "PostgreSQL", "Load", "Unit"]) await page.evaluate(`${choice(text)}.click()`);
  await page.click("fieldset:nth-of-type(2) .reason input");
  await page.type("and by hand");
  await press(page, "Send");
  const { posted } = server;
  await until(() => posted.length);
  const body = { question: "q1", answer: "#1\n#1, #3, text: and by hand", fingerprint: "f1" };
  assertEquals(posted, [{ path: `/v1/runs/${runId}/answer`, body }]);
}, asking);

liveTest(
  "without the token a page asks for it, and takes the address that the server has printed",
  async ({ page, server }) => {
    await page.evaluate("sessionStorage.clear()");
    await page.goto(`${server.url}/`);
    await page.until(`document.querySelector(".sign-in") !== null`);
    await page.click(".sign-in input");
    await page.type("nonsense");
    await press(page, "Open");
    await page.until(`document.querySelector("[role=alert]") !== null`);
    await page.evaluate(`document.querySelector(".sign-in input").value = ""`);
    await page.click(".sign-in input");
    await page.type(`${server.url}/#token=${TOKEN}`);
    await press(page, "Open");
    await page.until(`document.querySelectorAll(".listed").length === 2`);
    // What was not painted yet has no text.
    await page.until(`/Greet people\\s*Waiting for an answer/.test(document.querySelector(".listed").innerText)`);
    await page.click(".listed a");
    await page.until(`document.querySelector(".connection.good") !== null`);
    assert((await page.evaluate<string>("location.pathname")).endsWith(runId));
  },
);
