import { WORKDIR_FLAG } from "../find_named_run.ts";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand, textFlag } from "../console/command.ts";
import { TRUST_FLAG } from "../trust.ts";
import { sendDigest } from "../notify/digest.ts";
import { flushNotifications } from "../notify/flush.ts";
import { testNotifications } from "../notify/test.ts";

const ACTIONS = ["test", "digest", "flush"] as const;

export const command = defineCommand({
  arguments: [{ name: "ACTION", description: ACTIONS.join(", "), required: true, choices: [...ACTIONS] }],
  flags: {
    config: textFlag("FILE", "test, digest: the config file (default: panewright.jsonc, if it is there)"),
    wd: { ...WORKDIR_FLAG, description: "flush: the working directory of the runs" },
    trust: TRUST_FLAG,
  },
  async run({ flags, positionals: [action = ""], global }, io) {
    const trust = flags.trust === true;
    const { json, quiet } = global;
    switch (action) {
      case "test":
      case "digest":
        if (flags.wd !== undefined) throw new UsageError(`Cannot use --wd with "notify ${action}": it needs no run`);
        return await (action === "test" ? testNotifications : sendDigest)(flags.config, { io, trust, json, quiet });
      case "flush":
        if (flags.config !== undefined) {
          throw new UsageError('Cannot use --config with "notify flush": each run has its own');
        }
        return await flushNotifications(flags.wd, { io, trust, json, quiet });
      default:
        throw new UsageError(`Cannot do "${action}" with notify${didYouMean(action, ACTIONS)}`, {
          hint: `ACTION is one of ${ACTIONS.join(", ")}.`,
        });
    }
  },
});
