import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ReportDocument } from "../../../lib/api/report/model.ts";
import { pageDocument } from "../../../lib/api/report/page_document.ts";
import { type PageOptions, startBrowser, type TestPage, whyNoBrowser } from "../../support/browser.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { at, hostileReport, longReport, reportDocument } from "./page_fixture.ts";

const missing = await whyNoBrowser();

/** A test with a report in a file, opened in the browser. */
function browserTest(
  name: string,
  play: (page: TestPage, url: string) => Promise<void>,
  { document = reportDocument(), ...options }: PageOptions & { readonly document?: ReportDocument } = {},
): void {
  Deno.test({
    name: missing === undefined ? name : `${name} (${missing})`,
    ignore: missing !== undefined,
    async fn() {
      await using dir = await tempDir();
      await using browser = await startBrowser();
      await dir.write({ "run.html": pageDocument({ kind: "file", document }, { title: "A run" }).html });
      const page = await browser.newPage(options);
      const url = `file://${dir.path}/run.html`;
      await page.goto(url);
      await page.until(`document.querySelector(".outcome") !== null`);
      await play(page, url);
      assertEquals(page.problems, []);
      assertEquals(page.requests.filter((request) => request !== "data:,"), [], "a report asks for nothing");
    },
  });
}

const shownTitles = `[...document.querySelectorAll(".item .title")].map((title) => title.innerText.trim())`;
const focused = `document.activeElement.closest(".item")?.id`;

/** Chooses from a list, as a person does who types the first letters. */
async function choose(page: TestPage, label: string, value: string): Promise<void> {
  await page.evaluate(`(() => {
    const labels = [...document.querySelectorAll("label")];
    const select = labels.find((one) => one.innerText.startsWith(${JSON.stringify(label)})).querySelector("select");
    select.value = ${JSON.stringify(value)};
    select.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
}

browserTest("a report tells the outcome first, then what happened, and what each entry has", async (page) => {
  assertMatch(await page.textOf(".outcome"), /^Passed\s+round 2 of 8\s+The tests passed/);
  assertStringIncludes(await page.textOf(".filters output"), "25 entries");
  await page.click("#item-i20 .head");
  await page.until(`document.querySelector("#item-i20 ins") !== null`);
  assertStringIncludes(await page.textOf("#item-i20 ins"), '+echo "Hello, $name!"');
  assertEquals(await page.textOf("#item-i20 del"), '-echo "Hello"\n');
  await page.click("#item-i17 .head");
  await page.until(`document.querySelector("#item-i17 .terminal") !== null`);
  const green = `[...document.querySelectorAll("#item-i17 .terminal span")].find((one) => one.textContent === "green")`;
  assertEquals(await page.evaluate(`getComputedStyle(${green}).color`), "rgb(111, 206, 124)");
  // A character of two columns takes exactly two.
  const wide = `[...document.querySelectorAll("#item-i17 .cell")].find((one) => one.textContent === "東")`;
  const cell = await page.evaluate<number>(`${wide}.getBoundingClientRect().width`);
  const column = await page.evaluate<number>(`(() => {
    const span = document.createElement("span");
    span.textContent = "0".repeat(100);
    document.querySelector("#item-i17 .terminal code").append(span);
    return span.getBoundingClientRect().width / 100;
  })()`);
  assert(Math.abs(cell - 2 * column) < 0.5, `${cell} for two columns of ${column}`);
  await page.click("#item-i30 .head");
  await page.until(`document.querySelector("#item-i30 .problem") !== null`);
  assertEquals(await page.textOf("#item-i30 .problem"), "The file is not there.");
  await page.click("#item-i20 .head");
  await page.until(`document.querySelector("#item-i20 ins") === null`);
});

browserTest("entries are filtered by role, by kind, by text, and by what went wrong", async (page) => {
  await choose(page, "Role", "programmer");
  await choose(page, "Kind", "work");
  await page.until(`${shownTitles}.length === 2`);
  assertEquals(await page.evaluate(shownTitles), ["Works on the plan", "Works again"]);
  assertEquals(await page.textOf(".filters output"), "2 of 25");
  await choose(page, "Role", "");
  await choose(page, "Kind", "");
  await page.click(".filters input[type=search]");
  await page.type("NPM left");
  await page.until(`${shownTitles}.length === 1`);
  assertMatch((await page.evaluate<string[]>(shownTitles))[0]!, /Asks to run: npm install left-pad/);
  await page.evaluate(`document.querySelector(".filters input[type=search]").select()`);
  await page.press("Delete");
  await page.click(".filters input[type=checkbox]");
  await page.until(`${shownTitles}.length === 6`);
  assertEquals(await page.evaluate(`document.querySelectorAll(".timeline [role=row]").length`), 2);
});

browserTest("the list and the timeline are used by the keyboard alone", async (page) => {
  await page.evaluate(`document.querySelector(".item .head").focus()`);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]) await page.press(key);
  await page.until(`document.querySelector("#item-i7 .more") !== null`);
  assertEquals(await page.evaluate(focused), "item-i7");
  await page.press("ArrowLeft");
  await page.until(`document.querySelector("#item-i7 .more") === null`);
  await page.press("End");
  assertEquals(await page.evaluate(focused), "item-i45");
  assertEquals(await page.evaluate("location.hash"), "#i45");
  await page.press("Home");
  assertEquals(await page.evaluate(focused), "item-i2");

  await page.evaluate(`document.querySelector(".frame").focus()`);
  const cell = `document.querySelector("#timeline-cell")?.getAttribute("aria-label")`;
  await page.until(`${cell}?.includes("Run started")`);
  await page.press("ArrowRight");
  await page.until(`${cell}?.includes("Round 1 of 8 begins")`);
  await page.press("ArrowDown");
  await page.until(`${cell}?.includes("Prompt sent, 3 KB")`);
  for (const key of ["ArrowRight", "Enter"]) await page.press(key);
  await page.until(`document.querySelector("#item-i8 .more") !== null`);
  assertEquals(await page.evaluate(focused), "item-i8");
});

browserTest("a link leads to an entry, by its id or by the number of its record", async (page, url) => {
  await page.goto(`${url}#i24`);
  await page.until(`document.querySelector("#item-i24 .source") !== null`);
  assertEquals(await page.evaluate(focused), "item-i24");
  await page.evaluate(`location.hash = "#33"`);
  await page.until(`document.querySelector("#item-i33 .more") !== null`);
  await page.evaluate(`location.hash = "#nothing"`);
  assertEquals(await page.evaluate(focused), "item-i33");
});

browserTest("a click on the timeline opens the entry that is there", async (page) => {
  const place = await page.evaluate<{ x: number; y: number }>(`(() => {
    const { x, y } = document.querySelector(".hit").getBoundingClientRect();
    const kill = document.querySelector("path.moment.k-kill").getBBox();
    return { x: x + kill.x + kill.width / 2, y: y + kill.y + kill.height / 2 };
  })()`);
  await page.clickAt(place);
  await page.until(`document.querySelector("#item-i30 .more") !== null`);
});

browserTest(
  "assistive software is told landmarks, headings, the list with its length, and the timeline by name",
  async (page) => {
    const nodes = await page.accessibility();
    const names = (role: string) => nodes.filter((node) => node.role === role).map(({ name }) => name);
    for (const landmark of ["banner", "main", "complementary", "search"]) {
      assertEquals(nodes.filter(({ role }) => role === landmark).length, 1, landmark);
    }
    assertEquals(names("heading")[0], "panewright Greet people by name");
    assert(
      ["What happened", "Tokens", "Audit log", "Decided by people"].every((one) => names("heading").includes(one)),
    );
    assertEquals(names("list").includes("What happened"), true);
    const items = nodes.filter(({ role, name }) => role === "button" && /^\d\d:\d\d:\d\d/.test(name));
    assertEquals(items.length, 25);
    assertStringIncludes(items[10]!.name, "programmer Dialog caution: Asks to run: npm install left-pad");
    assertEquals(items[10]!.properties["expanded"], false);
    const task = nodes.find(({ name }) => name === "What the agents are to do");
    assertEquals([task?.role, task?.properties["focusable"]], ["group", true], "what scrolls is scrolled by keys");
    assertMatch(names("grid")[0] ?? "", /^Timeline\. Left and right/);
    assertEquals(
      nodes.filter(({ role, name }) => ["button", "combobox", "searchbox", "checkbox"].includes(role) && name === ""),
      [],
    );
    assertEquals(await page.evaluate(`document.querySelector(".item").getAttribute("aria-setsize")`), "25");
  },
);

browserTest("on paper everything is open, nothing scrolls, and the controls are gone", async (page) => {
  await page.evaluate(`dispatchEvent(new Event("beforeprint"))`);
  assertEquals(await page.evaluate(`document.querySelectorAll(".item .more").length`), 25);
  assertEquals(await page.evaluate(`document.querySelectorAll("details:not([open])").length`), 0);
  assertEquals(await page.evaluate(`document.querySelectorAll(".detail").length`), 10);
  await page.evaluate(`dispatchEvent(new Event("afterprint"))`);
  await page.until(`document.querySelectorAll(".item .more").length === 0`);
});

browserTest("colours are those of the system, until a person chooses others", async (page) => {
  const background = `getComputedStyle(document.body).backgroundColor`;
  assertEquals(await page.evaluate(background), "rgb(14, 17, 22)");
  await page.click(".theme");
  await page.until(`${background} === "rgb(246, 247, 249)"`);
  assertStringIncludes(await page.evaluate(`document.querySelector(".theme").ariaLabel`), "Colours: light");
}, { scheme: "dark" });

browserTest("a phone of 360 pixels shows everything without scrolling sideways", async (page) => {
  await page.click("#item-i20 .head");
  await page.click("#item-i17 .head");
  await page.until(`document.querySelector("#item-i17 .terminal") !== null`);
  assertEquals(await page.evaluate("document.documentElement.scrollWidth"), 360);
  const small =
    `[...document.querySelectorAll("button, select")].filter((one) => one.getBoundingClientRect().height < 40)
    .map((one) => one.outerHTML.slice(0, 80))`;
  assertEquals(await page.evaluate(small), [], "too small for a finger");
}, { width: 360, height: 740, mobile: true });

browserTest("of 10,000 entries only those that are near are drawn, and the last one is found", async (page, url) => {
  const elements = `document.querySelectorAll("*").length`;
  assert(await page.evaluate<number>(elements) < 2500);
  await page.goto(`${url}#i9990`);
  await page.until(`document.querySelector("#item-i9990 .more") !== null`);
  assertEquals(await page.evaluate(focused), "item-i9990");
  assert(await page.evaluate<number>(elements) < 4000);
  await page.press("End");
  await page.until(`${focused} === "item-i10001"`);
  await page.click(".filters input[type=search]");
  await page.type("verdict 9987");
  await page.until(`document.querySelector(".filters output").innerText === "1 of 10,000"`);
}, { document: longReport(10_000) });

browserTest("a moment in a title is told in the time of who reads it", async (page) => {
  const titles = await page.evaluate<string[]>(shownTitles);
  const local = new Date(Date.parse(at(480 + 5 * 3600)) + 9 * 3_600_000).toISOString();
  const text = `${local.slice(0, 10)} ${local.slice(11, 19)}`;
  assert(titles.some((title) => title.endsWith(`Usage limit reached; it is reset at ${text}`)), titles.join("\n"));
}, { timeZone: "Asia/Tokyo" });

browserTest("text of agents is text: it runs nothing, links nowhere, and hides nothing", async (page) => {
  const count = await page.evaluate<number>(`document.querySelectorAll(".item").length`);
  for (let index = 0; index < count; index++) {
    await page.evaluate(`document.querySelectorAll(".item .head")[${index}].click()`);
  }
  await page.until(`document.querySelectorAll(".item .more").length === ${count}`);
  assertEquals(
    await page.evaluate(`document.querySelectorAll("#page :is(script, img, iframe, object, style, b)").length`),
    0,
  );
  assertEquals(
    await page.evaluate(`[...document.links].filter((link) => !link.getAttribute("href").startsWith("#")).length`),
    0,
  );
  assertEquals(await page.evaluate(`"hacked" in window`), false);
  const text = await page.evaluate<string>(`document.body.innerText`);
  assertStringIncludes(text, "<script>hacked=1</script>");
  assertStringIncludes(text, "\\u202e");
  assert(!text.includes("\u202e") && !text.includes("\u200b"));
}, { document: hostileReport() });
