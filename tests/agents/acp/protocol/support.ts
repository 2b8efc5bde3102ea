import { openAcpConnection } from "../../../../lib/agents/acp/protocol/connection.ts";
import type {
  AcpConnection,
  AcpConnectionOptions,
  AcpHandlers,
  AcpQuestion,
} from "../../../../lib/agents/acp/protocol/contract.ts";
import { ACP_QUESTIONS } from "../../../../lib/agents/acp/protocol/questions.ts";
import type { FakeAgentScript, FakeStep } from "../../../lab/acp_fake_agent.ts";
import { type FakeAcpAgent, fakeAcpAgent } from "../../../support/acp_fake.ts";
import { patientClock } from "../../../support/patient_clock.ts";
import type { Random } from "../../../support/random.ts";
import { tempDir } from "../../../support/temp_dir.ts";
import { until } from "../../../support/until.ts";

/** A connection to a fake agent, and what its handlers were called with. */
export interface FakeConnection extends AsyncDisposable {
  readonly connection: AcpConnection;
  readonly agent: FakeAcpAgent;
  /** The agent's working directory. */
  readonly folder: string;
  /** In their order: what was said (`say TEXT`), other updates (`KIND`), permissions (`ask TITLE`), replies, ends. */
  readonly events: string[];
  readonly troubles: string[];
}

/** Where a connection is opened; whatever is missing behaves well. */
export interface FakeConnectionOptions extends Partial<AcpConnectionOptions> {
  readonly script?: FakeAgentScript;
  /** The steps of every turn. */
  readonly steps?: readonly FakeStep[];
  readonly with?: Partial<AcpHandlers>;
  /** A shell script, in place of the fake agent. */
  readonly program?: string;
}

/** Starts a fake agent, and opens a connection to it. */
export async function openFake(options: FakeConnectionOptions = {}): Promise<FakeConnection> {
  const { script, steps, with: handlers, program, ...more } = options;
  const dir = await tempDir();
  const events: string[] = [];
  const troubles: string[] = [];
  try {
    const agent = await fakeAcpAgent(dir.path, { ...(steps ? { turns: [{ steps }] } : {}), ...script });
    const connection = await openAcpConnection({
      plan: { argv: program === undefined ? [agent.path] : ["sh", "-c", program], env: {}, cwd: dir.path },
      mark: { name: "PANEWRIGHT_TEST_MARK", value: crypto.randomUUID() },
      clock: patientClock(),
      signal: new AbortController().signal,
      label: "Fake",
      ...more,
      handlers: {
        update: ({ update }) => void events.push(update.type === "message" ? `say ${update.text}` : update.type),
        permission({ call, options }) {
          events.push(`ask ${call.title}`);
          const { optionId = "" } = options.find(({ kind }) => kind === "allow_once") ?? {};
          return Promise.resolve({ outcome: "selected", optionId });
        },
        trouble: ({ text }) => void troubles.push(text),
        ...handlers,
      },
    });
    return {
      ...{ connection, agent, folder: dir.path, events, troubles },
      async [Symbol.asyncDispose]() {
        await connection[Symbol.asyncDispose]();
        await dir[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await dir[Symbol.asyncDispose]();
    throw error;
  }
}

/** What an agent answers. */
export function ask<Result>(connection: AcpConnection, question: AcpQuestion<Result>): Promise<Result> {
  return connection.call(question).result;
}

/** Opens a session and sends a prompt; its reply becomes an event the moment that it is there. */
export async function startTurn({ connection, events, folder }: FakeConnection, text = "Do it.") {
  const { sessionId } = await ask(connection, ACP_QUESTIONS.newSession(folder));
  const { written, result: reply } = connection.call(ACP_QUESTIONS.prompt(sessionId, text));
  reply.then(({ stopReason }) => events.push(`end ${stopReason}`), (error) => events.push(`${error.name}`));
  return { sessionId, written, reply };
}

/** Waits until something is among the events. */
export async function seen({ events }: FakeConnection, event: string): Promise<void> {
  await until(() => events.includes(event), Boolean, () => JSON.stringify(events));
}

/** Bytes in pieces of random sizes; many of one byte. */
export function cut(bytes: Uint8Array, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const size = random.pick([0, 1, 1, 2, 3, 1 + random.int(40), 1 + random.int(4000)]);
    chunks.push(bytes.slice(start, start + size));
    start += size;
  }
  return chunks;
}
