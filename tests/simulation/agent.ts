import { findResponseTarget } from "../../lib/lab/replay/response_target.ts";
import type { FailureClass } from "../../lib/base/terms.ts";
import { createRandom } from "../support/random.ts";
import type { NightProcess } from "./machine/programs.ts";
import type { Machine } from "./machine/machine.ts";
import type { Trouble } from "./troubles.ts";
import { OWN_LOGIN, type World } from "./world.ts";

type Json = Readonly<Record<string, unknown>>;

/** What model servers and CLIs say, by the class that it is of. */
const ERRORS: Readonly<Record<FailureClass, { readonly code: number; readonly message: string }>> = {
  overloaded: { code: 529, message: "529 overloaded_error: Overloaded" },
  rate_limit: { code: 429, message: "429 Too many requests" },
  network: { code: -32603, message: "stream disconnected before completion" },
  program: { code: -32603, message: "Cannot find module" },
  usage_limit: { code: -32603, message: "You have reached your usage limit" },
  auth: { code: -32000, message: "Authentication required" },
  context: { code: -32603, message: "Prompt is too long" },
  model: { code: -32603, message: "The model gpt-night does not exist" },
  other: { code: -32603, message: "Something went wrong" },
};

const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** The variable that chooses the login. */
export const LOGIN_VARIABLE = "NIGHT_LOGIN";

/** A conversation, as its CLI keeps it on the disk: also for later processes. */
export interface Session {
  readonly id: string;
  /** Whose it is. */
  readonly login: string;
  /** What it was sent. */
  readonly prompts: string[];
  /** Whether nothing more fits into it. */
  isFull: boolean;
}

interface OpenTurn {
  readonly id: unknown;
  readonly session: Session;
  readonly prompt: string;
  readonly trouble: readonly Trouble[];
  readonly number: number;
  isOver: boolean;
}

/** A CLI that speaks the Agent Client Protocol, with the model behind it. */
export class AgentProgram {
  #rest = "";
  #requests = 0;
  #hasHungUp = false;
  #together: string | undefined;
  readonly #waiting = new Map<string, (result: Json | undefined) => void>();
  #turn: OpenTurn | undefined;
  readonly #random;

  constructor(readonly process: NightProcess, readonly machine: Machine, readonly world: World) {
    this.#random = createRandom(world.seed * 31 + process.pid);
    process.onInput = (text) => text === undefined ? this.#hangUp() : this.#read(text);
    process.onEnd = () => void (this.#turn = undefined);
    // Some take a moment to end.
    process.onSignal = (signal) => {
      if (signal === "SIGKILL" || this.#random.int(3) > 0) return false;
      this.#after(200 + this.#random.int(1500), () => process.exit(143, "SIGTERM"));
      return true;
    };
  }

  #after(ms: number, act: () => void): void {
    this.machine.time.after(ms, () => {
      if (this.process.isAlive) act();
    });
  }

  get #login(): string {
    return this.process.env[LOGIN_VARIABLE] ?? OWN_LOGIN;
  }

  /** A login knows its own conversations only. */
  #sessionOf(id: unknown): Session | undefined {
    const session = this.world.sessions.get(String(id));
    return session?.login === this.#login ? session : undefined;
  }

  /** Most end at once with their input; some work on to the end of their turn. */
  #hangUp(): void {
    if (this.#hasHungUp) return;
    this.#hasHungUp = true;
    if (this.#turn !== undefined && this.#random.int(2) === 0) return;
    this.#after(this.#random.int(800), () => this.process.exit(0));
  }

  #send(message: Json): void {
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    if (this.#together === undefined) this.process.print(line);
    else this.#together += line;
  }

  /** What the model says in one reply is told at once. */
  #inOneReply(act: () => void): void {
    this.#together = "";
    act();
    this.process.print(this.#together);
    this.#together = undefined;
  }

  #update(session: Session, update: Json): void {
    this.#send({ method: "session/update", params: { sessionId: session.id, update } });
  }

  #say(session: Session, text: string): void {
    this.#update(session, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line);
      const { id, method, params = {} } = message;
      if (method === undefined) {
        this.#waiting.get(String(id))?.(message.result);
        this.#waiting.delete(String(id));
      } else if (method === "session/cancel") this.#cancel();
      else if (method === "session/prompt") this.#after(20 + this.#random.int(200), () => this.#prompt(id, params));
      else if (id !== undefined) this.#after(5 + this.#random.int(60), () => this.#reply(id, method, params));
    }
  }

  #reply(id: unknown, method: string, params: Json): void {
    const modes = { currentModeId: "default", availableModes: [{ id: "default", name: "default" }] };
    if (method === "initialize") {
      const agentCapabilities = { loadSession: false, sessionCapabilities: { resume: {} } };
      const agentInfo = { name: "night", version: "1.0.0" };
      return this.#send({ id, result: { protocolVersion: 1, agentInfo, agentCapabilities, authMethods: [] } });
    }
    if (this.world.loggedOut.has(this.#login)) return this.#send({ id, error: ERRORS.auth });
    if (method === "session/new") {
      const session = this.world.openSession(this.#login);
      return this.#send({ id, result: { sessionId: session.id, modes } });
    }
    if (method === "session/resume") {
      const session = this.#sessionOf(params["sessionId"]);
      return this.#send(
        session === undefined
          ? { id, error: { code: -32002, message: "Resource not found" } }
          : { id, result: { modes } },
      );
    }
    this.#send({ id, result: {} });
  }

  #cancel(): void {
    const turn = this.#turn;
    for (const answer of this.#waiting.values()) answer(undefined);
    this.#waiting.clear();
    if (turn === undefined) return;
    // An agent that hangs may not hear of it.
    if (turn.trouble.some(({ what }) => what === "hang") && this.#random.int(2) === 0) return;
    this.#after(100, () => this.#end(turn, { result: { stopReason: "cancelled" } }));
  }

  #end(turn: OpenTurn, reply: Json): void {
    if (turn.isOver) return;
    turn.isOver = true;
    this.#send({ id: turn.id, ...reply });
    if (this.#turn === turn) this.#turn = undefined;
    if (this.#hasHungUp) this.#after(100, () => this.process.exit(0));
  }

  #fail(turn: OpenTurn, failure: FailureClass): void {
    this.#end(turn, { error: ERRORS[failure] });
  }

  #prompt(id: unknown, { sessionId, prompt }: Json): void {
    const { world } = this;
    const session = this.#sessionOf(sessionId);
    if (session === undefined) return this.#send({ id, error: { code: -32002, message: "Resource not found" } });
    const text = (prompt as { readonly text?: string }[]).map((part) => part.text ?? "").join("\n");
    const { number, trouble } = world.takePrompt(session, text);
    const turn: OpenTurn = this.#turn = { id, session, prompt: text, trouble, number, isOver: false };
    const lasting = world.failureNow(session);
    if (lasting !== undefined) return this.#after(500, () => this.#fail(turn, lasting));
    this.#say(session, "Looking at it.");
    const isSlow = trouble.some(({ what }) => what === "slow");
    const workMs = 5000 + this.#random.int(180_000) + (isSlow ? 20 * 60_000 : 0);
    this.#after(workMs / 2, () => {
      if (!this.#struck(turn, "before")) this.#ask(turn, () => this.#after(workMs / 2, () => this.#finish(turn)));
    });
  }

  /** Returns whether the turn goes no further. */
  #struck(turn: OpenTurn, when: "before" | "after"): boolean {
    if (turn.isOver) return true;
    const { session } = turn;
    for (const trouble of turn.trouble) {
      if (trouble.at !== "prompt" || !("when" in trouble) || trouble.when !== when) continue;
      if (trouble.what === "hang") return true;
      if (trouble.what === "die") {
        this.process.exit(1);
        return true;
      }
      if (trouble.what !== "fail") continue;
      this.world.noteFailure(session, trouble.failure);
      this.#fail(turn, trouble.failure);
      return true;
    }
    return false;
  }

  #ask(turn: OpenTurn, then: () => void): void {
    // A session that is resumed need not be told its task once more, nor what was answered before.
    const { prompts } = turn.session;
    const tasks = prompts.map((prompt) => /Do thing \d/.exec(prompt)?.[0]).filter((task) => task !== undefined);
    const path = findResponseTarget(turn.prompt)?.path ?? tasks.at(-1) ?? "";
    const asked = this.world.askIn(path, turn.number, turn.trouble);
    if (asked === undefined) return then();
    const { ask, number } = asked;
    if (this.world.job === "exec") return this.#askAsStep(turn, ask, then);
    const { times } = ask;
    let left = times;
    const done = (result: Json | undefined, about: string) => {
      this.world.noteAnswer(about, result);
      if (result === undefined || --left > 0) return;
      this.world.noteAllAnswered(path);
      if (!turn.isOver) then();
    };
    for (let time = 0; time < times; time++) {
      const about = `${ask.how} ${number}.${time}`;
      this.world.noteAsked(about);
      if (ask.how === "form") {
        const properties = { answer: { type: "string", title: `Which way, ${about}?`, enum: ["left", "right"] } };
        const params = { sessionId: turn.session.id, mode: "form", message: `Which way, ${about}?` };
        this.#request(
          "elicitation/create",
          { ...params, requestedSchema: { type: "object", properties } },
          (result) => done(result, about),
        );
      } else {
        const toolCall = this.#call(turn, `deploy --to ${about.replaceAll(/[ .]/g, "-")}`, time);
        const params = { sessionId: turn.session.id, toolCall, options: OPTIONS };
        this.#request("session/request_permission", params, (result) => done(result, about));
      }
    }
  }

  #call({ session, number }: OpenTurn, command: string, time: number): Json {
    const toolCall = {
      ...{ toolCallId: `call-${number}-${time}`, title: command, kind: "execute", status: "pending" },
      rawInput: { command },
    };
    this.#update(session, { sessionUpdate: "tool_call", ...toolCall });
    return toolCall;
  }

  /** By the command `panewright ask`, several of one reply at the same time. */
  #askAsStep(turn: OpenTurn, ask: Extract<Trouble, { what: "ask" }>, then: () => void): void {
    const told = this.world.questionsToAsk(turn.session.prompts.join("\n"), ask.number, ask.times);
    if (told.length === 0) return then();
    this.#inOneReply(() => {
      for (const [time, question] of told.entries()) {
        this.world.noteAsked(question);
        const toolCall = this.#call(turn, `panewright ask '${question}'`, time);
        this.#request("session/request_permission", { sessionId: turn.session.id, toolCall, options: OPTIONS }, () => {
          const { toolCallId } = toolCall;
          this.#update(turn.session, { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
        });
      }
    });
    // The commands block, until panewright has ended the agent.
  }

  #request(method: string, params: Json, take: (result: Json | undefined) => void): void {
    const id = `night-${this.process.pid}-${++this.#requests}`;
    this.#waiting.set(id, take);
    this.#send({ id, method, params });
  }

  #finish(turn: OpenTurn): void {
    if (turn.isOver) return;
    const { session, number } = turn;
    const is = (what: Trouble["what"]) => turn.trouble.some((one) => one.what === what);
    const respond = () => this.world.respond(findResponseTarget(turn.prompt)?.path, { number, isEmpty: is("empty") });
    if (is("disobey")) this.world.violate("an agent does what it may not");
    if (is("leave_server")) this.world.leaveServer(this.process);
    if (is("late")) this.machine.time.after(2000 + this.#random.int(20_000), respond);
    else if (!is("silent")) respond();
    this.#say(session, `Done with ${number}.`);
    if (this.#struck(turn, "after")) return;
    this.#after(100 + this.#random.int(3000), () => {
      this.#end(turn, { result: { stopReason: "end_turn" } });
      if (is("double")) this.#send({ id: turn.id, result: { stopReason: "end_turn" } });
    });
  }
}
