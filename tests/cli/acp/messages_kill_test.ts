import { assert, assertEquals } from "@std/assert";
import { leaveMessage } from "../../../lib/api/control/send_message.ts";
import type { Fault } from "../../../lib/base/ports/fault.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { type AcpRoles, acpRoles } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";
import type { JournalRecord } from "../../support/journal_records.ts";
import { until } from "../../support/until.ts";

const QUESTION = "Which port does the greeter use?";

/** A job that begins with the programmer, who waits; meanwhile the tester is at rest, and gets a message. */
async function stageOfMessage(): Promise<AcpRoles> {
  return await acpRoles({
    scripts: {
      programmer: {
        turns: [{ times: 99, steps: [{ await: "go" }, { respond: ANSWERS.programmer }, { say: "Done." }] }],
      },
      tester: {
        turns: [
          // Only the turn of its message is interrupted here.
          {
            when: "A message from outside|Your program was ended",
            times: 99,
            steps: [{ respond: "It has none." }, { say: "Done." }],
          },
          { steps: [{ respond: ANSWERS.tester }, { say: "Done." }] },
        ],
      },
    },
    config: { start_agent: "programmer" },
  });
}

async function leave(stage: AcpRoles): Promise<string> {
  const folder = runFolderAt(stage.sandbox.project, (await stage.folder()).replace(/^.*\//, ""));
  const message = { role: "tester", text: QUESTION, wantsResponse: true, by: "mcp", key: "once" } as const;
  return (await leaveMessage(folder, message)).message;
}

function isOf(record: JournalRecord, message: string): boolean {
  return record["messageId"] === message || record["turnId"] === message;
}

async function play(fault?: Fault): Promise<{ readonly records: readonly JournalRecord[]; readonly killed: boolean }> {
  await using stage = await stageOfMessage();
  const { project } = stage.sandbox;
  await using run = fault === undefined ? stage.start("run") : stage.startToDie(fault, "run");
  await stage.record("turn_started");
  const message = await leave(stage);
  const isAnswered = async () =>
    (await stage.records()).some((record) => record.type === "message_answered" && isOf(record, message));
  let ended = false;
  void run.ended.then(() => ended = true);
  await until(async () => ended || await isAnswered());
  await Deno.writeTextFile(`${project}/go`, "");
  const first = await run.ended;
  const killed = first.code !== 0;
  if (killed) {
    // Whoever was killed as well, and does not know how it fared, sends once more.
    assertEquals(await leave(stage), message);
    const { code, stdout, stderr } = await stage.call("resume", "@1");
    assertEquals(code, 0, `${JSON.stringify(fault)}: ${stdout}${stderr}`);
  }
  const records = await stage.records();
  const of = (type: string) => records.filter((record) => record.type === type && isOf(record, message));
  const about = JSON.stringify({ fault, records: records.map(({ type, turnId = "" }) => `${type} ${turnId}`) });
  assertEquals([of("message_received").length, of("message_answered").length], [1, 1], about);
  assertEquals([of("message_failed").length, of("message_started").length], [0, 1], about);
  assertEquals(records.filter(({ type }) => type === "response_received").length, 3, about);
  const [{ archivedAs } = { archivedAs: "" }] = of("message_answered");
  const kept = String(archivedAs).replace(/^.*\/replies\//, `${await stage.folder()}/replies/`).replace(
    /^replies\//,
    `${await stage.folder()}/replies/`,
  );
  assertEquals((await Deno.readTextFile(kept)).trim(), "It has none.");
  const prompts = (await stage.received("tester", "session/prompt")).map((prompt) => JSON.stringify(prompt))
    .filter((prompt) => prompt.includes(QUESTION));
  // An agent over a protocol ends with panewright: only one that takes its place is told the message again, as such.
  const asNew = prompts.filter((prompt) => !prompt.includes("and you take its place"));
  assert(asNew.length <= 1 && prompts.length >= 1, `sent ${prompts.length} times: ${about}`);
  await stage.sandbox.assertNothingLeft();
  return { records, killed };
}

Deno.test("kill -9 at every record of a message: it is sent, never twice, and answered once; the loop does not notice", async () => {
  const { records } = await play();
  const message = records.find(({ type }) => type === "message_received")?.["messageId"];
  const of = records.map((record, index) => ({ record, number: index + 1 }))
    .filter(({ record }) => isOf(record, String(message)));
  // Each kind of record once: what comes between two of a kind is the same.
  const kindOf = ({ type, step = "" }: JournalRecord) => `${type} ${step}`;
  const places = of.filter(({ record }, index) =>
    of.findIndex((other) => kindOf(other.record) === kindOf(record)) === index
  );
  assert(places.length >= 6, JSON.stringify(places));
  const faults: readonly Fault[] = [
    { when: "after", what: "archive", number: 1 },
    ...places.map(({ number }): Fault => ({ when: "before", what: "record", number })),
    { when: "after", what: "record", number: of.at(-1)!.number },
  ];
  let kills = 0;
  for (const fault of faults) if ((await play(fault)).killed) kills++;
  assert(kills >= faults.length - 1, `${kills} kills at ${faults.length} places`);
});
