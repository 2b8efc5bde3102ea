import { holdSandbox } from "../../sandbox/host.ts";
import { defineCommand } from "../console/command.ts";

/** `panewright sandbox-host`: the process that holds the sandbox of a run. */
export const command = defineCommand({
  async run() {
    const encoder = new TextEncoder();
    const writer = Deno.stdout.writable.getWriter();
    await holdSandbox({
      stdin: Deno.stdin.readable,
      write: (line) => writer.write(encoder.encode(`${line}\n`)),
    });
    return 0;
  },
});
