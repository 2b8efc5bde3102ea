import type { Clock } from "../base/ports/clock.ts";
import { present } from "../base/schema.ts";
import { type AnswersFrom, type AnswerSource, HOST_ANSWERS, type HostAnswer } from "../base/terms.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { hostQuestion, hostText, type Reaching } from "../journal/common.ts";
import type { AskAtTerminal, Run } from "../run/execution.ts";
import { readSaid } from "../turn/desk/person_answer.ts";
import { type AskPerson, awaitAnswer } from "./pipeline/await_answer.ts";

/** Of so many hosts, refused or not yet answered, nobody is asked about another one: a program may try thousands. */
const MOST_HOSTS = 20;

type HostFact =
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "host_asked"; readonly passable: true; readonly question: string; readonly host: string }
  | {
    readonly type: "host_decided";
    readonly passable: true;
    readonly host: string;
    readonly question: string;
    readonly answer: HostAnswer;
  } & Partial<AnswerSource>;

interface HostGate extends Pick<Run<never, never>, "clock" | "commandLine" | "folder" | "mail" | "notify"> {
  readonly askAtTerminal?: AskAtTerminal;
  /** Whether an answer can come from elsewhere although nobody sits at a terminal. */
  readonly isPatient: boolean;
  readonly answersFrom: AnswersFrom;
  readonly nextQuestionId: () => string;
  readonly state: () => Reaching;
  readonly record: (fact: HostFact) => void;
  readonly wallClock: () => Date;
  readonly signal: AbortSignal;
}

type Target = { readonly host: string; readonly port: number };

/** So long a connection waits for a person who does not sit at the run's terminal. */
const PATIENCE_MS = 60_000;

interface OpenHost {
  readonly askedAtMs: number;
  readonly answer: Promise<HostAnswer>;
  /** How many connections wait for it. */
  waiting: number;
}

/**
 * What asks a person whether agents in the sandbox may reach a host that is not named, at the terminal and wherever else the
 * questions of agents are answered; nothing where nobody is there. Who wants to reach it waits meanwhile: without a terminal
 * not for long, but the question stays open, and its answer holds for who tries again. A no holds until the run ends.
 */
export function hostGateOf(
  gate: HostGate,
): Disposable & { readonly mayReach?: (target: Target) => Promise<boolean> } {
  const { askAtTerminal, clock, isPatient, mail, record, state } = gate;
  const closed = new AbortController();
  const dispose = () => closed.abort();
  if (askAtTerminal === undefined && (mail === undefined || !isPatient)) return { [Symbol.dispose]: dispose };
  const signal = AbortSignal.any([gate.signal, closed.signal]);
  const refused = new Set<string>();
  const once = new Set<string>();
  const open = new Map<string, OpenHost>();
  const decide = async (host: string): Promise<HostAnswer> => {
    const question = gate.nextQuestionId();
    record({ type: "host_asked", question, host, passable: true });
    const { answer, ...source } = await answerTo(host, { ...gate, signal, question });
    // It is written down before anything is let through.
    record({ type: "host_decided", host, answer, question, ...source, passable: true });
    if (answer === "no") refused.add(host);
    if (answer === "once" && open.get(host)?.waiting === 0) once.add(host);
    return answer;
  };
  const ask = (host: string): OpenHost => {
    // Without the sandbox nobody waits.
    const answer = decide(host).catch((error): HostAnswer => {
      if (signal.aborted) return "no";
      throw error;
    }).finally(() => open.delete(host));
    answer.catch(() => {});
    const asked = { askedAtMs: clock.now(), answer, waiting: 0 };
    open.set(host, asked);
    return asked;
  };
  const mayReach = async ({ host, port }: Target): Promise<boolean> => {
    const target = sanitizeLine(`${host}:${port}`);
    if (state().reached?.includes(target) || once.delete(target)) return true;
    const isMuch = refused.size + open.size >= MOST_HOSTS;
    if (refused.has(target) || isMuch && !open.has(target)) return false;
    // One person is asked once, however many connections a program opens.
    const asked = open.get(target) ?? ask(target);
    const leftMs = askAtTerminal === undefined ? PATIENCE_MS - (clock.now() - asked.askedAtMs) : Infinity;
    if (leftMs <= 0) return false;
    asked.waiting++;
    try {
      return await inTime(asked.answer, { clock, leftMs }) !== "no";
    } finally {
      asked.waiting--;
    }
  };
  return { mayReach, [Symbol.dispose]: dispose };
}

/** The answer, or no where it does not come in time. */
async function inTime(
  answer: Promise<HostAnswer>,
  { clock, leftMs }: { readonly clock: Clock; readonly leftMs: number },
): Promise<HostAnswer> {
  if (leftMs === Infinity) return await answer;
  const settled = new AbortController();
  const late = clock.sleep(leftMs, settled.signal).then((): HostAnswer => "no", (): HostAnswer => "no");
  try {
    return await Promise.race([answer, late]);
  } finally {
    settled.abort();
  }
}

async function answerTo(
  host: string,
  { question: id, ...gate }: HostGate & { readonly question: string },
): Promise<{ readonly answer: HostAnswer } & Partial<AnswerSource>> {
  const { answersFrom, askAtTerminal, clock, folder, isPatient, mail, signal, wallClock } = gate;
  const { choice, subject } = hostQuestion(host);
  const text = hostText(host);
  const told = gate.notify({
    ...{ kind: "needed", title: "panewright: a host", priority: 5 },
    text: `${text}\n\n${gate.commandLine("answer", "--question", id)} "${HOST_ANSWERS.join(" | ")}"`,
    question: {
      ...{ id, fingerprint: id, permits: subject },
      choices: HOST_ANSWERS.map((label) => ({ label, answer: label })),
    },
  });
  const person: AskPerson | undefined = askAtTerminal &&
    (async ({ problem }, until) =>
      await askAtTerminal(questionAbout(text, problem), until) ?? (until.aborted ? undefined : "no"));
  // What lets something through is a permission.
  const question = { ...OF_NO_TASK, id, text, choice, call: id, askedAt: wallClock().toISOString() };
  const left = await awaitAnswer(question, {
    ...{ answersFrom, clock, folder, isPatient, mail, person, signal, wallClock, modelAnswers: "none", settings: {} },
    onWarning: (message) => gate.record({ type: "warning", message }),
  }).finally(() => told.withdraw());
  signal.throwIfAborted();
  if (left === undefined) return { answer: "no" };
  const { by, giver, who } = left;
  return { answer: hostAnswerOf(left.answer, choice), by, ...present({ giver, who }) };
}

const OF_NO_TASK = { task: "", step: "", attemptLog: "", open: true };

/** Whatever is no plain yes is a no. */
function hostAnswerOf(text: string, choice: ReturnType<typeof hostQuestion>["choice"]): HostAnswer {
  const said = readSaid(text, [choice]);
  const [reply] = "replies" in said ? said.replies : [];
  return reply?.choices.length === 1 ? HOST_ANSWERS[reply.choices[0] ?? -1] ?? "no" : "no";
}

function questionAbout(text: string, problem: string | undefined): string {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  return `\n${sentence}\n\n${problem === undefined ? "" : `That is no answer: ${problem}.\n`}` +
    "Your answer: once, run (until this run ends), or no (Ctrl-D is no; in sandbox_network it is let through always):\n";
}
