import type { AgentEvent, AgentFact } from "./agent.ts";
import { LineTail } from "../base/follow/line_tail.ts";
import { EMPTY_LOG, foldLog, type LogState } from "./log_state.ts";
import { SessionTokens, type TokenFiles } from "./pane/session_tokens.ts";

type ReadLine = (line: string) => readonly AgentEvent[];

interface LogForm {
  readonly createReader: () => ReadLine;
  readonly tokens: (path: string, sessionId: string) => TokenFiles;
}

/** Where nobody asks, no more is kept. */
const MOST_KEPT = 1000;

/** A CLI's record of a session, as it is followed: each read goes on where the last one stopped. */
export class SessionLog implements Disposable {
  readonly #tail: LineTail;
  #readLine: ReadLine;
  #state = EMPTY_LOG;
  #work: AgentFact[] = [];
  #tokens: SessionTokens | undefined;
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(readonly path: string, readonly form: LogForm) {
    this.#tail = new LineTail(path);
    this.#readLine = form.createReader();
  }

  get state(): LogState {
    return this.#state;
  }

  /** What was written since; `undefined` where nothing was. */
  read(): Promise<readonly AgentEvent[] | undefined> {
    // Two reads at once would spoil the place.
    const read = this.#lastRead.then(() => this.#readOn());
    this.#lastRead = read.catch(() => {});
    return read;
  }

  /** What the agent has run in its turn, each call and end once; the beginning of the next makes all before it past. */
  takeWork(): readonly AgentFact[] {
    return this.#work.splice(0);
  }

  async usage(sessionId: string) {
    this.#tokens ??= new SessionTokens(this.form.tokens(this.path, sessionId));
    return { sessionId, usage: await this.#tokens.read() };
  }

  [Symbol.dispose](): void {
    this.#tail[Symbol.dispose]();
    this.#tokens?.[Symbol.dispose]();
  }

  async #readOn(): Promise<readonly AgentEvent[] | undefined> {
    let events: AgentEvent[] | undefined;
    for (;;) {
      // A log that cannot be read any more tells nothing new.
      const { lines, restarted } = await this.#tail.read().catch(() => ({ lines: [], restarted: undefined }));
      if (restarted !== undefined) {
        [this.#readLine, this.#state, this.#work] = [this.form.createReader(), EMPTY_LOG, []];
      } else if (lines.length === 0) return events;
      const read = lines.flatMap(this.#readLine);
      for (const event of read) this.#add(event);
      events = [...events ?? [], ...read];
    }
  }

  #add(event: AgentEvent): void {
    this.#state = foldLog(this.#state, event);
    if (event.type === "turn_began") this.#work = [];
    if (event.type === "ran" || event.type === "saw") this.#work = [...this.#work, event].slice(-MOST_KEPT);
  }
}
