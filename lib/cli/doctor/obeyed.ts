import { surveyObeyed } from "../../agents/obeyed_files.ts";
import type { Provider } from "../../agents/provider.ts";
import { UsageError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { present } from "../../base/schema.ts";
import type { Finding } from "../preflight/finding.ts";

const SHOWN_DIGITS = 12;

/** What of the working directory each agent would obey, with the keys of settings that act; by hash. */
export async function* checkObeyed(
  agents: readonly Provider[],
  { workdir, home }: { readonly workdir: string; readonly home: string | undefined },
): AsyncGenerator<Finding> {
  const check = "folder";
  try {
    const found = await surveyObeyed(agents, { workdir, home });
    for (const [agent, places] of Map.groupBy(found, ({ agent }) => agent)) {
      const parts = places.map(({ path, files, settings = {} }) => {
        const acts = Object.entries(settings).filter(([, { acts }]) => acts).map(([key]) => key);
        const [digest = "", ...more] = Object.values(files);
        const what = more.length === 0 ? `sha256 ${digest.slice(0, SHOWN_DIGITS)}` : `${more.length + 1} files`;
        return sanitizeLine(`${path} (${[...acts, what].join(", ")})`);
      });
      yield { check, status: "ok", detail: `${agent} obeys ${parts.join(", ")}` };
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    yield { check, status: "fail", detail: error.message, ...present({ remedy: error.hint }) };
  }
}
