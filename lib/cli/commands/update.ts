import { outputLine } from "../../api/output/line.ts";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import { download } from "../../base/ports/download.ts";
import { errorText } from "../../base/text/error_text.ts";
import { compareVersions } from "../../base/text/order.ts";
import { parseJsonObject } from "../../base/text/json.ts";
import { VERSION } from "../../base/version.ts";
import { type CliIo, defineCommand, switchFlag } from "../console/command.ts";

const REGISTRY = "https://registry.npmjs.org/";

/** What a registry tells of one version is some kilobytes. */
const MAX_BYTES = 1024 * 1024;

const TIMEOUT_MS = 20_000;

/** `panewright update --check`: whether there is a newer version. Nothing is ever replaced. */
export const command = defineCommand({
  flags: { check: switchFlag("look whether there is a newer version, and change nothing") },
  async run({ flags, global }, io) {
    if (flags.check !== true) {
      throw new UsageError("Cannot update: this program does not replace itself", {
        hint: "Look with --check, and install the newer one as you have installed this one.",
      });
    }
    const newest = await newestIn(registryOf(io), io);
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

/** The registry that npm is told to use. */
function registryOf({ env }: Pick<CliIo, "env">): string {
  const [named = REGISTRY] = [env("npm_config_registry"), env("NPM_CONFIG_REGISTRY")].filter(Boolean);
  return named.endsWith("/") ? named : `${named}/`;
}

async function newestIn(registry: string, { signal }: Pick<CliIo, "signal">): Promise<string> {
  const address = `${registry}panewright/latest`;
  const fail = (reason: string, cause?: unknown) =>
    new RuntimeError(`Cannot look for a newer version: ${reason}`, { cause });
  const bytes = await download(address, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, signal }).catch((error) => {
    signal.throwIfAborted();
    throw error instanceof UsageError ? error : fail(errorText(error), error);
  });
  const { version } = parseJsonObject(new TextDecoder().decode(bytes)) ?? {};
  if (typeof version !== "string" || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    throw fail(`${address} tells no version`);
  }
  return version;
}
