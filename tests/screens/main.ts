// deno-lint-ignore-file no-console -- a script for people
/**
 * Takes the pictures of docs/screens.md: a real Codex, whose model is a script on 127.0.0.1, mends a small shop, and asks
 * about it. Terminals are drawn from what tmux shows, pages are taken by Chromium.
 *
 *     deno task screenshots
 *
 * @module
 */
import { toPictureRow } from "../../.ci/picture/record.ts";
import { drawStill } from "../../.ci/picture/svg.ts";
import { parseScreen } from "../../lib/screen/mod.ts";
import { cliProject } from "../e2e/cli_project.ts";
import type { Turn } from "../lab/steps.ts";
import { type PageOptions, startBrowser, type TestPage } from "../support/browser.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { until } from "../support/until.ts";

const FOLDER = "docs/screens";
const SIZE = { columns: 100, rows: 40 };

const TASK = "Fix the rounding of coupons: half a cent is rounded up";
const QUESTION = "Show prices in the currency of the customer";

const CART = `export function withCoupon(cents, percent) {
  return Math.floor(cents * (100 - percent) / 100);
}
`;

const TESTS = `import assert from "node:assert";
import { test } from "node:test";
import { withCoupon } from "./cart.js";

test("half a cent is rounded up", () => assert.equal(withCoupon(999, 50), 500));
test("a coupon of nothing changes nothing", () => assert.equal(withCoupon(999, 0), 999));
`;

function respond(prompt: string): Turn {
  if (prompt.includes(QUESTION)) {
    const command = 'panewright ask "Which rates: those of the bank each night, or the table in rates.json?"';
    return [{ do: "shell", command }, { do: "say", text: "Never said." }];
  }
  const mend =
    "sed -i 's/Math.floor(cents \\* (100 - percent) \\/ 100)/Math.round(cents * (100 - percent) \\/ 100)/' cart.js";
  return [{ do: "shell", command: mend }, { do: "say", text: "withCoupon() rounds half a cent up now." }];
}

await using project = await cliProject({
  ...{ provider: "codex", isRepository: true, onPath: "itself", codex: { trusted: false } },
  respond: ({ prompts }) => respond(prompts.at(-1) ?? ""),
  files: {
    "cart.js": CART,
    "cart.test.js": TESTS,
    "package.json": { name: "shop", type: "module", scripts: { test: "node --test" } },
  },
  env: { PANEWRIGHT_TRUST: "0" },
  // Its messages name it as an installed one is named.
  panewright: { name: "pack", argv: ["panewright"], env: {} },
});
await Deno.copyFile("dist/pack/panewright", `${project.sandbox.root}/bin/panewright`);
const { project: workdir } = project.sandbox;
for (
  const args of [["add", "."], ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "The shop"]]
) {
  const { success } = await new Deno.Command("git", { args, cwd: workdir }).output();
  if (!success) throw new Error(`Cannot make the project: git ${args[0]}`);
}
for (const task of [TASK, QUESTION]) {
  const { code, stderr } = await project.run(task, "--provider", "codex", "--trust", "--no-input");
  if (code !== (task === TASK ? 0 : 3)) {
    throw new Error(`Cannot take pictures: the job "${task}" ended with ${code}\n${stderr}`);
  }
}
await Deno.mkdir(FOLDER, { recursive: true });

for (
  const [file, about, words] of [
    ["card", "The card of a job that has passed, in a terminal", ["show", "fix-the-rounding-of-coupons-half"]],
    ["list", "The list of jobs, in a terminal", []],
  ] as const
) {
  await using terminal = await openPersonTerminal(project, { ...SIZE, name: file });
  await terminal.command(...project.argv, ...words);
  await terminal.shows(/^exit code 0/m);
  const shown = (await terminal.styled()).replace(/[^\n]*exit code 0[^]*$/, "").trimEnd();
  const rows = parseScreen(shown).rows.map(toPictureRow).filter((_, index, all) => index > 0 || all[0]!.length > 0);
  const typed = ["panewright", ...words].join(" ");
  await Deno.writeTextFile(`${FOLDER}/${file}.svg`, drawStill(rows, { typed, about, columns: SIZE.columns }));
}

await using server = project.start("serve", "--port", "0");
const [, address = ""] = await until(() => /Serving (\S+)/.exec(server.output.stdout), (found) => found !== null) ?? [];
await using browser = await startBrowser();

async function picture(name: string, options: PageOptions, play: (page: TestPage) => Promise<void>): Promise<void> {
  const page = await browser.newPage(options);
  await page.goto(address);
  await play(page);
  await page.picture(`${FOLDER}/${name}.png`);
  console.log(`${FOLDER}/${name}.png`);
}

/** Opens the page of a job from the list. */
function opens(task: string) {
  return async (page: TestPage) => {
    const link = `[...document.querySelectorAll(".listed a")].find((one) => one.innerText.includes(${
      JSON.stringify(task)
    }))`;
    await page.until(`${link} !== undefined`);
    await page.evaluate(`${link}.click()`);
    await page.until(`document.querySelector("h1")?.innerText.includes(${JSON.stringify(task)}) === true`);
  };
}

await picture("list", { height: 620 }, (page) => page.until(`document.querySelectorAll(".listed").length === 2`));
await picture("page", { height: 1000 }, async (page) => {
  await opens("Fix the rounding")(page);
  await page.until(`document.querySelector(".work summary") !== null`);
  await page.click(".work summary");
  await page.until(`document.querySelector(".work .patch") !== null`);
  await page.evaluate(`document.querySelector(".work").scrollIntoView()`);
});
await picture("phone", { width: 360, height: 740, mobile: true, scheme: "dark" }, async (page) => {
  await opens("Show prices")(page);
  await page.until(`document.querySelector(".question") !== null`);
});
