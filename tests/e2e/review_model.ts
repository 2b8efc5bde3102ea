import type { ModelRequest, Respond } from "../lab/script.ts";
import type { Step, Turn } from "../lab/steps.ts";

/** A role's answer: commands that it runs first, and what it writes to its response file. */
export interface ScriptedAnswer {
  readonly commands?: readonly string[];
  readonly response: string;
}

/** A model that plays the roles of a review loop, and what it was asked. */
export interface ReviewModel {
  readonly respond: Respond;
  /** The prompts that each role got, by the name of its response file without `.md`. */
  readonly prompts: ReadonlyMap<string, readonly string[]>;
}

/**
 * A model that works as agents are told to: it finds the response file in the prompt, runs its commands and writes the
 * file, each through the client's shell tool, and says in the end that it has done so.
 *
 * `answer` is asked with the name of the response file without `.md`, such as `analyst_summary`, and the number of the
 * prompt, from 1. With `escalate` each
 * command asks for approval first.
 */
export function createReviewModel(
  answer: (responseName: string, turn: number) => ScriptedAnswer,
  options: { readonly thinkMs?: number; readonly escalate?: boolean } = {},
): ReviewModel {
  const prompts = new Map<string, string[]>();
  const respond = (request: ModelRequest): Turn => {
    const prompt = request.prompts.at(-1) ?? "";
    const target = responseTargetOf(prompt);
    if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
    const asked = prompts.get(target.name) ?? [];
    asked.push(prompt);
    prompts.set(target.name, asked);
    return workTurn(target, answer(target.name, asked.length), options);
  };
  return { respond, prompts };
}

/** Where a prompt wants its response: the path, and the file's name without `.md`. */
export interface ResponseTarget {
  readonly path: string;
  readonly name: string;
}

/** The last response file that a prompt names. */
export function responseTargetOf(prompt: string): ResponseTarget | undefined {
  const match = [...prompt.matchAll(/(\/[^\s'"]+\/\.tmp\/agent-responses\/(\w+)\.md)/g)].at(-1);
  const [, path, name] = match ?? [];
  return path === undefined || name === undefined ? undefined : { path, name };
}

/** What a model does that works as it is told to: its commands, its response file, and a last word. */
export function workTurn(
  { path }: ResponseTarget,
  { commands = [], response }: ScriptedAnswer,
  { thinkMs = 300, escalate = false }: { readonly thinkMs?: number; readonly escalate?: boolean } = {},
): Turn {
  const shell = (command: string): Step[] => [
    { do: "wait", ms: thinkMs },
    { do: "shell", command, ...(escalate ? { escalate: "May I run this?" } : {}) },
  ];
  return [
    { do: "say", text: "I will look at the project first.", phase: "commentary" },
    ...commands.flatMap(shell),
    ...shell(`cat > '${path}' <<'END_OF_RESPONSE'\n${response}\nEND_OF_RESPONSE`),
    { do: "wait", ms: thinkMs },
    { do: "say", text: `My response is in ${path}.`, chunkChars: 8, chunkMs: 20 },
  ];
}
