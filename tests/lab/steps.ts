/** One thing that the model does while it answers a prompt. The same steps script every model server. */
export type Step =
  /** Thinks in silence. */
  | { readonly do: "wait"; readonly ms: number }
  /** Thinks, or pauses in the middle of an answer, until the test calls the server's `release`. */
  | { readonly do: "hold" }
  /** Streams a message. Commentary comes between tool calls; without a phase it is the final answer. */
  | {
    readonly do: "say";
    readonly text: string;
    readonly phase?: "commentary" | "final";
    /** @default {16} characters a chunk */
    readonly chunkChars?: number;
    /** @default {0} pause after each chunk */
    readonly chunkMs?: number;
  }
  /** Streams a summary of its reasoning, then holds the stream for a while. */
  | { readonly do: "think"; readonly text: string; readonly holdMs?: number }
  /** Calls the client's shell tool, whatever the client calls it. */
  | {
    readonly do: "shell";
    readonly command: string;
    /** Asks for approval with this reason where the client knows such an argument. */
    readonly escalate?: string;
    /** Further arguments of the tool, such as `yield_time_ms`. */
    readonly args?: Readonly<Record<string, unknown>>;
  }
  /** Writes a file with the client's tool for that. */
  | { readonly do: "write"; readonly path: string; readonly text: string }
  /** Asks the person with the client's tool for that, where it offers one. */
  | { readonly do: "ask"; readonly question: string; readonly options: readonly string[] }
  /** Calls a tool by name; a string as input is a free-form ("custom") call of the Responses API. */
  | {
    readonly do: "call";
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>> | string;
    /** The namespace of the tool (Responses API). */
    readonly namespace?: string;
  }
  /**
   * Answers a request with an HTTP error. As the last step of a turn it answers every further request of the turn, for
   * clients try again.
   */
  | {
    readonly do: "refuse";
    readonly status: number;
    /** @default {1} how many requests are answered so */
    readonly times?: number;
    readonly message?: string;
    /** Says that the account's limit is reached, as the vendor does. */
    readonly isLimit?: true;
    /** Further fields of the error in the answer's body. */
    readonly error?: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** Ends the stream in the middle: with an error event where `error` is given, otherwise by cutting the connection. */
  | { readonly do: "break"; readonly error?: { readonly code: string; readonly message: string } }
  /** Never finishes: the stream stays open until the client goes away. */
  | { readonly do: "hang" };

/** What the model does from a prompt to the end of its answer; it may take several requests. */
export type Turn = readonly Step[];

/**
 * Cuts a turn into the replies to single requests: a run of tool calls ends a reply, for the client has to report their
 * results first, and an HTTP error is a reply of its own.
 */
export function splitIntoReplies(turn: Turn): readonly Turn[] {
  const replies: Step[][] = [];
  let current: Step[] = [];
  const finish = () => {
    if (current.length > 0) replies.push(current);
    current = [];
  };
  for (const step of turn) {
    const previous = current.at(-1);
    if (previous !== undefined && isCall(previous) && !isCall(step)) finish();
    if (step.do === "refuse") {
      const waits = current.every((each) => each.do === "wait") ? current.splice(0) : [];
      finish();
      for (let i = 0; i < (step.times ?? 1); i++) replies.push([...waits, step]);
      continue;
    }
    current.push(step);
    if (step.do === "break" || step.do === "hang") finish();
  }
  finish();
  return replies;
}

/** Whether the client has to run a tool before the turn goes on. */
export function isCall(step: Step): boolean {
  return step.do === "shell" || step.do === "write" || step.do === "ask" || step.do === "call";
}

/** Cuts text into chunks of so many characters, without breaking one. */
export function* chunks(text: string, size: number): Generator<string> {
  const characters = [...text];
  for (let i = 0; i < characters.length; i += size) yield characters.slice(i, i + size).join("");
}
