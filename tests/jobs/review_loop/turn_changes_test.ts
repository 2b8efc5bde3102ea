import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ReviewFact } from "../../../lib/jobs/review_loop/facts.ts";
import { applyEvent, foldEvent } from "../../../lib/jobs/review_loop/fold.ts";
import type { RunState } from "../../../lib/jobs/review_loop/run_state.ts";
import type { Turn } from "../../../lib/jobs/review_loop/state.ts";
import { keepTurnChanges } from "../../../lib/jobs/review_loop/turn_changes.ts";
import { systemProcessRunner } from "../../../lib/ports/process.ts";
import { createRedactor } from "../../../lib/redact/redactor.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { reviewStarted } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const AT = "2026-11-20T08:00:00.000Z";
const TURN: Turn = { id: "r1-programmer-c1", role: "programmer", round: 1, cycle: 1, kind: "work" };
const STARTED = { type: "turn_started", turnId: TURN.id, role: TURN.role, round: 1, cycle: 1, promptBytes: 9 } as const;

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
  return { facts, changes: keepTurnChanges({ folder, workdir, state: () => state, record, redactor, signal }) };
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
    const { facts, changes } = open(dir, { folder });
    assertEquals(await changes.around(TURN, () => work(dir)), "the response");
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
  const { facts, changes } = open(dir, { folder });
  await changes.around(TURN, () => work(dir));
  assertEquals(typesOf(facts), ["files_noted", "files_changed"]);
  const acted = [...Deno.readDirSync(dir.path)].filter(({ name }) => name === "acted");
  assertEquals(acted, []);
});

Deno.test("a turn that another process continues is compared with what was noted when it began", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const first = open(dir, { folder });
  const killed = new Error("killed");
  await first.changes.around(TURN, async () => {
    await dir.write({ "changed.txt": "two\n" });
    throw killed;
  }).catch((error) => assertEquals(error, killed));
  assertEquals(typesOf(first.facts), ["files_noted"]);
  const resumed = open(dir, { folder, earlier: [STARTED, ...first.facts] });
  await resumed.changes.around(TURN, () => Promise.resolve());
  const told = resumed.facts[0]!;
  assert(told.type === "files_changed");
  assertEquals(told.files, ["changed.txt"]);
});

Deno.test("a note that is not the one that was made tells nothing, and the turn goes well all the same", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const { facts, changes } = open(dir, { folder });
  const result = await changes.around(TURN, async () => {
    await Deno.writeTextFile(`${folder.path}/changes/${TURN.id}/files-before.json`, "{}");
    return await work(dir);
  });
  assertEquals(result, "the response");
  assertEquals(typesOf(facts), ["files_noted", "note"]);
  assertMatch(JSON.stringify(facts[1]), /not the one that was made/);
});

Deno.test("what cannot be looked at is said once, and not tried again", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  const { facts, changes } = open(dir, { folder, workdir: `${dir.path}/nowhere` });
  for (let turn = 0; turn < 2; turn++) assertEquals(await changes.around(TURN, () => Promise.resolve(turn)), turn);
  assertEquals(typesOf(facts), ["note"]);
});

Deno.test("no link is written through, and turns of others are not looked at", async () => {
  const { dir, folder } = await project();
  await using _dir = dir;
  await using outside = await tempDir();
  const { facts, changes } = open(dir, { folder });
  await changes.around({ ...TURN, id: "r1-tester", role: "tester" }, () => work(dir));
  assertEquals(facts, []);
  await Deno.symlink(outside.path, `${folder.path}/changes`);
  await changes.around(TURN, () => Promise.resolve());
  assertEquals(typesOf(facts), ["note"]);
  assertEquals([...Deno.readDirSync(outside.path)], []);
});

Deno.test("a turn that was under way before there were notes is not looked at", async () => {
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
  const { facts, changes } = open(dir, { folder, earlier: [STARTED, sending] });
  await changes.around(TURN, () => work(dir));
  assertEquals(facts, []);
});
