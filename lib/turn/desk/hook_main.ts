import { askHookChannel } from "./hook_client.ts";
import { MAX_PAYLOAD_BYTES, readText } from "./hook_protocol.ts";

/**
 * What the CLIs of a run's agents start as their hook: `hook_main.ts FOLDER ROLE`, with the request on standard input.
 * It does what `panewright hook` does, and starts faster, since it is all that is loaded: streams of the web are not,
 * which take Deno 10 ms (2.9). On any doubt it prints nothing and exits with 0: the CLI then opens its dialog for a
 * person.
 */
async function main([folder, role]: readonly string[]): Promise<void> {
  if (folder === undefined || role === undefined) return;
  const payload = await readText(Deno.stdin, { maxBytes: MAX_PAYLOAD_BYTES, to: "end" });
  const output = payload === undefined ? "" : await askHookChannel({ folder, role, payload });
  const bytes = new TextEncoder().encode(output === "" ? "" : `${output}\n`);
  for (let written = 0; written < bytes.length;) written += await Deno.stdout.write(bytes.subarray(written));
}

if (import.meta.main) await main(Deno.args).catch(() => {});
