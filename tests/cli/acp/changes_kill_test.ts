import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { type Fault, faultText } from "../../../lib/base/ports/fault.ts";
import { acpRoles, responding } from "../../support/acp_roles.ts";

const TURN = "r1-programmer-c1";

/** Around the end of the programmer's turn, in the order in which they come. */
const MOMENTS: readonly Fault[] = [
  { when: "after", what: "archive", number: 1 },
  { when: "before", what: "record", type: "response_received", number: 1 },
  { when: "after", what: "record", type: "response_received", number: 1 },
  { when: "before", what: "record", type: "files_changed", number: 1 },
  { when: "in", what: "record", type: "files_changed", number: 1 },
  { when: "after", what: "record", type: "files_changed", number: 1 },
];

for (const fault of MOMENTS) {
  Deno.test(`kill -9 ${faultText(fault)} at the end of a programmer's turn: what it changed is told once`, async () => {
    await using stage = await acpRoles({
      scripts: { programmer: responding("programmer", { write: "made.txt", text: "hello\n" }) },
      config: { start_agent: "programmer" },
    });
    await using run = stage.startToDie(fault, "run");
    const { code, stderr } = await run.ended;
    assertEquals(code, 137, stderr);
    const told = async () => (await stage.records()).filter(({ type }) => type === "files_changed");
    const before = (await told()).length;
    const resumed = await stage.call("resume");
    assertEquals(resumed.code, 0, resumed.stdout + resumed.stderr);
    const [changed, ...others] = await told();
    const types = (await stage.records()).map(({ type }) => type);
    assert(changed !== undefined && others.length === 0, types.join(" "));
    assertEquals([changed["turnId"], changed["files"]], [TURN, ["made.txt"]]);
    assertEquals(changed["late"], before === 0 ? true : undefined);
    const folder = `${await stage.folder()}/changes/${TURN}`;
    assertEquals(await Deno.readTextFile(`${folder}/files.txt`), "made.txt\n");
    for (const note of ["files-before.json", "files-before"]) assertEquals(await exists(`${folder}/${note}`), false);
    const report = JSON.parse((await stage.call("report", "--format", "json")).stdout);
    const titles = report.items.filter(({ kind }: { kind: string }) => kind === "changes").map((
      { title }: { title: string },
    ) => title);
    assertEquals(titles.length, 1);
    assertStringIncludes(titles[0], "changed 1 file");
    await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("a note that is gone when the run is resumed: that the changes are not known is told, with the reason", async () => {
  await using stage = await acpRoles({
    scripts: { programmer: responding("programmer", { write: "made.txt", text: "hello\n" }) },
    config: { start_agent: "programmer" },
  });
  const fault: Fault = { when: "after", what: "record", type: "response_received", number: 1 };
  await using run = stage.startToDie(fault, "run");
  await run.ended;
  await Deno.remove(`${await stage.folder()}/changes/${TURN}/files-before.json`);
  const resumed = await stage.call("resume");
  assertEquals(resumed.code, 0, resumed.stdout + resumed.stderr);
  const unknown = (await stage.records()).find(({ type }) => type === "changes_unknown");
  assertEquals([unknown?.["turnId"], unknown?.["role"]], [TURN, "programmer"]);
  assertStringIncludes(String(unknown?.["reason"]), "the note of what the files were before is gone");
  assertStringIncludes(resumed.stderr, "programmer: what it changed is not known: the note");
  const report = JSON.parse((await stage.call("report", "--format", "json")).stdout);
  const [told] = report.items.filter(({ kind }: { kind: string }) => kind === "changes");
  assertEquals(told.tone, "caution");
  assertStringIncludes(told.title, "what it changed is not known");
});
