import { runCli } from "../../lib/cli/main.ts";
import { checkOutput } from "./check_output.ts";
import { fakeIo, type FakeIoOptions } from "./fake_io.ts";

/** How a command line ended, and what it wrote. */
export interface CalledCli {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls the command line in this process. */
export async function callCli(args: readonly string[], options: FakeIoOptions = {}): Promise<CalledCli> {
  const io = fakeIo(options);
  const code = await runCli(args, io);
  checkOutput(args, io.written.stdout);
  return { code, ...io.written };
}
