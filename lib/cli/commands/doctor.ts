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
    sandbox: switchFlag("open the sandbox around agents, and try from inside to get out in every known way"),
    "hooks-limit": numberFlag("SECONDS", "how long each trial may take (default: 20)"),
  },
  async run(parsed, io) {
    const { cwd, signal } = io;
    const { hooks: triesHooks = false, sandbox: triesSandbox = false } = parsed.flags;
    const { "hooks-limit": hooksLimitSeconds } = parsed.flags;
    const context = { signal, ...environmentOf(io), cwd, ...await checkRules(io), triesHooks, hooksLimitSeconds };
    const { global: { json, quiet, color } } = parsed;
    const look = { color: color.stdout, width: io.isTerminal.stdout ? io.columns() : Infinity };
    let failed = false;
    const findings = triesSandbox
      ? (await import("../doctor/escapes.ts")).findEscapes({ env: io.env, signal })
      : examine(parsed.positionals[0], context);
    for await (const finding of findings) {
      io.signal.throwIfAborted();
      failed ||= finding.status === "fail";
      if (json) io.stdout(outputLine("finding", finding));
      else if (!quiet || finding.status !== "ok") io.stdout(renderFinding(finding, look));
    }
    return failed ? 1 : 0;
  },
});
