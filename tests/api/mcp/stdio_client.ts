import { Client } from "@modelcontextprotocol/sdk/client";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { CallToolResult, JSONRPCMessage } from "@modelcontextprotocol/sdk/types";
import type * as z from "zod";
import type { ToolName, TOOLS } from "../../../lib/api/operations/mod.ts";

type ToolOutput<Name extends ToolName> = z.input<(typeof TOOLS)[Name]["output"]>;

/** A `panewright mcp` that runs, and the SDK's client of it. */
export interface StdioClient extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** What the tool returns; an error of the tool is thrown, with its code at the end of the message. */
  call<Name extends ToolName>(name: Name, args?: Record<string, unknown>, options?: object): Promise<ToolOutput<Name>>;
  /** Ends the server as nothing else does; the client is told that the connection is closed. */
  kill(): Promise<void>;
  /** Ends its input; resolves to its exit code, and to what it has written to its standard error. */
  end(): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** Starts `panewright mcp`, and connects the SDK's client to it. */
export async function startMcp(
  argv: readonly [string, ...string[]],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<StdioClient> {
  const [program, ...args] = argv;
  const child = new Deno.Command(program, {
    ...{ args, cwd, env: { ...env }, clearEnv: true },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const stderr = new Response(child.stderr).text();
  const writer = child.stdin.getWriter();
  writer.closed.catch(() => {});
  const transport: Transport = {
    start() {
      read().finally(() => transport.onclose?.());
      return Promise.resolve();
    },
    send: (message) => writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)),
    close: () => writer.close().catch(() => {}),
  };
  async function read(): Promise<void> {
    let rest = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      // Whatever is not a message of the protocol fails the test here.
      for (const line of lines) transport.onmessage?.(JSON.parse(line) as JSONRPCMessage);
    }
  }
  const end = async () => {
    await transport.close();
    const { code } = await child.status;
    return { code, stderr: await stderr };
  };
  const client = new Client({ name: "a-client", version: "1.0.0" });
  await client.connect(transport);
  return {
    client,
    pid: child.pid,
    async call(name, args = {}, options = {}) {
      const result = await client.callTool({ name, arguments: args }, undefined, options) as CallToolResult;
      const [content] = result.content;
      if (result.isError) throw new Error(content?.type === "text" ? content.text : "an error without a text");
      return result.structuredContent as never;
    },
    async kill() {
      child.kill("SIGKILL");
      await end();
    },
    end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}
