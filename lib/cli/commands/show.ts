import { defineCommand } from "../console/command.ts";
import { showCard } from "../end_card.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";

/** `panewright show`: the card of a run. */
export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: { wd: WORKDIR_FLAG },
  async run({ flags: { wd }, global, positionals: [run] }, io) {
    await showCard(await findMeantRun(io, run, wd), { global, io, signal: io.signal });
    return 0;
  },
});
