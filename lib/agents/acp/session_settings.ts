import { type AcpConnection, AcpReplyError, type AcpSessionState } from "./protocol/connection.ts";
import { type PanewrightError, UsageError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { OpeningNews, SessionRequest } from "./session_request.ts";
import { readConfigOptions } from "./update.ts";

/** How long an agent may take to tell of a mode that it was put in. */
const READ_BACK_MS = 2000;
const LOOK_EVERY_MS = 20;

const MAX_LISTED = 50;
const MAX_WORD_CHARS = 100;

interface Setting {
  readonly sessionId: string;
  readonly state: AcpSessionState;
  readonly connection: AcpConnection;
  readonly request: Pick<SessionRequest, "provider" | "model" | "clock" | "signal">;
  readonly news: OpeningNews;
}

export async function setUpSession(setting: Setting): Promise<string | undefined> {
  const mode = await setMode(setting);
  await setOptions(setting);
  await setModel(setting);
  requireSettings(setting, mode);
  return mode;
}

async function setMode(setting: Setting): Promise<string | undefined> {
  const { connection, news, request: { provider, signal }, sessionId, state } = setting;
  const wanted = provider.acp.askMode?.id;
  news.forgetSettings();
  const options = readConfigOptions(state.configOptions);
  const option = options.find(({ category }) => category === "mode");
  const current = state.modes?.currentModeId ?? option?.value;
  if (wanted === undefined) return current;
  const fail = (why: string) => asksNot(provider, why);
  const offered = state.modes?.availableModes.map(({ id }) => id) ?? option?.choices ?? [];
  if (current === undefined) throw fail("its session has no modes");
  if (!offered.includes(wanted)) throw fail(`it offers the modes ${listed(offered)}, and not ${wanted}`);
  if (current === wanted) return current;
  let told: string | undefined;
  try {
    if (state.modes !== undefined) await connection.setMode({ sessionId, modeId: wanted, signal });
    else told = await chooseOption(setting, option!.id, wanted);
  } catch (error) {
    throw error instanceof AcpReplyError ? fail(`it refuses the mode ${wanted}: ${error.reason}`) : error;
  }
  const now = await readBack(setting, () => told ?? news.mode, wanted);
  if (now === wanted) return wanted;
  throw fail(now === undefined ? `it does not confirm that it is in the mode ${wanted}` : `its mode is ${now}`);
}

async function setOptions(setting: Setting): Promise<void> {
  const { request: { provider }, state } = setting;
  for (const [id, wanted] of Object.entries(provider.acp.askMode?.options ?? {})) {
    const fail = (why: string) => asksNot(provider, why);
    const option = readConfigOptions(state.configOptions).find((one) => one.id === id);
    if (option === undefined) throw fail(`its session has no option ${id}`);
    if (option.value === wanted) continue;
    try {
      const now = await chooseOption(setting, id, wanted);
      if (now !== wanted) throw fail(`its option ${id} is ${now ?? "not reported"}, and not ${wanted}`);
    } catch (error) {
      throw error instanceof AcpReplyError ? fail(`it refuses ${id} ${wanted}: ${error.reason}`) : error;
    }
  }
}

async function setModel(setting: Setting): Promise<void> {
  const { connection, request: { model, provider, signal }, sessionId, state } = setting;
  const by = provider.acp.model;
  if (model === undefined || by === undefined) return;
  try {
    if (by.by === "session_model" && state.models?.currentModelId !== model) {
      await connection.setModel({ sessionId, modelId: model, signal });
    }
    if (by.by === "config_option") {
      const now = await chooseOption(setting, by.id, model);
      if (now !== model) {
        throw new UsageError(
          `Cannot use the model ${model}: ${provider.label} uses ${sanitizeLine(now ?? "its own")}`,
        );
      }
    }
  } catch (error) {
    if (!(error instanceof AcpReplyError)) throw error;
    const offered = state.models?.availableModels.map(({ modelId }) => modelId) ??
      readConfigOptions(state.configOptions).find(({ category }) => category === "model")?.choices ?? [];
    throw new UsageError(`Cannot use the model ${model}: ${provider.label} refuses it: ${error.reason}`, {
      ...(offered.length === 0 ? {} : { hint: `It offers ${sanitizeLine(listed(offered))}.` }),
      cause: error,
    });
  }
}

/** What was set first may have changed with what was set last. */
function requireSettings({ news, request: { provider } }: Setting, mode: string | undefined): void {
  const { id, options = {} } = provider.acp.askMode ?? {};
  const now = news.mode ?? mode;
  if (id !== undefined && now !== id) throw asksNot(provider, `its mode is ${now}`);
  for (const [name, wanted] of Object.entries(options)) {
    const value = news.options?.find((one) => one.id === name)?.value ?? wanted;
    if (value !== wanted) throw asksNot(provider, `its option ${name} is ${value}, and not ${wanted}`);
  }
}

async function chooseOption(setting: Setting, id: string, wanted: string): Promise<string | undefined> {
  const { connection, news, request: { signal }, sessionId, state } = setting;
  const isSwitch = state.configOptions?.find((one) => one.id === id)?.type === "boolean";
  const value = isSwitch ? wanted === "on" : wanted;
  const options = await connection.setConfigOption({ sessionId, configId: id, value, signal });
  if (options !== undefined) news.tell(readConfigOptions(options));
  return await readBack(setting, () => news.options?.find((one) => one.id === id)?.value, wanted);
}

async function readBack(
  { request: { clock, signal } }: Setting,
  told: () => string | undefined,
  wanted: string,
): Promise<string | undefined> {
  for (const untilMs = clock.now() + READ_BACK_MS; told() !== wanted && clock.now() < untilMs;) {
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return told();
}

function asksNot({ label }: AcpAgentProvider, why: string): PanewrightError {
  return new UsageError(`Cannot have ${label} ask before it acts: ${sanitizeLine(why)}`, {
    hint: "Another version of the agent may have other modes: see panewright agents.",
  });
}

function listed(words: readonly string[]): string {
  const shown = words.slice(0, MAX_LISTED).map((word) => word.slice(0, MAX_WORD_CHARS).toWellFormed());
  return [...shown, ...words.length > shown.length ? [`${words.length - shown.length} more`] : []].join(", ");
}
