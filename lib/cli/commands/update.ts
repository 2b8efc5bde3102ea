import { outputLine } from "../../api/output/line.ts";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import { compareVersions } from "../../base/text/order.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import { defineCommand, switchFlag } from "../console/command.ts";

const TIMEOUT_MS = 30_000;

/** `panewright update --check`: whether there is a newer version. Nothing is ever replaced. */
export const command = defineCommand({
  flags: { check: switchFlag("look whether there is a newer version, and change nothing") },
  async run({ flags, global }, io) {
    if (flags.check !== true) {
      throw new UsageError("Cannot update: this program does not replace itself", {
        hint: "Look with --check, and install the newer one as you have installed this one.",
      });
    }
    const newest = await newestByNpm(io.signal);
    const isNewer = compareVersions(newest, VERSION) > 0;
    io.stdout(
      global.json
        ? outputLine("newest_version", { version: VERSION, newest, isNewer })
        : isNewer
        ? `panewright ${newest} is there; this is ${VERSION}. With npm: npm install --global panewright@${newest}\n`
        : `panewright ${VERSION} is the newest version\n`,
    );
    return 0;
  },
});

/** npm knows its registry, proxy and login. It is asked where no repository's .npmrc can say another one. */
async function newestByNpm(signal: AbortSignal): Promise<string> {
  const argv = ["npm", "view", "panewright", "version", "--no-update-notifier", "--fetch-retries=0"] as const;
  const fail = (reason: string, cause?: unknown) =>
    new RuntimeError(`Cannot look for a newer version: ${reason}`, {
      cause,
      hint: "Look where you have got this one from.",
    });
  const { code, stderr, stdout, timedOut } = await systemProcessRunner.run({
    ...{ argv, cwd: "/", timeoutMs: TIMEOUT_MS, signal },
  }).catch((error) => {
    throw error instanceof Deno.errors.NotFound ? fail("there is no program npm to ask", error) : error;
  });
  signal.throwIfAborted();
  if (timedOut) throw fail(`npm has not answered within ${TIMEOUT_MS / 1000} s`);
  const version = stdout.trim();
  if (code === 0 && /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) return version;
  const [said = `npm told no version (exit code ${code})`] = stderr.split("\n").filter((line) =>
    /^npm error (?!code )/.test(line)
  );
  throw fail(sanitizeLine(said.replace(/^npm error /, "")));
}
