import { sanitizeLine } from "../base/text/sanitize.ts";
import { HOST_ANSWERS, type HostAnswer } from "../base/terms.ts";
import type { Reaching } from "../journal/common.ts";
import type { AskAtTerminal } from "../run/execution.ts";

/** After so many hosts that a person has refused, nobody is asked any more: a program may try thousands. */
const MOST_REFUSED = 20;

/**
 * What asks a person at the terminal whether agents in the sandbox may reach a host that is not named; nothing where
 * nobody sits there. Whoever wants to reach it waits meanwhile. A no, or no answer, holds until the run ends.
 */
export function hostGateOf(
  { askAtTerminal: ask, state, record, signal }: {
    readonly askAtTerminal?: AskAtTerminal;
    readonly state: () => Reaching;
    readonly record: (
      fact: {
        readonly type: "host_decided";
        readonly passable: true;
        readonly host: string;
        readonly answer: HostAnswer;
      },
    ) => void;
    readonly signal: AbortSignal;
  },
): { readonly mayReach?: (target: { readonly host: string; readonly port: number }) => Promise<boolean> } {
  if (ask === undefined) return {};
  const refused = new Set<string>();
  const open = new Map<string, Promise<boolean>>();
  const decide = async (host: string): Promise<boolean> => {
    const answer = await answerTo(host, { ask, signal });
    // It is written down before anything is let through.
    record({ type: "host_decided", host, answer, passable: true });
    if (answer === "no") refused.add(host);
    return answer !== "no";
  };
  const mayReach = async ({ host, port }: { readonly host: string; readonly port: number }) => {
    const target = sanitizeLine(`${host}:${port}`);
    if (state().reached?.includes(target)) return true;
    if (refused.has(target) || refused.size >= MOST_REFUSED) return false;
    // One person is asked once, however many connections a program opens.
    const pending = open.get(target) ?? decide(target).finally(() => open.delete(target));
    open.set(target, pending);
    return await pending;
  };
  return { mayReach };
}

async function answerTo(
  target: string,
  { ask, signal }: { readonly ask: AskAtTerminal; readonly signal: AbortSignal },
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
