import { changedObeyed, digestsOf, surveyObeyed } from "../agents/obeyed_files.ts";
import type { Provider } from "../agents/provider.ts";
import { errorText } from "../base/text/error_text.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

interface ObeyedWatch {
  /** Warns of what has changed since the last look; `who` begins the sentence. */
  look(who: string): Promise<void>;
}

interface WatchOptions {
  readonly workdir: string;
  readonly agents: readonly Provider[];
  readonly warn: (message: string) => void;
}

const MAX_NAMED = 20;

/** Watches what a run's agents obey of its working directory: whoever changes it changes what the next start does. */
export async function watchObeyed({ workdir, agents, warn }: WatchOptions): Promise<ObeyedWatch> {
  let told = "";
  const survey = async () => {
    try {
      return digestsOf(await surveyObeyed(agents, { workdir, home: Deno.env.get("HOME") }));
    } catch (error) {
      const problem = errorText(error);
      if (told !== problem) warn(problem);
      told = problem;
      return undefined;
    }
  };
  let known = await survey();
  return {
    async look(who) {
      const now = await survey();
      const changed = known === undefined || now === undefined ? [] : changedObeyed(known, now);
      known = now ?? known;
      if (changed.length === 0) return;
      const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : "";
      warn(`${who} changed what the next start obeys: ${sanitizeLine(changed.slice(0, MAX_NAMED).join(", "))}${more}`);
    },
  };
}
