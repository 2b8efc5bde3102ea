import type { AgentFact } from "../agent.ts";
import { plainText } from "../../base/text/sanitize.ts";

const ENTRY_CHARS = { said: 2000, reasoned: 600, ran: 600, saw: 1000, trouble: 400 } as const;

/** How many characters all of it may have; about 4000 tokens. */
const MAX_CHARS = 16_000;

/** The share of that which the first entries may take: what the agent set out to do. */
const HEAD_CHARS = 4000;

export class AttemptLog {
  readonly #head: string[] = [];
  #headChars = 0;
  #tail: string[] = [];
  #tailChars = 0;
  #leftOut = 0;
  readonly #running = new Map<string, string>();

  add(fact: AgentFact): void {
    const entry = this.#entryOf(fact);
    if (entry === undefined) return;
    if (this.#tail.length === 0 && this.#headChars + entry.length <= HEAD_CHARS) {
      this.#head.push(entry);
      this.#headChars += entry.length;
      return;
    }
    this.#tail.push(entry);
    this.#tailChars += entry.length;
    while (this.#tailChars > MAX_CHARS - HEAD_CHARS && this.#tail.length > 1) {
      this.#tailChars -= this.#tail.shift()!.length;
      this.#leftOut++;
    }
  }

  text(): string {
    const gap = this.#leftOut === 0 ? [] : [`(… ${this.#leftOut} entries left out …)`];
    const running = [...this.#running.values()].slice(-5).map((command) => `${command}\n(not ended)`);
    return [...this.#head, ...gap, ...this.#tail, ...running].join("\n\n");
  }

  #entryOf(fact: AgentFact): string | undefined {
    switch (fact.type) {
      case "said":
        return `Said: ${shorten(fact.text, ENTRY_CHARS.said)}`;
      case "reasoned":
        return `Thought: ${shorten(fact.text, ENTRY_CHARS.reasoned)}`;
      case "ran":
        // It is told together with how it ended.
        this.#running.set(fact.id, `Ran: ${shorten(fact.command, ENTRY_CHARS.ran)}`);
        return undefined;
      case "saw": {
        const ran = this.#running.get(fact.id) ?? `Ran: ${shorten(fact.command, ENTRY_CHARS.ran)}`;
        this.#running.delete(fact.id);
        const output = shorten(fact.output, ENTRY_CHARS.saw);
        return `${ran}\n${endOf(fact.exitCode)}${output === "" ? ", no output" : `, output:\n${output}`}`;
      }
      case "permitted":
        return undefined;
      case "trouble":
        return `Trouble: ${shorten(fact.text, ENTRY_CHARS.trouble)}`;
      case "session":
      case "usage":
        return undefined;
      default:
        return fact satisfies never;
    }
  }
}

/** Codex records -1 for a command that it broke off (0.169.0). */
function endOf(exitCode: number | undefined): string {
  if (exitCode === -1) return "(not ended)";
  return exitCode === undefined ? "Ended" : `Exit code ${exitCode}`;
}

/** The beginning and the end of a text that is too long, the end being the longer part. */
function shorten(text: string, limit: number): string {
  const plain = plainText(text.length > 20 * limit ? `${text.slice(0, 10 * limit)}\n${text.slice(-10 * limit)}` : text)
    .trim();
  if (plain.length <= limit) return plain;
  const head = Math.floor(limit / 3);
  const left = plain.length - limit;
  return `${plain.slice(0, head).toWellFormed()} (… ${left} characters left out …) ${
    plain.slice(head - limit).toWellFormed()
  }`;
}
