import { outputLine } from "../../api/output/line.ts";
import { defineCommand, numberFlag, switchFlag } from "../console/command.ts";
import { examine } from "../doctor/examine.ts";
import { checkRules } from "../doctor/rules.ts";
import { environmentOf } from "../environment.ts";
import { renderFinding } from "../show/render_finding.ts";

export const command = defineCommand({
  arguments: [{
    name: "CONFIG",
    description: "the config file; panewright.jsonc of the working directory if left out",
  }],
  flags: {
    hooks: switchFlag("start each installed agent CLI with a scripted model, and show whether its hooks work"),
    "hooks-limit": numberFlag("SECONDS", "how long each trial may take (default: 20)"),
  },
  async run(parsed, io) {
    const { cwd, signal } = io;
    const { hooks: triesHooks = false, "hooks-limit": hooksLimitSeconds } = parsed.flags;
    const context = { signal, ...environmentOf(io), cwd, ...await checkRules(io), triesHooks, hooksLimitSeconds };
    const { global: { json, quiet, color } } = parsed;
    const look = { color: color.stdout, width: io.isTerminal.stdout ? io.columns() : Infinity };
    let failed = false;
    for await (const finding of examine(parsed.positionals[0], context)) {
      io.signal.throwIfAborted();
      failed ||= finding.status === "fail";
      if (json) io.stdout(outputLine("finding", finding));
      else if (!quiet || finding.status !== "ok") io.stdout(renderFinding(finding, look));
    }
    return failed ? 1 : 0;
  },
});
