import type { FakeAgentScript } from "../lab/acp_fake_agent.ts";

/** A fake agent over ACP as a program; see tests/lab/acp_fake_agent.ts. */
export interface FakeAcpAgent {
  /** A program that starts it, with whatever arguments; its name is that of the agent. */
  readonly path: string;
  /** The messages that its processes have received so far, in their order. */
  received(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Changes what the processes do that are started from now on. */
  rewrite(script: FakeAgentScript): Promise<void>;
}

/**
 * Makes a fake agent in a folder that is there.
 *
 * @param name of the program: one that stands for a real agent has its name
 */
export async function fakeAcpAgent(
  folder: string,
  script: FakeAgentScript,
  { name = "fake-agent" }: { readonly name?: string } = {},
): Promise<FakeAcpAgent> {
  const file = `${folder}/${name}.script.json`;
  const path = `${folder}/${name}`;
  const agent = new URL("../lab/acp_fake_agent.ts", import.meta.url).pathname;
  const rewrite = (changed: FakeAgentScript) => Deno.writeTextFile(file, JSON.stringify(changed, undefined, 2));
  await rewrite(script);
  await Deno.writeTextFile(
    path,
    `#!/bin/sh\nexec '${Deno.execPath()}' run --quiet --no-config --no-lock --no-check -A '${agent}' '${file}' "$@"\n`,
    { mode: 0o755 },
  );
  return {
    path,
    rewrite,
    async received() {
      const text = await Deno.readTextFile(`${file}.state/received.ndjson`).catch(() => "");
      return text.trim().split("\n").flatMap((line) => line === "" ? [] : JSON.parse(line));
    },
  };
}
