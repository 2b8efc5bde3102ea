import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { applyEvent, foldEvent } from "../../../lib/jobs/review_loop/fold.ts";
import type { RunState, Turn } from "../../../lib/jobs/review_loop/state.ts";
import { keepTurnChanges } from "../../../lib/jobs/review_loop/turn_changes.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { reviewStarted } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const AT = "2026-11-20T08:00:00.000Z";
const TURN: Turn = { id: "r1-programmer-c1", role: "programmer", round: 1, cycle: 1, kind: "work" };
const STARTED = { type: "turn_started", turnId: TURN.id, role: TURN.role, round: 1, cycle: 1, promptBytes: 9 } as const;

const RESPONSE = {
  ...{ type: "response_received", turnId: TURN.id, role: TURN.role, bytes: 5, seconds: 1 } as const,
  ...{ archivedAs: "/w/001-programmer.md", sha256: "5" },
};

async function git(dir: TempDir, ...args: readonly string[]): Promise<void> {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  const { code, stderr } = await systemProcessRunner.run({ argv: ["git", ...identity, ...args], cwd: dir.path });
  assertEquals(code, 0, stderr);
}

/** A working directory with a run whose programmer has its turn. */
async function project() {
  const dir = await tempDir();
  await dir.write({ "kept.txt": "one\n", "changed.txt": "one\n", "gone.txt": "one\n" });
  const folder = await createRunFolder(dir.path, { now: new Date(AT) });
  return { dir, folder };
}

/** What a process of the run keeps, with the facts that it records. */
function open(dir: TempDir, { folder, earlier = [STARTED], workdir = dir.path }: {
  readonly folder: RunFolder;
  readonly earlier?: readonly ReviewFact[];
  readonly workdir?: string;
}) {
  let state: RunState = foldEvent(undefined, { ...reviewStarted(dir.path, folder.id), at: AT })!;
  const facts: ReviewFact[] = [];
  const record = (fact: ReviewFact) => {
    facts.push(fact);
    state = applyEvent(state, { ...fact, at: AT });
  };
  for (const fact of earlier) state = applyEvent(state, { ...fact, at: AT });
  const redactor = createRedactor(["correct-horse-battery"]);
  const { signal } = new AbortController();
  const changes = keepTurnChanges({ folder, workdir, state: () => state, record, redactor, signal });
  /** Its response is in the journal. */
  const respond = (turnId = TURN.id) => {
    state = applyEvent(state, { ...RESPONSE, turnId, at: AT, text: "Done." });
  };
  return {
    facts,
    respond,
    changes,
    /** Plays the turn. */
    async around<T>(work: () => Promise<T>, turn = TURN): Promise<T> {
      return await changes.around(turn, async () => {
        const result = await work();
        if (turn.role === TURN.role) respond();
        return result;
      });
    },
  };
}

async function work(dir: TempDir): Promise<string> {
  await dir.write({ "changed.txt": "two\n", "new.txt": "key correct-horse-battery\n" });
  await dir.write({ ".tmp/agent-responses/programmer.md": "Done.\n" });
  await Deno.remove(`${dir.path}/gone.txt`);
  return "the response";
}

const typesOf = (facts: readonly ReviewFact[]) => facts.map(({ type }) => type);

for (const kind of ["a repository", "no repository"]) {
  Deno.test(`a programmer's turn leaves the files that it changed, and a patch: ${kind}`, async () => {
    const { dir, folder } = await project();
    await using _dir = dir;
    if (kind === "a repository") {
      await git(dir, "init", "--quiet");
      await git(dir, "add", "--all");
      await git(dir, "commit", "--quiet", "--message", "begin");
    }
    const { facts, around } = open(dir, { folder });
    assertEquals(await around(() => work(dir)), "the response");
    assertEquals(typesOf(facts), ["files_noted", "files_changed"]);
    const told = facts[1]!;
    assert(told.type === "files_changed");
    assertEquals([told.files, told.hasPatch], [["changed.txt", "gone.txt", "new.txt"], true]);
    const patch = await Deno.readTextFile(`${folder.path}/${told.folder}/diff.patch`);
    assertStringIncludes(patch, "-one\n+two\n");
    assertStringIncludes(patch, "+key redacted");
    const left = [...Deno.readDirSync(`${folder.path}/${told.folder}`)].map(({ name }) => name);
    assertEquals(left.toSorted(), ["diff.patch", "files.txt"]);
  });
}

Deno.test("nothing that a repository configures acts when a turn's changes are looked at", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  await dir.write({
    "evil.sh": "#!/bin/sh\ntouch acted\ncat\n",
    ".gitattributes": "* diff=evil filter=evil\n",
  });
  await Deno.chmod(`${dir.path}/evil.sh`, 0o755);
  await git(dir, "init", "--quiet");
  const evil = `${dir.path}/evil.sh`;
  for (
    const name of [
      ...["core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "core.sshCommand"],
      ...["filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.pager", "core.editor"],
    ]
  ) await git(dir, "config", name, evil);
  await Deno.mkdir(`${dir.path}/.git/hooks`, { recursive: true });
  for (const hook of ["post-index-change", "pre-commit", "post-checkout"]) {
    await Deno.symlink(evil, `${dir.path}/.git/hooks/${hook}`);
  }
  const { facts, around } = open(dir, { folder });
  await around(() => work(dir));
  assertEquals(typesOf(facts), ["files_noted", "files_changed"]);
  const acted = [...Deno.readDirSync(dir.path)].filter(({ name }) => name === "acted");
  assertEquals(acted, []);
});

Deno.test("a turn that another process continues is compared with what was noted when it began", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const first = open(dir, { folder });
  const killed = new Error("killed");
  await first.around(async () => {
    await dir.write({ "changed.txt": "two\n" });
    throw killed;
  }).catch((error) => assertEquals(error, killed));
  assertEquals(typesOf(first.facts), ["files_noted"]);
  const resumed = open(dir, { folder, earlier: [STARTED, ...first.facts] });
  await resumed.around(() => Promise.resolve());
  const told = resumed.facts[0]!;
  assert(told.type === "files_changed");
  assertEquals([told.files, told.late], [["changed.txt"], undefined]);
});

Deno.test("a note that is not the one that was made tells nothing, and the turn goes well all the same", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const { facts, around } = open(dir, { folder });
  const result = await around(async () => {
    await Deno.writeTextFile(`${folder.path}/changes/${TURN.id}/files-before.json`, "{}");
    return await work(dir);
  });
  assertEquals(result, "the response");
  assertEquals(typesOf(facts), ["files_noted", "changes_unknown"]);
  assertMatch(JSON.stringify(facts[1]), /not the one that was made/);
});

Deno.test("what cannot be looked at is tried once, and told of each turn", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const { facts, changes } = open(dir, { folder, workdir: `${dir.path}/nowhere` });
  const next = { ...TURN, id: "r1-programmer-c2", cycle: 2 };
  for (const turn of [TURN, next]) {
    assertEquals(await changes.around(turn, () => Promise.resolve(turn.cycle)), turn.cycle);
  }
  const told = facts.map((fact) => fact.type === "changes_unknown" ? [fact.turnId, fact.reason] : [fact.type]);
  assertEquals(told.map(([turnId]) => turnId), [TURN.id, next.id]);
  assertEquals(told[1]![1], `it is not tried again: ${told[0]![1]}`);
});

Deno.test("no link is written through, and turns of others are not looked at", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  await using outside = await tempDir();
  const { facts, around } = open(dir, { folder });
  await around(() => work(dir), { ...TURN, id: "r1-tester", role: "tester" });
  assertEquals(facts, []);
  await Deno.symlink(outside.path, folder.changesDir);
  await around(() => Promise.resolve());
  assertEquals(typesOf(facts), ["changes_unknown"]);
  assertEquals([...Deno.readDirSync(outside.path)], []);
});

Deno.test("a turn that was under way before there were notes is told as unknown, once", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const sending: ReviewFact = {
    type: "message_sending",
    turnId: TURN.id,
    role: TURN.role,
    terminalId: "%1",
    what: "prompt",
    step: "paste",
    file: "messages/r1-programmer-c1.md",
    bytes: 9,
    sha256: "5",
  };
  const first = open(dir, { folder, earlier: [STARTED, sending] });
  await first.around(() => work(dir));
  assertEquals(typesOf(first.facts), ["changes_unknown"]);
  const resumed = open(dir, { folder, earlier: [STARTED, sending, ...first.facts] });
  await resumed.around(() => Promise.resolve());
  assertEquals(resumed.facts, []);
});

Deno.test("a turn whose response ends in an error has left what it changed all the same", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const { facts, changes, respond } = open(dir, { folder });
  const capped = new Error("a cap is reached");
  const played = changes.around(TURN, async () => {
    await work(dir);
    respond();
    throw capped;
  });
  assertEquals(await played.catch((error) => error), capped);
  assertEquals(typesOf(facts), ["files_noted", "files_changed"]);
});

Deno.test("what a killed process has not told any more is made up for, and nothing is left of the note", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  await using outside = await tempDir();
  const first = open(dir, { folder });
  await first.changes.around(TURN, () => work(dir));
  assertEquals(typesOf(first.facts), ["files_noted"]);
  const resumed = open(dir, { folder, earlier: [STARTED, ...first.facts] });
  resumed.respond();
  await resumed.changes.makeUp();
  const [told, ...others] = resumed.facts;
  assert(told?.type === "files_changed" && others.length === 0);
  assertEquals([told.files, told.late], [["changed.txt", "gone.txt", "new.txt"], true]);
  // Killed between the record and the removal.
  const note = `${folder.changesDir}/${TURN.id}/files-before.json`;
  await Deno.writeTextFile(note, "{}");
  await resumed.changes.makeUp();
  assertEquals(resumed.facts.length, 1);
  await Deno.lstat(note).then(() => assertEquals("the note", "gone"), () => {});
  await outside.write({ [`${TURN.id}/files-before.json`]: "not ours" });
  await Deno.remove(folder.changesDir, { recursive: true });
  await Deno.symlink(outside.path, folder.changesDir);
  await resumed.changes.makeUp();
  assertEquals(await Deno.readTextFile(`${outside.path}/${TURN.id}/files-before.json`), "not ours");
});

Deno.test("a journal that names another folder as a turn's leads to nothing there", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  await dir.write({ "files-before.json": "not ours" });
  const noted: ReviewFact = { type: "files_noted", turnId: TURN.id, role: TURN.role, baseline: "5", passable: true };
  const { facts, changes, respond } = open(dir, { folder, earlier: [STARTED, noted] });
  await Deno.mkdir(folder.changesDir);
  respond("../../../..");
  await changes.makeUp();
  await changes.makeUp();
  assertEquals(typesOf(facts), ["changes_unknown"]);
  assertMatch(JSON.stringify(facts[0]), /a turn that no review loop has/);
  assertEquals(await Deno.readTextFile(`${dir.path}/files-before.json`), "not ours");
});
