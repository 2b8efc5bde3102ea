import { defineCommand } from "../console/command.ts";
import { jsonLine } from "../../text/sanitize.ts";
import { VERSION } from "../../version.ts";

/** `panewright version`. */
export const command = defineCommand({
  description: "Prints the version of panewright, of the Deno runtime in it, and the platform.",
  run: (parsed, io) => {
    const info = {
      version: VERSION,
      deno: Deno.version.deno,
      os: Deno.build.os,
      arch: Deno.build.arch,
      standalone: Deno.build.standalone,
    };
    io.stdout(
      parsed.global.json ? jsonLine(info) : `panewright ${info.version} (deno ${info.deno}, ${info.os} ${info.arch})\n`,
    );
    return Promise.resolve(0);
  },
});
