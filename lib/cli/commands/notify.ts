import { resolve } from "@std/path/posix";
import { needsTending, tendNotifications } from "../../api/control/tend_notifications.ts";
import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Channel } from "../../run/notify/channel.ts";
import { channelsOf } from "../../run/notify/channels.ts";
import { type MachineSecrets, machineSecrets } from "../../run/notify/machine_secrets.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { wayBackOf } from "../../run/notify/way_back.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import { listRunIds } from "../../run/find_run.ts";
import { readRun } from "../../run/overview.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { type CliIo, defineCommand, textFlag } from "../console/command.ts";
import { findRunsWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { loadNotificationPlan, notificationPlanOfRun } from "../notification_plan.ts";
import { outputLine } from "../../api/output/line.ts";
import { TRUST_FLAG } from "../trust.ts";
import { present } from "../../base/schema.ts";

const ACTIONS = ["test", "flush"] as const;

const TIMEOUT_MS = 10_000;

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
        return await test(flags.config, { io, trust, json, quiet });
      case "flush":
        if (flags.config !== undefined) {
          throw new UsageError('Cannot use --config with "notify flush": each run has its own');
        }
        return await flush(flags.wd, { io, trust, json, quiet });
      default:
        throw new UsageError(`Cannot do "${action}" with notify${didYouMean(action, ACTIONS)}`, {
          hint: `ACTION is ${ACTIONS.join(" or ")}.`,
        });
    }
  },
});

interface Around {
  readonly io: CliIo;
  readonly trust: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

async function test(config: string | undefined, { io, trust, json, quiet }: Around): Promise<number> {
  const { plan, file, workdir } = await loadNotificationPlan(config, { io, trust, mayAsk: !json });
  if (plan === undefined) {
    throw new UsageError(`Cannot send a message: ${file ?? "the configuration"} names nobody to tell`, {
      hint: 'Set notifications.ntfy_topic, for example; "panewright config show" has all settings.',
    });
  }
  const state = stateFolder(io.env);
  const secrets = machineSecrets(state);
  const results = await Promise.all(
    channelsOf(plan, { workdir, secrets }).map(async (channel) => {
      const problem = await tryChannel(channel);
      return { channel: channel.id, where: channel.where, ...present({ problem }) };
    }),
  );
  for (const result of results) {
    const { channel, where, problem } = result;
    if (json) io.stdout(outputLine("notification_tried", result));
    else if (problem !== undefined) io.stdout(`${channel}: not sent to ${sanitizeLine(`${where}: ${problem}`)}\n`);
    else if (!quiet) io.stdout(`${channel}: sent to ${sanitizeLine(where)}\n`);
  }
  if (!json && !quiet) {
    for (const line of wordsAbout(plan, { state, secrets })) {
      io.stdout(`${sanitizeLine(line)}\n`);
    }
  }
  return results.every(({ problem }) => problem === undefined) ? 0 : 1;
}

async function tryChannel(channel: Channel): Promise<string | undefined> {
  const text = "This is how a message of panewright arrives. Nobody is needed.";
  const notification = { kind: "test", title: "panewright: test", text, priority: 3 } as const;
  const about = { id: crypto.randomUUID(), at: new Date().toISOString() };
  try {
    await channel.deliver({ ...about, notification, actions: [] }, { timeoutMs: TIMEOUT_MS });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** What a person has to know besides: where keys are, and who may answer. */
function wordsAbout(
  plan: NotificationPlan,
  { state, secrets }: { readonly state: string | undefined; readonly secrets: MachineSecrets },
): readonly string[] {
  const { webhook, buttons = "none" } = plan;
  const way = wayBackOf(plan, secrets);
  const answered = buttons === "all" ? "questions and permissions" : "questions";
  return [
    ...(webhook !== undefined && webhook.secretFile === undefined
      ? [`The webhook's messages are signed with the key in ${state}/notify/webhook.key`]
      : []),
    ...(way?.by === "topic" ? [`Buttons answer ${answered}; they publish to the topic ${way.topic}`] : []),
    ...(way?.by === "serve" ? [`Buttons answer ${answered}; they lead to ${way.url}`] : []),
  ];
}

async function flush(wd: string | undefined, { io, trust, json, quiet }: Around): Promise<number> {
  const workdir = resolve(await findRunsWorkdir(io, wd));
  const redactor = redactorOf();
  let isAllGone = true;
  let count = 0;
  let untold: unknown;
  for (const id of await listRunIds(workdir)) {
    const folder = runFolderAt(workdir, id);
    const now = new Date();
    if (!await needsTending(folder, now)) continue;
    const { progress } = await readRun(folder, JOBS);
    const configFile = progress?.configFile ?? null;
    const plan = await notificationPlanOfRun({ configFile, workdir }, { io, trust }).catch((error: unknown) => {
      // The messages of other runs do not wait for what is wrong with this one.
      untold ??= error;
      return undefined;
    });
    if (plan === undefined) continue;
    const wallClock = () => new Date();
    const tended = await tendNotifications(folder, {
      ...{ plan, workdir, redactor, clock: systemClock, wallClock, quietBefore: now },
      secrets: machineSecrets(stateFolder(io.env)),
    });
    const { delivered, left, dropped, problems } = tended;
    if (delivered + left + dropped + problems.length === 0) continue;
    count++;
    isAllGone &&= left === 0;
    if (json) io.stdout(outputLine("outbox_flushed", { run: id, delivered, left, dropped, problems: [...problems] }));
    else {
      for (const problem of problems) io.stderr(`warning: ${sanitizeLine(problem)}\n`);
      if (!quiet) io.stdout(`run ${id}: ${delivered} delivered, ${left} left, ${dropped} not needed any more\n`);
    }
  }
  if (untold !== undefined) throw untold;
  if (count === 0 && !json && !quiet) io.stdout("No messages are left.\n");
  return isAllGone ? 0 : 1;
}
