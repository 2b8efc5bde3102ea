import type { DialogFact } from "../../../lib/journal/loop/facts.ts";
import { assertEquals } from "@std/assert";
import { createAcpDesk } from "../../../lib/turn/desk/acp_desk.ts";
import { type AuditLog, openAuditLog } from "../../../lib/turn/desk/audit.ts";
import type { DialogDeskContext } from "../../../lib/turn/desk/desk_context.ts";
import { DEFAULT_PERMISSION_POLICY } from "../../../lib/policy/mod.ts";
import { DEFAULT_HANDOFF_SETTINGS } from "../../../lib/turn/settings.ts";
import { DrivenTerminal } from "../../../lib/agents/driven_terminal.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { createFakeClock, type FakeClock } from "../../support/fake_clock.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { startToy } from "../../agents/acp/support.ts";

/** A desk of a process of a run, with an agent that has just asked for a command; all agents have the same pid. */
async function openDesk(folder: RunFolder, command: string, options: {
  readonly audit: AuditLog;
  readonly clock: FakeClock;
  readonly earlier?: { readonly id: string; readonly fingerprint: string };
  /** A command that the policy allows. */
  readonly allow?: string;
}) {
  const { audit, clock, earlier, allow } = options;
  const { agent, toy } = await startToy({ clock });
  const terminal = new DrivenTerminal({ agent, hasResponse: () => false, clock });
  await terminal.submit("Go");
  void toy.ask(command);
  const events: DialogFact[] = [];
  const context: DialogDeskContext = {
    plan: {
      workdir: "/w",
      handoff: { ...DEFAULT_HANDOFF_SETTINGS, autoAcceptPermissions: true },
      permissions: {
        policy: {
          ...DEFAULT_PERMISSION_POLICY,
          default: "ask",
          ...(allow === undefined ? {} : { allow: [{ command: allow }] }),
        },
        dryRun: false,
        modelAnswers: "questions",
        acceptTypedInput: false,
        answersFrom: "person",
        dialogTimeoutSeconds: 600,
        hookTrial: "required",
      },
    },
    answers: await claimRunMail(folder),
    audit,
    emit: (fact) => void events.push(fact),
    warn: () => {},
    onStuck: () => ({ withdraw() {} }),
    redact: (text) => text,
    openQuestions: () => earlier === undefined ? [] : [earlier],
    nextQuestionId: () => earlier === undefined ? "q1" : "q2",
    person: undefined,
    clock,
    signal: new AbortController().signal,
  };
  const desk = createAcpDesk(context, { turnId: "r1-tester-c0", role: "tester", terminal });
  const asked = () => events.flatMap((fact) => fact.type === "dialog_waiting" ? [fact] : []);
  return { desk, asked, events };
}

Deno.test("an answer that a person left for a killed run's request counts for the same one, and for no other", async () => {
  await using dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date() });
  using clock = createFakeClock();
  using audit = await openAuditLog(folder.auditPath, { run: folder.id, secrets: [] });
  const before = await openDesk(folder, "touch made.txt", { audit, clock });
  assertEquals((await before.desk.inspect())?.decision, "wait");
  const [{ question: id = "", fingerprint } = { fingerprint: "" }] = before.asked();
  const answeredAt = new Date().toISOString();
  await leaveAnswerFor(folder, { question: id, answer: "yes", by: "command", answeredAt });

  // In a container the same processes have the same ids at each start.
  const earlier = { id, fingerprint };
  const other = await openDesk(folder, "rm -rf docs", { audit, clock, earlier });
  assertEquals((await other.desk.inspect())?.decision, "wait");
  assertEquals(other.asked().map(({ subject, question }) => [subject, question]), [["rm -rf docs", "q2"]]);
  const same = await openDesk(folder, "touch made.txt", { audit, clock, earlier });
  assertEquals((await same.desk.inspect())?.decision, "accept");
  assertEquals(same.asked().map(({ subject, question }) => [subject, question]), [["touch made.txt", "q1"]]);
});

Deno.test("what the policy answers at once is settled once it is on record", async () => {
  await using dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date() });
  using clock = createFakeClock();
  using log = await openAuditLog(folder.auditPath, { run: folder.id, secrets: [] });
  const written = Promise.withResolvers<void>();
  const audit: AuditLog = {
    get end() {
      return log.end;
    },
    perform: (decision, effect) => written.promise.then(() => log.perform(decision, effect)),
    note: (decision) => log.note(decision),
    [Symbol.dispose]: () => {},
  };
  const { desk, events } = await openDesk(folder, "touch made.txt", { audit, clock, allow: "touch made.txt" });
  let isSettled = false;
  using _served = desk.serve?.({ take: () => true });
  const settled = desk.settled?.().then(() => isSettled = true);
  await clock.runUntilSettled(clock.sleep(1000));
  assertEquals([isSettled, events], [false, []]);
  written.resolve();
  await settled;
  assertEquals(events.map(({ type }) => type), ["dialog_answered"]);
});
