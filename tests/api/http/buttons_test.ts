import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Button, issueButtons } from "../../../lib/run/notify/buttons.ts";
import { machineSecrets } from "../../../lib/run/notify/machine_secrets.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { dialogWaiting, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { holdRun, readAnswerOf } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { testServer } from "./support.ts";

const CHOICES = [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }];

/** A run at a dialog, with the buttons of its notification, and a server. */
async function stage() {
  const dir = await tempDir();
  const folder = await writeReview(dir, [dialogWaiting(RUN_ID, "q1")]);
  const lock = await holdRun(folder);
  const secrets = machineSecrets(`${dir.path}/state`);
  const server = testServer(dir.path, { secrets });
  const fingerprint = fingerprintOf(dialogWaiting(RUN_ID, "q1"));
  const at = { key: secrets("buttons.key"), now: new Date() };
  const issue = (of: { readonly fingerprint: string }) =>
    issueButtons(folder, { id: "q1", choices: CHOICES, ...of }, at);
  const press = async ({ token }: Button, init: RequestInit = {}) => {
    // A phone has the button's token, and no other.
    const response = await server.ask(`/v1/buttons/${token}`, {
      method: "POST",
      ...init,
      headers: { Authorization: "", ...init.headers },
    });
    return { status: response.status, body: await response.text() };
  };
  return {
    ...{ folder, fingerprint, issue, press, server },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      lock[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

function fingerprintOf(fact: object): string {
  return "fingerprint" in fact && typeof fact.fingerprint === "string" ? fact.fingerprint : "";
}

const left = (folder: RunFolder) => readAnswerOf(folder, "q1");

Deno.test("a button's token gives its answer once, without the token of the server", async () => {
  await using on = await stage();
  const [yes, no] = await on.issue(on);
  const given = await on.press(yes!);
  assertEquals([given.status, JSON.parse(given.body)], [200, { question: "q1", goesOn: true }]);
  assertEquals([(await left(on.folder))?.answer, (await left(on.folder))?.by], ["yes", "notification"]);
  for (const button of [yes!, no!]) {
    const again = await on.press(button);
    assertEquals(again.status, 409);
    assertStringIncludes(again.body, '"code":"not_open"');
    assertStringIncludes(again.body, '\\"Yes\\" was pressed before');
  }
});

Deno.test("two buttons at once: one answers, the other is told so", async () => {
  await using on = await stage();
  const [yes, no] = await on.issue(on);
  const pressed = await Promise.all([on.press(yes!), on.press(no!), on.press(yes!)]);
  assertEquals(pressed.map(({ status }) => status).sort(), [200, 409, 409]);
});

Deno.test("a button for what is not asked any more is refused, and the reason told", async () => {
  await using on = await stage();
  const [stale] = await on.issue({ fingerprint: "of what was asked before" });
  const { status, body } = await on.press(stale!);
  assertEquals([status, await left(on.folder)], [409, undefined]);
  assertStringIncludes(body, "Cannot answer q1");
});

Deno.test("looking at a button's address does nothing, and a page of another site cannot press it", async () => {
  await using on = await stage();
  const [yes] = await on.issue(on);
  for (const method of ["GET", "HEAD", "PUT", "OPTIONS"]) {
    assertEquals([401, 405].includes((await on.press(yes!, { method })).status), true);
  }
  for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }]) {
    assertEquals((await on.press(yes!, { headers })).status, 403);
  }
  assertEquals(await left(on.folder), undefined);
});

Deno.test("who makes up a token learns nothing, not even whether there is such a run", async () => {
  await using on = await stage();
  const token = (run: string, question = "q1") => ({ label: "", token: `${run}.${question}.0.${"A".repeat(43)}` });
  const tokens = [token("20261120-072605-aaaa"), { label: "", token: "x" }, { label: "", token: "..%2f..%2fq1" }];
  const answers = new Set<string>();
  for (const made of tokens) {
    const { status, body } = await on.press(made);
    assertEquals(status, 409);
    answers.add(body);
  }
  assertEquals(answers.size, 1);
  assertEquals((await on.press(token(RUN_ID))).status, 409);
  assertEquals(await left(on.folder), undefined);
  const limited: number[] = [];
  for (let i = 0; i < 2000 && !limited.includes(429); i++) limited.push((await on.press(token(RUN_ID, "q7"))).status);
  assertEquals(limited.at(-1), 429);
});
