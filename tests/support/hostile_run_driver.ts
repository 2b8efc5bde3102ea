import { TextLineStream } from "@std/streams";
import { runCli } from "../../lib/cli/main.ts";
import { fakeIo } from "./fake_io.ts";

// Calls command lines, one a line of standard input as JSON `{cwd, args}`, and prints a line `{args, code, stderr}` of
// each. It is a program of its own: a command that hangs can be killed from outside.

for await (const line of Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
  const { cwd, args } = JSON.parse(line);
  const io = fakeIo({ cwd, env: { HOME: `${cwd}/home`, PATH: Deno.env.get("PATH") ?? "", PANEWRIGHT_TRUST: "1" } });
  const code = await runCli(args, io);
  const { stdout, stderr } = io.written;
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify({ args, code, stdout, stderr })}\n`));
}
