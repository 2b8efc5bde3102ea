import { sanitizeLine } from "../base/text/sanitize.ts";
import { HOST_ANSWERS, type HostAnswer } from "../base/terms.ts";
import type { Reaching } from "../journal/common.ts";
import type { AskAtTerminal } from "../run/execution.ts";

type HostFact = {
  readonly type: "host_decided";
  readonly passable: true;
  readonly host: string;
  readonly answer: HostAnswer;
};

/** What asks about hosts in a run, where somebody sits at its terminal; nothing where nobody does. */
export function hostGateOf(
  { askAtTerminal: ask, state, record, signal }: {
    readonly askAtTerminal?: AskAtTerminal;
    readonly state: () => Reaching;
    readonly record: (fact: HostFact) => void;
    readonly signal: AbortSignal;
  },
): { readonly mayReach?: ReturnType<typeof hostGate> } {
  if (ask === undefined) return {};
  const onAnswer = (host: string, answer: HostAnswer) => record({ type: "host_decided", host, answer, passable: true });
  return { mayReach: hostGate({ ask, signal, reached: () => state().reached ?? [], onAnswer }) };
}

interface HostGate {
  readonly ask: AskAtTerminal;
  /** What may be reached until the run ends, by what a person has said before. */
  readonly reached: () => readonly string[];
  /** Told before anything is let through; it is written down then. */
  readonly onAnswer: (host: string, answer: HostAnswer) => void;
  readonly signal: AbortSignal;
}

/** After so many hosts that a person has refused, nobody is asked any more: a program may try thousands. */
const MOST_REFUSED = 20;

/**
 * Asks a person at the terminal whether agents in the sandbox may reach a host that is not named. Whoever asks waits
 * meanwhile. A no, or no answer, holds until the run ends.
 */
export function hostGate(
  { ask, reached, onAnswer, signal }: HostGate,
): (target: { readonly host: string; readonly port: number }) => Promise<boolean> {
  const refused = new Set<string>();
  const open = new Map<string, Promise<boolean>>();
  const decide = async (target: string): Promise<boolean> => {
    const answer = await answerTo(target, { ask, signal });
    onAnswer(target, answer);
    if (answer === "no") refused.add(target);
    return answer !== "no";
  };
  return async ({ host, port }) => {
    const target = sanitizeLine(`${host}:${port}`);
    if (reached().includes(target)) return true;
    if (refused.has(target) || refused.size >= MOST_REFUSED) return false;
    // One person is asked once, however many connections a program opens.
    const pending = open.get(target) ?? decide(target).finally(() => open.delete(target));
    open.set(target, pending);
    return await pending;
  };
}

async function answerTo(
  target: string,
  { ask, signal }: Pick<HostGate, "ask" | "signal">,
): Promise<HostAnswer> {
  for (let problem = "";;) {
    const said = await ask(questionAbout(target, problem), signal);
    signal.throwIfAborted();
    const word = said?.trim().toLowerCase() ?? "no";
    const answer = HOST_ANSWERS.find((one) => one === word);
    if (answer !== undefined) return answer;
    problem = 'That is no answer: say "once", "run" or "no".\n';
  }
}

function questionAbout(target: string, problem: string): string {
  return `\nA program in the sandbox wants to reach ${target}, which sandbox_network does not name.\n\n${problem}` +
    "Your answer: once, run (until this run ends), or no (Ctrl-D is no; in sandbox_network it is let through always):\n";
}
