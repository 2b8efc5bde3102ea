import type { ModelRequest, Respond } from "../lab/script.ts";
import type { Step, Turn } from "../lab/steps.ts";

/** A role's answer number `turn` (from 1): commands that it runs first, and what it writes to its response file. */
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
 * `answer` is asked with the name of the response file without `.md`, such as `analyst_summary`. With `escalate` each
 * command asks for approval first.
 */
export function createReviewModel(
  answer: (responseName: string, turn: number) => ScriptedAnswer,
  options: { readonly thinkMs?: number; readonly escalate?: boolean } = {},
): ReviewModel {
  const { thinkMs = 300, escalate = false } = options;
  const prompts = new Map<string, string[]>();
  const respond = (request: ModelRequest): Turn => {
    const prompt = request.prompts.at(-1) ?? "";
    const match = [...prompt.matchAll(/(\/[^\s'"]+\/\.tmp\/agent-responses\/(\w+)\.md)/g)].at(-1);
    if (match?.[1] === undefined || match[2] === undefined) {
      return [{ do: "say", text: "I was given no response file." }];
    }
    const [, path, name] = match;
    const asked = prompts.get(name) ?? [];
    asked.push(prompt);
    prompts.set(name, asked);
    const { commands = [], response } = answer(name, asked.length);
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
  };
  return { respond, prompts };
}
