import { WORKDIR_FLAG } from "../find_named_run.ts";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand, textFlag } from "../console/command.ts";
import { TRUST_FLAG } from "../trust.ts";
import { flushNotifications } from "../notify/flush.ts";
import { testNotifications } from "../notify/test.ts";

const ACTIONS = ["test", "flush"] as const;

export const command = defineCommand({
  arguments: [{ name: "ACTION", description: `${ACTIONS.join(" or ")}`, required: true, choices: [...ACTIONS] }],
  flags: {
    config: textFlag("FILE", "test: the config file (default: panewright.jsonc, if it is there)"),
    wd: { ...WORKDIR_FLAG, description: "flush: the working directory of the runs" },
    trust: TRUST_FLAG,
  },
  async run({ flags, positionals: [action = ""], global }, io) {
    const trust = flags.trust === true;
    const { json, quiet } = global;
    switch (action) {
      case "test":
        if (flags.wd !== undefined) throw new UsageError('Cannot use --wd with "notify test": it needs no run');
        return await testNotifications(flags.config, { io, trust, json, quiet });
      case "flush":
        if (flags.config !== undefined) {
          throw new UsageError('Cannot use --config with "notify flush": each run has its own');
        }
        return await flushNotifications(flags.wd, { io, trust, json, quiet });
      default:
        throw new UsageError(`Cannot do "${action}" with notify${didYouMean(action, ACTIONS)}`, {
          hint: `ACTION is ${ACTIONS.join(" or ")}.`,
        });
    }
  },
});
