import { assertEquals } from "@std/assert";
import {
  type Button,
  closeButtons,
  issueButtons,
  noteUsed,
  openButtonsSince,
  readPress,
} from "../../../lib/run/notify/buttons.ts";
import { tempDir } from "../../support/temp_dir.ts";

const KEY = "k".repeat(64);
const NOW = new Date("2026-11-20T07:26:05Z");
const RUN = "20261120-072605-3fa9";
const ASKED = {
  id: "q1",
  fingerprint: "of npm test",
  choices: [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }],
};
const at = { key: KEY, now: NOW };
const later = (hours: number) => ({ key: KEY, now: new Date(NOW.getTime() + hours * 3600_000) });

async function issued(path: string, asked = ASKED, when: { key: string; now: Date } = at) {
  const folder = { id: RUN, buttonsDir: `${path}/buttons` };
  const [yes, no] = await issueButtons(folder, asked, when);
  return { folder, yes: yes!, no: no! };
}

Deno.test("a button stands for its answer, to this question as it was asked", async () => {
  await using dir = await tempDir();
  const { folder, yes, no } = await issued(dir.path);
  assertEquals(await readPress(folder, yes.token, at), { question: "q1", fingerprint: "of npm test", answer: "yes" });
  assertEquals(await readPress(folder, no.token, at), { question: "q1", fingerprint: "of npm test", answer: "no" });
  assertEquals(await openButtonsSince(folder, at), NOW);
});

Deno.test("the same question keeps its buttons; another one under its name makes them worthless", async () => {
  await using dir = await tempDir();
  const { folder, yes } = await issued(dir.path);
  assertEquals((await issued(dir.path)).yes, yes);
  const next = await issued(dir.path, { ...ASKED, fingerprint: "of rm -rf /" });
  const refused = { refused: "it was made for another question, or not by panewright" };
  assertEquals(await readPress(folder, yes.token, at), refused);
  assertEquals(await readPress(folder, next.yes.token, at), {
    ...{ question: "q1", fingerprint: "of rm -rf /", answer: "yes" },
  });
});

Deno.test("one button of a question can be pressed, once, within a day", async () => {
  await using dir = await tempDir();
  const { folder, yes, no } = await issued(dir.path);
  assertEquals("refused" in await readPress(folder, yes.token, later(23)), false);
  assertEquals(await readPress(folder, yes.token, later(24)), {
    refused: "it was good until 2026-11-21T07:26:05.000Z",
  });
  await noteUsed(folder, no.token, at);
  for (const { token } of [yes, no]) {
    assertEquals(await readPress(folder, token, at), {
      refused: '"No" was pressed before, at 2026-11-20T07:26:05.000Z',
    });
  }
  assertEquals(await openButtonsSince(folder, at), undefined);
});

Deno.test("nobody listens for buttons of what is settled, until the same is asked again", async () => {
  await using dir = await tempDir();
  const { folder, yes } = await issued(dir.path);
  await closeButtons(folder, "q1");
  await closeButtons(folder, "q2");
  assertEquals(await openButtonsSince(folder, at), undefined);
  assertEquals((await issued(dir.path)).yes, yes);
  assertEquals(await openButtonsSince(folder, at), NOW);
});

Deno.test("what an agent writes into the folder makes no token stand for something else", async () => {
  await using dir = await tempDir();
  const { folder, yes, no } = await issued(dir.path);
  const path = `${folder.buttonsDir}/q1.json`;
  const text = await Deno.readTextFile(path);
  assertEquals([yes, no].some(({ token }) => text.includes(token.split(".")[3]!)), false);
  const refused = { refused: "it was made for another question, or not by panewright" };
  const swapped = [
    text.replace('"answer":"no"', '"answer":"yes"'),
    text.replace("of npm test", "of rm -rf /"),
    text.replace("2026-11-21", "2036-11-21"),
  ];
  for (const forged of swapped) {
    await Deno.writeTextFile(path, forged);
    assertEquals(await readPress(folder, no.token, at), refused, forged);
  }
  for (const odd of ["", "null", "[]", "{", '{"v":1}', text.replace('"choices":[', '"choices":[null,')]) {
    await Deno.writeTextFile(path, odd);
    assertEquals(await readPress(folder, no.token, at), { refused: "it is not one of this run" }, odd);
  }
  await Deno.remove(path);
  await Deno.symlink("/dev/zero", path);
  assertEquals(await readPress(folder, no.token, at), { refused: "it is not one of this run" });
});

Deno.test("a token of another run, another machine or another form is refused", async () => {
  await using dir = await tempDir();
  await using other = await tempDir();
  const { folder, yes } = await issued(dir.path);
  const foreign = await issueButtons({ id: "20261120-072605-aaaa", buttonsDir: `${other.path}/b` }, ASKED, at);
  const machine = (await issued(other.path, ASKED, { key: "another key", now: NOW })).yes;
  const of = (button: Button) => readPress(folder, button.token, at);
  assertEquals(await of(foreign[0]!), { refused: "it is not one of this run" });
  assertEquals(await of(machine), { refused: "it was made for another question, or not by panewright" });
  const [run, question, , mac] = yes.token.split(".");
  const wrong = [
    "",
    "yes",
    `${yes.token}\n`,
    `${run}.${question}.2.${mac}`,
    `${run}.${question}.1.${mac}`,
    `${run}.../../q1.0.${mac}`,
    `${run}.q2.0.${mac}`,
    "x".repeat(100_000),
  ];
  for (const token of wrong) assertEquals("refused" in await readPress(folder, token, at), true, token);
});
