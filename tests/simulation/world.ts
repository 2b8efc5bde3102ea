import type { FailureClass } from "../../lib/base/terms.ts";
import { createRandom, type Random } from "../support/random.ts";
import { FAIL, GOOD_REVIEW, PASS, REVISE } from "../jobs/review_loop/scripted_agents.ts";
import type { Session } from "./agent.ts";
import type { NightProcess } from "./machine/programs.ts";
import type { Machine } from "./machine/machine.ts";
import type { Trouble } from "./troubles.ts";

export const PROJECT = "/night/project";

/** What an agent has asked for, by its own name of it, and what came of that. */
interface Matter {
  /** What people said to it. */
  readonly said: string[];
  /** What its agent was told, each time. */
  readonly told: string[];
  /** Under which ids people were asked. */
  readonly questions: Set<string>;
}

/** What an agent asks in a turn: again in the next one, as long as it has no answer. */
interface AskedInTurn {
  readonly number: number;
  readonly ask: Extract<Trouble, { readonly what: "ask" }>;
}

/** A prompt says first what it is; these are sent into a turn that has begun. */
const FOLLOW_UP =
  /^(?:Your turn is not finished|The model server failed|Your program was ended|What you asked permission|What you had|Your conversation|Continue|You )/;

/** The login that agents have by themselves, and the one that may take its place. */
export const OWN_LOGIN = "own";
export const OTHER_LOGIN = "other";

/** Whether a night's configuration names another login. */
export function hasOtherLogin({ seed }: { readonly seed: number }): boolean {
  return seed % 3 === 0;
}

/**
 * What is outside of panewright in a night: conversations, accounts, the project's truth, people. What it notes by
 * itself is what the invariants go by.
 */
export class World {
  readonly sessions = new Map<string, Session>();
  readonly violations: string[] = [];
  /** Every response that an agent has written whole, and whether the agent has written another one over it. */
  readonly responses: { readonly path: string; readonly text: string; isReplaced: boolean }[] = [];
  /** The exit codes of the project's test command. */
  readonly tests: number[] = [];
  readonly matters = new Map<string, Matter>();
  prompts = 0;
  /** The logins that the server refuses. */
  readonly loggedOut = new Set<string>();
  /** What strikes at panewright's next call. */
  strikes: Trouble | undefined;
  /** For how many calls that write the disk is full. */
  readonly disk = { fullFor: 0 };
  /** The logins that were told once that their model is not to be had. */
  readonly #modelless = new Set<string>();
  /** Until when nothing is left of the account of a login. */
  readonly #limitUntilMs = new Map<string, number>();
  readonly #random: Random;
  /** The questions of steps that were asked at the same time. */
  readonly stepAsks: (readonly string[])[] = [];
  readonly #unanswered = new Map<string, AskedInTurn>();
  machine!: Machine;

  constructor(readonly seed: number, readonly job: "run" | "exec", readonly troubles: readonly Trouble[]) {
    this.#random = createRandom(seed * 17 + 3);
  }

  violate(message: string): void {
    if (!this.violations.includes(message)) this.violations.push(message);
  }

  openSession(login: string): Session {
    const id = `session-${this.sessions.size + 1}`;
    const session: Session = { id, login, prompts: [], isFull: false };
    this.sessions.set(id, session);
    return session;
  }

  takePrompt(session: Session, text: string): { readonly number: number; readonly trouble: readonly Trouble[] } {
    const plain = text.replaceAll(/PANEWRIGHT_[0-9a-f]{12}/g, "PANEWRIGHT");
    if (!FOLLOW_UP.test(plain) && session.prompts.includes(plain)) {
      this.violate(`${session.id} was sent the same prompt twice: ${plain.slice(0, 80)}`);
    }
    session.prompts.push(plain);
    const number = ++this.prompts;
    return { number, trouble: this.troubles.filter((one) => one.at === "prompt" && one.number === number) };
  }

  /** Why nothing can be had of the model now, whatever it is asked. */
  failureNow(session: Session): FailureClass | undefined {
    return this.failureOf(session.login) ?? (session.isFull ? "context" : undefined);
  }

  /** Why nothing can be had with a login now. */
  failureOf(login: string): FailureClass | undefined {
    if (this.loggedOut.has(login)) return "auth";
    return this.limitLeftMs(login) > 0 ? "usage_limit" : undefined;
  }

  noteFailure(session: Session, failure: FailureClass): void {
    const { login } = session;
    if (failure === "auth") this.loggedOut.add(login);
    if (failure === "usage_limit") this.#limitUntilMs.set(login, this.machine.time.now() + 3 * 3_600_000);
    if (failure === "context") session.isFull = true;
    if (failure === "model") this.#modelless.add(login);
  }

  /** How long the limit of a login's account lasts still. */
  limitLeftMs(login = OWN_LOGIN): number {
    return Math.max(0, (this.#limitUntilMs.get(login) ?? 0) - this.machine.time.now());
  }

  /** A night in which another login may take the place of one does not end for want of one. */
  noteEnd({ outcome, reason }: { readonly outcome: string; readonly reason: string }): void {
    if (!hasOtherLogin(this) || outcome === "interrupted" || outcome === "killed") return;
    const why = /usage limit|not logged in/.exec(reason)?.[0];
    const free = [OWN_LOGIN, OTHER_LOGIN].find((login) =>
      this.failureOf(login) === undefined && !this.#modelless.has(login)
    );
    if (why !== undefined && free !== undefined) this.violate(`it ended for ${why}, although ${free} was free`);
  }

  /** A person puts right in the morning what only a person can. */
  putRight(): void {
    this.loggedOut.clear();
    this.disk.fullFor = 0;
  }

  responseTo(path: string, number: number): string {
    const isReview = path.endsWith("_review.md");
    const text = path.endsWith("test_result.md")
      ? this.#random.int(4) === 0 ? FAIL : PASS
      : isReview
      ? this.#random.int(4) === 0 ? REVISE : GOOD_REVIEW
      : "Files changed: src/greet.ts.";
    return `Response ${number}.\n${text}\n`;
  }

  /** An agent writes its response; an empty one where it forgets what it wanted to say. */
  respond(
    path: string | undefined,
    { number, isEmpty }: { readonly number: number; readonly isEmpty: boolean },
  ): void {
    if (path === undefined) return;
    const { files } = this.machine;
    const text = isEmpty ? "\n" : this.responseTo(path, number);
    files.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    files.write(`${path}.partial`, text);
    this.#noteReplaced(path);
    files.rename(`${path}.partial`, path);
    if (!isEmpty) this.responses.push({ path, text, isReplaced: false });
  }

  /** What stands at a path is about to be written over by the agent itself. */
  #noteReplaced(path: string): void {
    if (!this.machine.files.has(path)) return;
    const text = this.machine.files.text(path);
    for (const one of this.responses) if (one.path === path && one.text === text) one.isReplaced = true;
  }

  leaveServer(agent: NightProcess): void {
    const { programs } = this.machine;
    const server = programs.spawn("server", { env: { ...agent.env } });
    const found = programs.all.find(({ pid }) => pid === server.pid);
    if (found !== undefined) found.parentPid = agent.pid;
  }

  /** What is asked in a turn by the agent that writes the response at a path. */
  askIn(path: string, number: number, trouble: readonly Trouble[]): AskedInTurn | undefined {
    const ask = trouble.find((one) => one.what === "ask");
    if (ask !== undefined) this.#unanswered.set(path, { number, ask });
    return this.#unanswered.get(path);
  }

  noteAllAnswered(path: string): void {
    this.#unanswered.delete(path);
  }

  #matter(about: string): Matter {
    const matter = this.matters.get(about) ?? { said: [], told: [], questions: new Set() };
    this.matters.set(about, matter);
    return matter;
  }

  noteAsked(about: string): void {
    this.#matter(about);
  }

  /** A person is asked. */
  noteQuestion(id: string, words: string): void {
    const about = this.matterOf(words);
    if (about === undefined) return;
    const { questions, said, told } = this.#matter(about);
    const isAnswered = said.length > 0 && told.length === 0;
    if (isAnswered && !questions.has(id)) this.violate(`${about} was answered, and is asked again as ${id}`);
    questions.add(id);
  }

  /** A person answers a question that they know from a list: its process may have told nobody of it. */
  noteSaid(about: string, { id, answer }: { readonly id: string; readonly answer: string }): void {
    const { questions, said } = this.#matter(about);
    questions.add(id);
    said.push(answer);
  }

  noteAnswer(about: string, result: Readonly<Record<string, unknown>> | undefined): void {
    if (result === undefined) return;
    const told = JSON.stringify(result);
    const matter = this.#matter(about);
    matter.told.push(told);
    const isYes = told.includes('"optionId":"yes"');
    if (isYes && !matter.said.some((said) => /^yes\b/.test(said))) {
      this.violate(`${about} was permitted, and no person said yes`);
    }
    const given = /"answer":"(\w+)"/.exec(told)?.[1];
    if (given !== undefined && !matter.said.includes(given === "left" ? "1" : "2")) {
      this.violate(`${about} was answered ${given}, and no person said so`);
    }
  }

  /** Which matter words are about. */
  matterOf(words: string): string | undefined {
    return [...this.matters.keys()].find((about) =>
      words.includes(about) || words.includes(about.replaceAll(/[ .]/g, "-"))
    );
  }

  /** What the agent of a step still has to ask: what its prompt tells the answers to is asked no more. */
  questionsToAsk(prompt: string, number: number, times: number): readonly string[] {
    const all = Array.from({ length: times }, (_, time) => `Which way, ask ${number}.${time}?`);
    const left = all.filter((question) => !prompt.includes(question));
    if (left.length > 1) this.stepAsks.push(left);
    return left;
  }

  chance(below: number): number {
    return this.#random.int(below);
  }
}
