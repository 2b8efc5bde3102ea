import { HumanInterventionRequiredError, PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { confined } from "../launch_plan.ts";
import { SETUP_FILES } from "../setup_files.ts";
import { AcpAgent } from "./acp_agent.ts";
import type { AcpAgentOptions } from "./contract.ts";
import { Opening, type SessionRequest } from "./opening.ts";
import { otherVersionText } from "./protocol/agent_words.ts";
import { openAcpConnection } from "./protocol/connection.ts";
import { AcpEndedError, AcpStartError } from "./protocol/errors.ts";
import { ACP_VERSION, type AcpInitialized } from "./protocol/protocol.ts";
import { type AcpNotification, readOwnMode } from "./protocol/update.ts";
import { sameFileIn } from "./same_file.ts";
import { openSession } from "./session.ts";

const ERROR_LINES = 5;

/** How long big CLIs took on two busy cores was up to 30 seconds. */
const START_SECONDS = 60;

export async function startAcpAgent(options: AcpAgentOptions): Promise<AcpAgent> {
  const { clock, launch, mark, onForcedExit, onLine, provider, resume, signal, connect = openAcpConnection } = options;
  const { acp, cli, label } = provider;
  const { start_seconds: seconds = START_SECONDS } = acp;
  const wanted = acp.launch(launch);
  const env = { ...wanted.env, ...options.variables };
  const plan = await confined({ ...wanted, env }, { sandbox: launch.sandbox, signal });
  const opening = new Opening();
  let agent: AcpAgent | undefined;
  const update = (told: AcpNotification) => agent === undefined ? opening.take(told) : agent.update(told);
  const launchedAtMs = Date.now();
  const connection = await connect({
    ...{ label, mark, clock, signal, plan, startLimitMs: seconds * 1000 },
    handlers: {
      update,
      permission: async (request, gone) => await agent?.permission(request, gone) ?? { outcome: "cancelled" },
      elicitation: async (question, gone) => await agent?.elicitation(question, gone) ?? { action: "cancel" },
      extension(_method, params) {
        const told = readOwnMode(params);
        if (told !== undefined && (agent === undefined || agent.sessionId === told.sessionId)) update(told);
      },
      trouble({ text }) {
        const trouble = `The agent ${text}`;
        if (agent === undefined) opening.troubles.push(trouble);
        else agent.trouble(trouble);
      },
      ...(onLine === undefined ? {} : { wire: (way, line) => onLine(line, way === "sent" ? "us" : "agent") }),
    },
    ...present({ onForcedExit, installHint: cli?.installHint }),
  }).catch((error) => {
    throw startError(error);
  });
  try {
    const { initialized } = connection;
    requireVersion(initialized, provider);
    const variable = (name: string) => Object.hasOwn(env, name) ? env[name] : Deno.env.get(name);
    const authMethod = acp.authMethod({ env: variable, ...SETUP_FILES });
    const { model, workdir } = launch;
    const request = { provider, initialized, workdir, model, resume, authMethod, clock };
    const opened = await withinLimit((signal) => {
      const ask: SessionRequest["ask"] = (question) => connection.call(question, { signal }).result;
      return openSession({ ...request, ask, signal }, opening);
    }, { clock, signal, seconds, label });
    const isSameFile = sameFileIn(launch);
    return agent = new AcpAgent({ options, connection, opened, opening, launchedAtMs, isSameFile });
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw signal.aborted ? error : startError(error, connection.stderrTail());
  }
}

async function withinLimit<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  { clock, signal, seconds, label }: Pick<AcpAgentOptions, "clock" | "signal"> & {
    readonly seconds: number;
    readonly label: string;
  },
): Promise<Result> {
  const done = new AbortController();
  const limit = new AbortController();
  clock.sleep(seconds * 1000, done.signal).then(
    () => limit.abort(new RuntimeError(`Cannot open a session with ${label}: it has not done so within ${seconds} s`)),
    () => {},
  );
  try {
    return await act(AbortSignal.any([signal, limit.signal]));
  } finally {
    done.abort();
  }
}

function requireVersion({ protocolVersion }: AcpInitialized, { cli, label }: AcpAgentProvider): void {
  if (protocolVersion === ACP_VERSION) return;
  throw new UsageError(
    `Cannot talk to ${label}: ${otherVersionText([protocolVersion])}`,
    cli === undefined ? {} : { hint: `Install a version that does. ${cli.installHint}` },
  );
}

function startError(error: unknown, lastLines: readonly string[] = []): unknown {
  if (error instanceof AcpStartError) {
    const more = { cause: error, ...present({ hint: error.hint }) };
    const isForGood = error.problem === "no_program" || error.problem === "refused";
    return isForGood ? new UsageError(error.message, more) : new RuntimeError(error.message, more);
  }
  if (!(error instanceof PanewrightError)) return error;
  const message = [error.message, ...lastLines.slice(-ERROR_LINES).map((line) => `  ${line}`)].join("\n");
  const more = { cause: error, ...present({ hint: error.hint }) };
  const isEnd = error instanceof AcpEndedError && error.end.kind !== "broken";
  for (const Kind of [HumanInterventionRequiredError, UsageError, RuntimeError]) {
    if (error instanceof Kind || isEnd && Kind === RuntimeError) return new Kind(message, more);
  }
  return error;
}
