import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { CODEX_SCREEN } from "../../../lib/agents/codex/rules.ts";
import { PROVIDERS, RULE_PACKS } from "../../../lib/agents/mod.ts";
import { checkPayload } from "../../../lib/lab/rule_packs/check.ts";
import { readGuardRecordings } from "../../../lib/lab/rule_packs/guard_recordings.ts";
import { NewerEngineError } from "../../../lib/lab/rule_packs/payload.ts";
import { isNewer } from "../../../lib/lab/rule_packs/versions.ts";
import { checkRecording } from "../../../lib/lab/recordings/check.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { recordingsOf } from "../../support/screens.ts";
import { type PackChanges, packPayload } from "../../support/rule_packs.ts";

const check = async (changes: PackChanges) => await checkPayload(await packPayload(changes), { providers: PROVIDERS });

async function refusal(changes: PackChanges): Promise<string> {
  return (await assertRejects(() => check(changes), Error)).message;
}

const GUARDS = await readGuardRecordings("codex");

Deno.test("the built-in rules are a pack that passes", async () => {
  const { payload, pack } = await check({});
  assertEquals([payload.version, pack.provider], ["0.1.0.1", "codex"]);
  const [recording] = GUARDS;
  const outcome = checkRecording({ file: "", recording: recording! }, pack);
  assertEquals(outcome?.got, recording?.expect);
});

Deno.test("the recordings that panewright brings are those of fixtures/screens, of every class, and read right", async () => {
  for (const pack of RULE_PACKS.filter(({ provider }) => provider !== "replay")) {
    const known = new Map((await recordingsOf(pack.provider)).map((each) => [`${each.version}/${each.name}`, each]));
    const guards = await readGuardRecordings(pack.provider);
    for (const recording of guards) {
      const { ansi, expect } = known.get(recording.name) ?? {};
      assertEquals([recording.ansi, recording.expect], [ansi, expect], `${recording.name}: deno task guards`);
    }
    const classes = guards.flatMap((recording) => checkRecording({ file: "", recording }, pack)?.classes ?? []);
    assertEquals(new Set(classes).size, 7, `${pack.provider}: deno task guards`);
  }
});

Deno.test("a pack for a newer panewright names the version, whatever else is in it", async () => {
  const payload = { minimum_engine: "9.1", format: 7, screen: { unheard: "of" } };
  const error = await assertRejects(() => check({ payload }), NewerEngineError);
  assertStringIncludes(error.message, "it needs panewright 9.1 or newer, and this is 0.1.0");
  await assertRejects(() => check({ payload: { format: 2 } }), NewerEngineError, "it has the form 2");
});

Deno.test("mistakes of form are listed with their places", async () => {
  const message = await refusal({
    version: "1.x",
    rules: [{ id: "a", status: "idle", region: "satus" as "status", pattern: "^x" }],
    payload: { made_at: "yesterday", more: 1 },
  });
  for (const part of ["version: must be numbers with dots", "made_at: ", '"more"']) assertStringIncludes(message, part);
  assertMatch(message, /^ {2}screen\.rules\.\d+\.region: /m);
});

Deno.test("what a pack names must be there", async () => {
  const rule = { id: "mine", status: "idle", region: "status", pattern: "^x" } as const;
  assertStringIncludes(await refusal({ payload: { provider: "replay" } }), "packs can be for codex, claude_code");
  assertStringIncludes(await refusal({ payload: { provider: "../x" } }), 'it is for the provider "../x"');
  assertStringIncludes(await refusal({ rules: [rule, rule] }), 'there are two rules "mine"');
  assertStringIncludes(await refusal({ rules: [{ ...rule, replace: true }] }), "changes another one");
  assertStringIncludes(await refusal({ rules: [{ id: "mine", remove: true }] }), "changes another one");
  assertStringIncludes(await refusal({ rules: [{ ...rule, dialog: ["nuclear"] }] }), 'names a dialog "nuclear"');
  assertStringIncludes(await refusal({ rules: [{ ...rule, doubtful: { unless_seen: "nobody" } }] }), '"nobody"');
  const { dialog } = CODEX_SCREEN.layout as { dialog: { kinds: unknown[] } };
  const kinds = [...dialog.kinds, { kind: "launch", text: "^Launch" }];
  const screen = { ...CODEX_SCREEN, layout: { ...CODEX_SCREEN.layout, dialog: { ...dialog, kinds } } };
  assertStringIncludes(await refusal({ payload: { screen } }), 'names a dialog "launch"');
});

Deno.test("patterns that could keep a matcher busy are refused, alone and together", async () => {
  const rule = (id: string, pattern: string) => ({ id, status: "idle", region: "status", pattern }) as const;
  assertStringIncludes(await refusal({ rules: [rule("slow", "^(a+)+$")] }), "could take very long on some texts");
  const many = Array.from({ length: 60 }, (_, index) => rule(`r${index}`, `^${"a?".repeat(17)}x${index}$`));
  assertStringIncludes(await refusal({ rules: many }), "its patterns together could take very long");
  const rules = Array.from({ length: 500 }, (_, index) => rule(`r${index}`, "^x$"));
  assertStringIncludes(await refusal({ rules }), "and may have 400");
});

Deno.test("a pack must get its own recordings right, those that were signed, and some of every class", async () => {
  const [first, ...others] = GUARDS.filter(({ expect }) => expect === "completed");
  const wrong = { ...first!, expect: "processing" as const };
  const message = await refusal({ recordings: [...GUARDS, { ...wrong, name: "mine" }] });
  assertStringIncludes(message, "its rules get 1 of its own recordings wrong\n  mine (");
  assertStringIncludes(message, "but it is processing");
  const few = await refusal({ recordings: others });
  assertStringIncludes(few, "its own recordings prove too little: they show no screen of idle, processing");
  const message2 = await refusal({ payload: { recordings_sha256: "0".repeat(64) } });
  assertStringIncludes(message2, "its recordings are not those that were signed");
  assertStringIncludes(await refusal({ recordings: [] }), "its own recordings prove nothing");
  const excused = GUARDS.map((recording) => ({ ...recording, alone: false }));
  assertStringIncludes(await refusal({ recordings: excused }), "its own recordings prove nothing");
});

Deno.test("a pack must get the recordings right that panewright brings, whatever its own show", async () => {
  const screens = GUARDS.map((recording) => ({
    recording,
    rows: new Set(parseScreen(recording.ansi).rows.map(({ text }) => text.trim()).filter((text) => text !== "")),
  }));
  const [first] = screens.filter(({ recording }) => recording.expect === "processing").flatMap(({ recording, rows }) =>
    [...rows].filter((text) => screens.filter((other) => other.rows.has(text)).length === 1)
      .map((text) => ({ recording, text }))
  );
  if (first === undefined) throw new Error("no row is of one recording only");
  const pattern = RegExp.escape(first.text);
  const rules = [{ id: "bad", status: "completed", priority: 2000, region: "screen", pattern }] as const;
  const own = GUARDS.filter(({ name }) => name !== first.recording.name);
  const message = await refusal({ rules, recordings: own });
  assertStringIncludes(message, `get 1 of the recordings that panewright brings wrong\n  ${first.recording.name} (`);
  assertStringIncludes(message, "): completed by bad, but it is processing");
});

Deno.test("versions are compared by their numbers", () => {
  const order = ["0.0.9", "0.1.0", "0.1.0.1", "0.1.0.2", "0.1.0.10", "0.1.1", "0.2", "1"];
  for (const [index, version] of order.entries()) {
    for (const [other, than] of order.entries()) {
      assertEquals(isNewer(version, than), index > other, `${version} ${than}`);
    }
  }
});
