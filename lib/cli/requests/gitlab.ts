import * as z from "zod";
import { RuntimeError } from "../../base/errors.ts";
import type { Comment, Feedback, FeedbackOptions } from "./feedback.ts";
import type { Forge } from "./forge.ts";

const requests = z.array(z.object({ iid: z.int(), web_url: z.string() }));

const notes = z.array(z.object({
  author: z.object({ id: z.int(), username: z.string() }),
  body: z.string(),
  created_at: z.string(),
  /** Of GitLab itself: "added 1 commit". */
  system: z.boolean(),
  position: z.object({ new_path: z.string(), new_line: z.int().nullish() }).nullish(),
}));

const pipelines = z.array(z.object({ id: z.int(), status: z.string() }));

const jobs = z.array(z.object({ id: z.int(), name: z.string(), status: z.string(), allow_failure: z.boolean() }));

/** From which on somebody may push (https://docs.gitlab.com/api/members/#roles). */
const DEVELOPER = 30;

/** Reads what is said of a merge request, with the person's own `glab`. */
export async function readMergeRequest(
  forge: Forge,
  branch: string,
  { withoutLogs = false }: FeedbackOptions = {},
): Promise<Feedback> {
  const ask = async <Shape extends z.ZodType>(path: string, shape: Shape) =>
    shape.parse(JSON.parse(await forge.call(["api", `projects/:id/${path}`])));
  const query = new URLSearchParams({ source_branch: branch, state: "opened" });
  const [request] = await ask(`merge_requests?${query}`, requests);
  if (request === undefined) throw new RuntimeError(`Cannot read what is said of ${branch}: it has no open request`);
  const of = `merge_requests/${request.iid}`;
  const said = (await ask(`${of}/notes?per_page=100`, notes)).filter(({ system }) => !system);
  const level = z.object({ access_level: z.int() });
  const writers = new Set<number>();
  for (const id of new Set(said.map(({ author }) => author.id))) {
    const found = await ask(`members/all/${id}`, level).catch(() => undefined);
    if (found !== undefined && found.access_level >= DEVELOPER) writers.add(id);
  }
  const [newest] = await ask(`${of}/pipelines`, pipelines);
  const all = newest === undefined ? [] : await ask(`pipelines/${newest.id}/jobs?per_page=100`, jobs);
  const failed = all.filter(({ allow_failure, status }) => status === "failed" && !allow_failure);
  return {
    url: request.web_url,
    said: said.map(({ author, body: text, created_at: at, position }): Comment => ({
      ...{ by: author.username, mayWrite: writers.has(author.id), text, at },
      ...(position ? { place: `${position.new_path}${position.new_line ? `:${position.new_line}` : ""}` } : {}),
    })),
    failed: await Promise.all(failed.map(async ({ id, name }) => (
      { name, log: withoutLogs ? "" : await forge.call(["api", `projects/:id/jobs/${id}/trace`]).catch(() => "") }
    ))),
    checks: all.length,
    pending:
      all.filter(({ status }) => /^(?:created|pending|running|preparing|waiting_for_resource)$/.test(status)).length,
  };
}
