import type { AskPolicy, ModelAnswers } from "../../../lib/base/terms.ts";
import { DEFAULT_PERMISSION_POLICY, type PermissionPolicy } from "../../../lib/policy/mod.ts";
import { DEFAULT_HANDOFF_SETTINGS } from "../../../lib/turn/settings.ts";
import { type AuditLog, openAuditLog } from "../../../lib/turn/desk/audit.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import type { DialogAnswer } from "../../../lib/agents/pane/dialog_keys.ts";
import { repliesText } from "../../../lib/base/question.ts";
import { findPaneProvider } from "../../../lib/agents/mod.ts";
import type { PaneProvider } from "../../../lib/agents/provider.ts";
import type { QuestionsOutcome } from "../../../lib/agents/pane/answer_questions.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import type { PaneLook } from "../../../lib/agents/pane/pane_look.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { createPaneDesk } from "../../../lib/turn/desk/pane_desk.ts";
import type { DialogDeskContext, DialogDeskTurn } from "../../../lib/turn/desk/desk_context.ts";
import type { Request } from "../../../lib/policy/request.ts";
import type { HookedRequest } from "../../../lib/turn/desk/hooked_request.ts";
import type { HookAnswer } from "../../../lib/agents/hook_payload.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { type StillClock, stillClock } from "../../support/still_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** Codex. */
export const codex = findPaneProvider("codex");

/** A look at what Codex shows. */
export function look(rows: readonly string[]): PaneLook {
  return readScreen(parseScreen(rows.join("\n"), { cols: 100 }), codex.terminal.rules);
}

const NO = "No, and tell Codex what to do differently (esc)";

/** A look at Codex' approval of a command. */
export function approval(command: string, { yes = "Yes, proceed (y)", no = NO } = {}): PaneLook {
  return look([
    "  \x1b[1mWould you like to run the following command?\x1b[0m",
    "",
    `  $ ${command}`,
    "",
    `\x1b[1;7m› 1. ${yes}\x1b[0m`,
    `  2. ${no}`,
    "",
    "  Press enter to confirm or esc to cancel",
  ]);
}

/** A command as a CLI has it on record. */
export function recorded(subject: string, about: Partial<Request> = {}): Request {
  return { id: "call_1", source: "session_log", kind: "command", subject, tool: "exec_command", ...about };
}

/** A look at Codex at work. */
export const BUSY = look(["• Working (1s • esc to interrupt)", "", "› ", "", "  GPT-6.1-Sol default · /w"]);

/** A desk with all that it works with. */
export interface Bench extends AsyncDisposable {
  readonly folder: RunFolder;
  readonly clock: StillClock;
  readonly events: ReviewFact[];
  readonly stuck: string[];
  /** The answers that were given in the pane. */
  readonly answers: { readonly answer: string; readonly recorded: number }[];
  readonly desk: ReturnType<typeof createPaneDesk>;
  /** For a desk of another way in the same run. */
  readonly context: DialogDeskContext;
  /** A desk for the same pane. */
  deskWith(context: DialogDeskContext): Bench["desk"];
  shown: PaneLook;
  /** What the CLI's session log has as asked and not answered. */
  pending: readonly Request[];
  /** What comes of an answer to questions. @default {closed, as it was said} */
  outcome: QuestionsOutcome | undefined;
  /** Opens the approval of a command that the CLI has on record as it is shown. */
  ask(command: string): void;
  /** The records of the audit log. */
  records(): readonly Record<string, unknown>[];
}

/** What differs from a desk that decides by the default policy. */
export interface BenchOptions {
  readonly policy?: Partial<PermissionPolicy>;
  readonly autoAccept?: boolean;
  /** @default {Codex} */
  readonly provider?: PaneProvider;
  readonly dryRun?: boolean;
  /** Whether the sandbox around agents is open. */
  readonly isInside?: boolean;
  readonly modelAnswers?: ModelAnswers;
  readonly askPolicy?: AskPolicy;
  readonly person?: DialogDeskContext["person"];
  readonly audit?: AuditLog;
  readonly hooks?: NonNullable<DialogDeskContext["hooks"]>;
  /** What an earlier process of the run has asked. */
  readonly earlierQuestion?: { readonly id: string; readonly fingerprint: string };
}

/** Opens a desk in a run of its own. */
export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date() });
  const audit = options.audit ?? await openAuditLog(folder.auditPath, { run: folder.id, secrets: [] });
  const clock = stillClock();
  const journal = openJournal(folder.journalPath);
  const events: ReviewFact[] = [];
  const attachCommand = "tmux -L run attach-session";
  const emit: DialogDeskContext["emit"] = (fact) => {
    const event = fact.type === "dialog_waiting" ? { ...fact, runId: folder.id, attachCommand } : fact;
    events.push(event);
    journal.append(event);
  };
  journal.append({ type: "run_started", ...{ job: "run", startAgent: "tester" } });
  const stuck: string[] = [];
  const answers: { answer: string; recorded: number }[] = [];
  const records = () =>
    Deno.readTextFileSync(folder.auditPath).split("\n").slice(0, -1).map((line) => JSON.parse(line));
  let questions = 0;
  const context: DialogDeskContext = {
    plan: {
      workdir: dir.path,
      ...(options.isInside ? { sandboxOfCommands: { confine: () => Promise.reject(new Error("not here")) } } : {}),
      ...(options.askPolicy === undefined ? {} : { askPolicy: options.askPolicy }),
      handoff: { ...DEFAULT_HANDOFF_SETTINGS, autoAcceptPermissions: options.autoAccept ?? true },
      permissions: {
        policy: { ...DEFAULT_PERMISSION_POLICY, ...options.policy },
        dryRun: options.dryRun ?? false,
        modelAnswers: options.modelAnswers ?? "questions",
        acceptTypedInput: false,
        answersFrom: "person",
        dialogTimeoutSeconds: 600,
        hookTrial: "required",
      },
    },
    answers: await claimRunMail(folder),
    audit,
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    emit,
    warn: (_role, message) => void stuck.push(message),
    onStuck(_role, message) {
      stuck.push(message);
      return { withdraw() {} };
    },
    redact: (text) => text,
    openQuestions: () => options.earlierQuestion === undefined ? [] : [options.earlierQuestion],
    nextQuestionId: () => `q${++questions}`,
    person: options.person,
    clock,
    signal: new AbortController().signal,
    keepScreen: (turnId, { provider, screen }) => Promise.resolve(`${turnId} ${provider}: ${screen.rows[0]?.text}`),
  };
  const bench: Omit<Bench, "desk" | "deskWith"> = {
    context,
    folder,
    clock,
    events,
    stuck,
    answers,
    shown: BUSY,
    pending: [],
    outcome: undefined,
    records,
    ask(command) {
      bench.pending = [recorded(command)];
      bench.shown = approval(command);
    },
    async [Symbol.asyncDispose]() {
      journal[Symbol.dispose]();
      audit[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
  const terminal: DialogDeskTurn["terminal"] = {
    provider: options.provider ?? codex,
    id: "%3",
    look: () => Promise.resolve(bench.shown),
    pendingRequests: () => Promise.resolve(bench.pending),
    answerDialog(_dialog: unknown, answer: DialogAnswer) {
      answers.push({ answer, recorded: records().length });
      bench.shown = BUSY;
      return Promise.resolve({ result: "closed", after: BUSY.screen } as const);
    },
    async answerQuestions({ callId, questions, replies }, { perform }) {
      answers.push({ answer: `${callId}: ${repliesText(questions, replies)}`, recorded: records().length });
      await perform({ do: "press", key: "2" }, bench.shown, () => Promise.resolve({ isPressed: true, after: BUSY }));
      const told = repliesText(questions, replies);
      return bench.outcome ?? { result: "closed", told, isAsSaid: true, after: BUSY.screen };
    },
  };
  const deskWith = (context: DialogDeskContext) =>
    createPaneDesk(context, { turnId: "r1-tester", role: "tester", terminal });
  return Object.assign(bench, { deskWith, desk: deskWith(context) });
}

/** A channel with one hook that asks. */
export function fakeChannel() {
  let decide: ((asked: HookedRequest) => Promise<void>) | undefined;
  let pending: readonly Request[] = [];
  const answers: HookAnswer[] = [];
  const hooks: NonNullable<DialogDeskContext["hooks"]> = {
    pending: () => pending,
    forget(_role, requests) {
      pending = pending.filter((one) => !requests.includes(one));
    },
    listen(_role, decider) {
      decide = decider;
      return { [Symbol.dispose]: () => decide = undefined };
    },
  };
  return {
    hooks,
    answers,
    /** Resolves once the hook has its answer, or is to be silent. */
    async ask(request: Request, signal = new AbortController().signal) {
      const before = answers.length;
      const reply = (answer: HookAnswer) => {
        answers.push(answer);
        return Promise.resolve();
      };
      let dismissed = false;
      await decide?.({ request, signal, reply, dismiss: () => void (dismissed = true) });
      if (answers.length === before && !dismissed) pending = [...pending, request];
    },
  };
}
