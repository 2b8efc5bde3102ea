import type { CliName } from "../support/clis.ts";
import { startAnthropicServer } from "./anthropic_server.ts";
import type { ModelServer, ModelServerOptions } from "./model_server.ts";
import { startOpenAiServer } from "./openai_server.ts";

/** Starts the model server that a CLI talks to. */
export function startCliServer(cli: CliName, options: ModelServerOptions): ModelServer {
  return (cli === "codex" ? startOpenAiServer : startAnthropicServer)(options);
}
