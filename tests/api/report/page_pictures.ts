// deno-lint-ignore-file no-console -- a script for people
/** Takes pictures of the pages for somebody to look at: `deno run -P=tests tests/api/report/page_pictures.ts FOLDER`. */
import { pageDocument } from "../../../lib/api/report/page_document.ts";
import { startBrowser } from "../../support/browser.ts";
import { DETAILS, liveReport, longReport, reportDocument, SCREEN } from "./page_fixture.ts";
import { startPageServer, TOKEN } from "./page_server.ts";

const [folder = await Deno.makeTempDir()] = Deno.args;
await Deno.mkdir(folder, { recursive: true });
console.log(folder);
await using browser = await startBrowser();

async function save(name: string, document = reportDocument()): Promise<string> {
  const path = `${folder}/${name}.html`;
  await Deno.writeTextFile(path, pageDocument({ kind: "file", document }, { title: name }).html);
  return `file://${path}`;
}

const url = await save("report");
const long = await save("long", longReport(10_000));
for (const scheme of ["light", "dark"] as const) {
  const page = await browser.newPage({ scheme, height: 1100 });
  await page.goto(url);
  await page.picture(`${folder}/${scheme}.png`);
  await page.goto(`${url}#17`);
  await page.picture(`${folder}/${scheme}-dialog.png`);
  const phone = await browser.newPage({ scheme, width: 360, height: 1400, mobile: true });
  await phone.goto(`${url}`);
  await phone.picture(`${folder}/${scheme}-phone.png`);
  await phone.goto(`${url}#20`);
  await phone.picture(`${folder}/${scheme}-phone-diff.png`);
  for (const each of [page, phone]) if (each.problems.length > 0) console.error(each.problems);
}
const page = await browser.newPage();
await page.goto(url);
await page.pdf(`${folder}/report.pdf`);
await page.goto(`${long}#i5000`);
await page.picture(`${folder}/long.png`);

const runs = ["waiting", "running", "passed", "failed", "killed"].map((state, index) => ({
  run: `20261120-21040${index}-3fa9`,
  state,
  executed: index < 2,
  startedAt: "2026-11-20T21:04:00Z",
  lastRecordAt: "2026-11-20T21:10:00Z",
  about: ["Greet people by name", "Move the checkout to the new API", "Fix the build", "A", "B"][index],
  ...index === 0 ? { question: "q1", answered: false } : {},
  ...index === 3 ? { reason: "The tests failed in 8 of 8 rounds." } : {},
  workdir: "/srv/shop",
}));
await using server = await startPageServer({ report: liveReport(), details: DETAILS, runs });
server.show(SCREEN);
for (const scheme of ["light", "dark"] as const) {
  const wide = await browser.newPage({ scheme, height: 1100 });
  await wide.goto(`${server.url}/runs/20261120-210400-3fa9#token=${TOKEN}`);
  await wide.until(`document.querySelector(".workers .terminal") !== null`);
  await wide.picture(`${folder}/${scheme}-live.png`);
  const phone = await browser.newPage({ scheme, width: 360, height: 1400, mobile: true });
  await phone.goto(`${server.url}/runs/20261120-210400-3fa9#token=${TOKEN}`);
  await phone.until(`document.querySelector(".worker") !== null`);
  await phone.picture(`${folder}/${scheme}-live-phone.png`);
  await phone.goto(`${server.url}/`);
  await phone.until(`document.querySelector(".listed") !== null`);
  await phone.picture(`${folder}/${scheme}-runs-phone.png`);
  for (const each of [wide, phone]) if (each.problems.length > 0) console.error(each.problems);
}
