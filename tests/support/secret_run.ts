import type { RunFolder } from "../../lib/run/run_folder.ts";
import { writeReview } from "./run_folders.ts";

/** A secret of no known shape, which is in no variable of the test. */
const SECRET = "correct-horse-battery";

/** Writes the run of a configuration that gives its agents a secret; its journal quotes it, and it failed with it. */
export async function writeSecretRun(path: string): Promise<{ readonly folder: RunFolder; readonly secret: string }> {
  const folder = await writeReview({ path }, [
    { type: "warning", message: `I log in with ${SECRET}.` },
    { type: "run_finished", outcome: "fail", reason: `The login ${SECRET} was refused.`, rounds: 1, seconds: 9 },
  ]);
  const config = { provider: "codex", providers: { codex: { env: { ODD_TOKEN: SECRET } } } };
  await Deno.writeTextFile(`${path}/panewright.jsonc`, JSON.stringify(config));
  return { folder, secret: SECRET };
}
