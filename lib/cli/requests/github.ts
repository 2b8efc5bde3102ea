import * as z from "zod";
import type { Comment, FailedCheck, Feedback, FeedbackOptions } from "./feedback.ts";
import type { Forge } from "./forge.ts";

const login = z.object({ login: z.string() }).nullish();

const request = z.object({
  number: z.int(),
  url: z.string(),
  comments: z.array(z.object({ author: login, body: z.string(), createdAt: z.string() })).default([]),
  reviews: z.array(z.object({ author: login, body: z.string(), submittedAt: z.string().nullish() })).default([]),
  // Of GitHub Actions and the like, or of a service that only sets a state.
  statusCheckRollup: z.array(z.object({
    name: z.string().optional(),
    context: z.string().optional(),
    status: z.string().optional(),
    conclusion: z.string().nullish(),
    state: z.string().optional(),
    detailsUrl: z.string().nullish(),
  })).default([]),
});

const lineComments = z.array(z.object({
  user: login,
  body: z.string(),
  path: z.string(),
  line: z.int().nullish(),
  created_at: z.string(),
}));

type Check = z.output<typeof request>["statusCheckRollup"][number];

/** Reads what is said of a pull request, with the person's own `gh` (https://docs.github.com/rest/pulls/comments). */
export async function readPullRequest(
  forge: Forge,
  branch: string,
  { withoutLogs = false }: FeedbackOptions = {},
): Promise<Feedback> {
  const fields = "number,url,comments,reviews,statusCheckRollup";
  const read = request.parse(JSON.parse(await forge.call(["pr", "view", branch, "--json", fields])));
  const { comments, number, reviews, statusCheckRollup: checks, url } = read;
  // The newest: a page has no more, and pages come one after another, not as one JSON.
  const newest = `repos/{owner}/{repo}/pulls/${number}/comments?per_page=100&sort=created&direction=desc`;
  const ofLines = lineComments.parse(JSON.parse(await forge.call(["api", newest])));
  const said = [
    ...comments.map(({ author, body: text, createdAt: at }) => ({ by: author?.login ?? "", text, at })),
    ...reviews.map(({ author, body: text, submittedAt }) => ({ by: author?.login ?? "", text, at: submittedAt ?? "" })),
    ...ofLines.map(({ body: text, created_at: at, line, path, user }) => (
      { by: user?.login ?? "", text, at, place: `${path}${line ? `:${line}` : ""}` }
    )),
  ];
  const writers = new Set<string>();
  for (const by of new Set(said.map((comment) => comment.by))) if (await mayWrite(by, forge)) writers.add(by);
  return {
    url,
    said: said.map((comment): Comment => ({ ...comment, mayWrite: writers.has(comment.by) })),
    failed: await Promise.all(
      checks.filter((check) => FAILED.test(endOf(check))).map((check) => failedCheck(check, { forge, withoutLogs })),
    ),
    checks: checks.length,
    pending: checks.filter((check) => !ENDED.test(endOf(check))).length,
  };
}

const FAILED = /^(?:FAILURE|ERROR|TIMED_OUT|STARTUP_FAILURE|ACTION_REQUIRED)$/;
const ENDED = /^(?:FAILURE|ERROR|TIMED_OUT|STARTUP_FAILURE|ACTION_REQUIRED|SUCCESS|NEUTRAL|SKIPPED|CANCELLED|STALE)$/;

function endOf({ conclusion, state, status }: Check): string {
  return status === undefined || status === "COMPLETED" ? conclusion || state || "" : "";
}

/** Who may write; nobody of whom that is not said. */
async function mayWrite(by: string, forge: Forge): Promise<boolean> {
  if (!/^[A-Za-z0-9-]{1,39}$/.test(by)) return false;
  const said = await forge.call(["api", `repos/{owner}/{repo}/collaborators/${by}/permission`, "--jq", ".permission"])
    .catch(() => "");
  return ["admin", "maintain", "write"].includes(said.trim());
}

async function failedCheck(
  { context, detailsUrl, name = context ?? "" }: Check,
  { forge, withoutLogs }: FeedbackOptions & { readonly forge: Forge },
): Promise<FailedCheck> {
  const [, job] = withoutLogs ? [] : /\/actions\/runs\/\d+\/job\/(\d+)/.exec(detailsUrl ?? "") ?? [];
  const log = job === undefined ? "" : await forge.call(["run", "view", "--job", job, "--log-failed"]).catch(() => "");
  return { name, log };
}
