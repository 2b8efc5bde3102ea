import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { checkoutWork } from "../../jobs/evidence/noted.ts";
import { readOverview } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { diffOf, keepResult } from "../../workspace/result.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { readCard, workspaceOf } from "../card/read_card.ts";
import { startDetached } from "../control/detach.ts";
import { applyWork, discardWork } from "../control/workspace_acts.ts";
import { CARD_OUTPUTS } from "../output/card_outputs.ts";
import { RUN_OUTPUTS } from "../output/run_outputs.ts";
import { text } from "../output/shapes.ts";
import { MAX_TEXT_CHARS, startedRun } from "./fields.ts";
import { runOperation } from "./operation.ts";

export const getCard = runOperation({
  id: "getCard",
  method: "get",
  path: "/v1/runs/{run}/card",
  summary: "What came of a run, and what can be done with it",
  replies: { 200: { about: "The card, as `panewright show --json` has it.", schema: CARD_OUTPUTS.card } },
  async handle(folder, { signal }) {
    return { status: 200, json: await readCard(folder, { now: new Date(), signal }) };
  },
});

export const getWork = runOperation({
  id: "getWork",
  method: "get",
  path: "/v1/runs/{run}/work",
  summary: "What a run has changed in its workspace, or in the checkout itself, as a patch",
  replies: { 200: { about: "The patch.", schema: z.object({ patch: text("As `git diff` writes it.") }) } },
  problems: ["refused"],
  async handle(folder, { signal }) {
    const work = await checkoutWork(folder, { signal, orNow: true });
    if (work !== undefined) return { status: 200, json: { patch: await diffOf(work, work, { signal }) } };
    const workspace = await workspaceIn(folder);
    return {
      status: 200,
      json: { patch: await diffOf(workspace, await keepResult(workspace, { signal }), { signal }) },
    };
  },
});

const ACT = { method: "post", body: z.strictObject({}), problems: ["refused", "bad_input"] } as const;

export const applyRun = runOperation({
  ...ACT,
  id: "applyWork",
  path: "/v1/runs/{run}/apply",
  summary: "Brings what was done in the workspace of a run into the checkout",
  description: "Nothing is overwritten: where the checkout has other changes of the same lines, nothing is written.",
  replies: { 200: { about: "What was written.", schema: RUN_OUTPUTS.workspace_applied } },
  handle: async (folder, { signal }) => ({ status: 200, json: await applyWork(await workspaceIn(folder), { signal }) }),
});

export const discardRun = runOperation({
  ...ACT,
  id: "discardWork",
  path: "/v1/runs/{run}/discard",
  summary: "Removes the workspace of a run; a ref keeps what was done in it",
  replies: { 200: { about: "What keeps it.", schema: RUN_OUTPUTS.workspace_discarded } },
  async handle(folder, { signal }) {
    return { status: 200, json: (await discardWork(await workspaceIn(folder), { signal })).told };
  },
});

export const replyToRun = runOperation({
  id: "reply",
  method: "post",
  path: "/v1/runs/{run}/reply",
  summary: "Another round in the workspace of a run, with what a person says of the work",
  headers: z.object({ "idempotency-key": z.string().min(1).max(256).optional() }),
  body: z.strictObject({ text: text("What is said of the work.").min(1).max(MAX_TEXT_CHARS) }),
  replies: { 202: { about: "The run of that round.", schema: startedRun } },
  problems: ["refused", "bad_input", "busy", "needs_trust", "key_reused"],
  async handle(folder, { body: { text: said }, context: { detach }, headers, signal }) {
    const { name, origin } = await workspaceIn(folder);
    const key = headers["idempotency-key"];
    const call = { command: "reply", flags: [], positionals: [name, said], cwd: origin, by: "http" } as const;
    const json = await startDetached({ ...call, ...(key === undefined ? {} : { key }) }, { ...detach, signal });
    return { status: 202, headers: { Location: `/v1/runs/${json.run}` }, json };
  },
});

/** @throws {UsageError} where a run has worked in the checkout itself, or its workspace is gone */
async function workspaceIn(folder: RunFolder): Promise<Workspace> {
  const { progress } = await readOverview(folder, JOBS, { brief: true });
  const workspace = workspaceOf(folder, progress?.target);
  if (workspace !== undefined) return workspace;
  throw new UsageError(`Cannot do anything with the work of run ${folder.id}: it has no workspace`, {
    code: "bad_input",
    hint: "What it has changed is in the checkout, or its workspace was discarded.",
  });
}
