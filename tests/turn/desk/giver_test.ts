import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Ancestry, lookAtAncestry, lookAtSelf, parseAncestry } from "../../../lib/base/ports/ancestry.ts";
import type { AnswerBy } from "../../../lib/base/terms.ts";
import { leaveAnswer, takeAnswer } from "../../../lib/turn/desk/answers.ts";
import { giverKind, giverOf, noteBegun } from "../../../lib/turn/desk/giver.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** The run began at tick 1000; a chain is `name@start`, the nearest first, and ends with what adopts orphans. */
const ROWS: readonly (readonly [why: string, chain: string, kind: string, more?: Partial<Ancestry>])[] = [
  ["a leftover that init has adopted", "panewright@2000 sh@1900 init@1", "program"],
  ["init alone above it", "panewright@2000 init@1", "program"],
  ["a leftover of a session with a manager of its own", "panewright@2000 sh@1900 systemd@10 systemd@1", "program"],
  ["the shell of the run", "panewright@2000 bash@900 sshd@100 systemd@1", "person"],
  ["an SSH login the next morning", "panewright@9000 bash@8900 sshd@8890 sshd@20 systemd@1", "person"],
  ["a console login the next morning", "panewright@9000 bash@8900 login@8800 init@1", "program"],
  ["a window of an older terminal", "panewright@9000 bash@8900 gnome-terminal-@500 systemd@10 systemd@1", "person"],
  ["a new window of an older tmux server", "panewright@9000 bash@8900 tmux: server@500 init@1", "person"],
  ["a tmux server that was started since", "panewright@9000 bash@8900 tmux: server@8800 init@1", "program"],
  ["a job of cron", "panewright@9000 sh@8900 cron@20 init@1", "program"],
  ["docker exec", "panewright@9000 bash@8900", "person", { adopter: 1, isFromOutside: true }],
  ["a namespace of its own", "panewright@9000 bash@8900", "program", { place: "boot other", isFromOutside: true }],
  ["a boot since, without a terminal", "panewright@9000 bash@10 sshd@5 systemd@1", "program", { place: "next pid" }],
  ["a boot since, at a terminal", "panewright@9000 bash@10 sshd@5 systemd@1", "person", {
    ...{ place: "next pid", terminal: "/dev/pts/1" },
  }],
  ["a boot since, started by cron", "panewright@9 sh@8 cron@5 systemd@1", "program", { place: "next pid" }],
  ["another boot in a namespace of its own", "panewright@9000 bash@10 init@1", "program", {
    ...{ place: "next other", terminal: "/dev/pts/1" },
  }],
  ["the shell that is process 1 of a container", "panewright@2000 bash@1", "person", { session: 1 }],
  ["a leftover where that shell adopts", "panewright@2000 sh@1900 bash@1", "program", { session: 1900 }],
  ["a server that is process 1", "panewright@1", "person"],
  ["a process below an agent", "panewright@2000 bash@900 init@1", "program", { isMarked: true }],
  ["a system that tells nothing", "", "program", { adopter: 0 }],
  ["an adopter that is not told", "panewright@2000 bash@900 init@1", "program", { adopter: 0 }],
];

function ancestryOf(chain: string, more: Partial<Ancestry> = {}): Ancestry {
  const all = chain === "" ? [] : chain.split(/ (?=\S+@|tmux: )/).map((one) => {
    const [name = "", startTime = ""] = one.split("@");
    // Start times tell the processes of these rows apart.
    return { pid: Number(startTime), name, startTime };
  });
  const manager = all.findIndex(({ name }, index) => index > 0 && ["systemd", "init"].includes(name));
  const adopter = all[manager < 0 ? all.length - 1 : manager]?.pid ?? 0;
  return { place: "boot pid", chain: all, adopter, session: 0, isFromOutside: false, isMarked: false, ...more };
}

async function begunFolder(path: string): Promise<{ readonly answersDir: string }> {
  const entry = `${path}/runs/r`;
  await Deno.mkdir(entry, { recursive: true, mode: 0o700 });
  await noteAs(`${entry}/began`, { place: "boot pid", startTime: "1000" });
  return { answersDir: `${entry}/answers` };
}

async function noteAs(path: string, began: { readonly place: string; readonly startTime: string }): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(began), { mode: 0o600 });
}

Deno.test("whose an answer is: by what is above its process, older than the run, and adopts no orphans", async () => {
  await using dir = await tempDir();
  const folder = await begunFolder(dir.path);
  const seen = ROWS.map((
    [why, chain, , more],
  ) => [why, giverKind(folder, { by: "command", from: ancestryOf(chain, more) })]);
  assertEquals(seen, ROWS.map(([why, , kind]) => [why, kind]));
  assertEquals(giverKind(folder, { by: "command" }), "program");
  // A token or a key of the state folder takes the place of a terminal.
  const leftover = ancestryOf("panewright@2000 init@1");
  const of = (by: AnswerBy, more: Partial<Ancestry> = {}) => giverKind(folder, { by, from: { ...leftover, ...more } });
  assertEquals([of("http"), of("notification"), of("mcp"), of("terminal")], ["person", "person", "model", "program"]);
  assertEquals([of("http", { isMarked: true }), of("notification", { isMarked: true })], ["program", "program"]);
});

Deno.test("after the next boot it is a person's where it is older than all runs that were executed since", async () => {
  await using dir = await tempDir();
  const folder = await begunFolder(dir.path);
  const of = (chain: string) =>
    giverKind(folder, { by: "command", from: ancestryOf(chain, { place: "next pid", terminal: "/dev/pts/1" }) });
  const chain = "panewright@9000 bash@700 sshd@690 systemd@1";
  assertEquals(of(chain), "person");
  await noteAs(`${dir.path}/began`, { place: "next pid", startTime: "600" });
  assertEquals(of(chain), "program");
  await noteAs(`${dir.path}/began`, { place: "next pid", startTime: "800" });
  assertEquals(of(chain), "person");
  // What another boot has noted of other runs says nothing of this one.
  await noteAs(`${dir.path}/began`, { place: "boot pid", startTime: "1" });
  assertEquals(of(chain), "person");
});

Deno.test("a yes of a program is set aside where it permits something, and told; its no, and its words, are taken as its own", async () => {
  const rows = [
    ["yes", true, "person", undefined],
    ["perhaps", true, "person", undefined],
    ["no, never", true, "person", "program"],
    ["yes", false, "person", "program"],
    ["yes", true, "any", "program"],
  ] as const;
  for (const [answer, isPermission, answersFrom, kind] of rows) {
    await using dir = await tempDir();
    const folder = await begunFolder(dir.path);
    const refused: string[] = [];
    const onRefused = (message: string) => void refused.push(message);
    const from = ancestryOf("panewright@2000 sh@1900 init@1");
    // What the file says of itself is not believed, and one without evidence is no better.
    for (const evidence of [{ from }, { giver: { kind: "person", below: [] } }, {}] as const) {
      const left = { question: "q1", answer, by: "command", answeredAt: "", ...evidence } as const;
      assertEquals(await leaveAnswer(folder, left), true);
      const taken = await takeAnswer(folder, "q1", { isReserved: false, isPermission, answersFrom, onRefused });
      assertEquals(taken?.giver?.kind, kind);
      if (kind !== undefined) await Deno.remove(`${folder.answersDir}/q1.json`);
    }
    assertEquals(refused.length, kind === undefined ? 3 : 0);
    for (const message of refused) assertStringIncludes(message, "a program of this user");
  }
});

Deno.test("the first process that executes a run here is what others are compared with", async () => {
  await using dir = await tempDir();
  const entry = `${dir.path}/runs/r`;
  const folder = { answersDir: `${entry}/answers` };
  await noteBegun(folder);
  const noted = await Deno.readTextFile(`${entry}/began`);
  await noteBegun(folder);
  assertEquals(await Deno.readTextFile(`${entry}/began`), noted);
  const from = await lookAtAncestry();
  assertEquals([from.chain[0]?.pid, giverKind(folder, { by: "command", from })], [Deno.pid, "person"]);
  const { chain, place } = await lookAtSelf();
  const { program: _, ...own } = from.chain[0]!;
  assertEquals([chain, place], [[own], from.place]);
  // After the next boot nothing of the run is left.
  await Deno.writeTextFile(`${entry}/began`, JSON.stringify({ place: "another boot", startTime: "1" }));
  await noteBegun(folder);
  assertEquals(await Deno.readTextFile(`${entry}/began`), noted);
});

Deno.test("what the system tells of a chain is read as it is, and nothing is made of what cannot be read", () => {
  const stat = (pid: number, name: string, rest: string) => `${pid} (${name}) S ${rest}${" 0".repeat(15)} 77 0`;
  const rows = ["", "/bin/panewright", stat(9, "a) (b", "8 9 7"), "marked", "", stat(8, "sh", "0 8 7"), "1"];
  const read = parseAncestry(["boot", "pid:[1]", "/dev/pts/3", ...rows, ""].join("\n"));
  assertEquals(read, {
    place: "boot pid:[1]",
    chain: [
      { pid: 9, name: "a) (b", startTime: "77", program: "/bin/panewright" },
      { pid: 8, name: "sh", startTime: "77" },
    ],
    ...{ adopter: 1, session: 7, isFromOutside: true, isMarked: true, terminal: "/dev/pts/3" },
  });
  assertEquals(giverOf("person", read), { kind: "person", pid: 9, below: ["sh"], terminal: "/dev/pts/3" });
  const { chain, isFromOutside } = parseAncestry("");
  assertEquals([chain, isFromOutside], [[], false]);
});
