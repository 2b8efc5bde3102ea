import { PROVIDERS } from "../agents/mod.ts";
import type { Provider } from "../agents/provider.ts";
import { withInstalledRules } from "../lab/rule_packs/installed.ts";
import { rulesFolder } from "../lab/rule_packs/store.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { VERSION } from "../base/version.ts";
import type { CliIo } from "./console/command.ts";

export async function installedProviders({ env, stderr }: Pick<CliIo, "env" | "stderr">): Promise<readonly Provider[]> {
  return await withInstalledRules({ folder: rulesFolder(env), providers: PROVIDERS }, {
    onOutdated: (provider, { version }) =>
      stderr(
        sanitizeLine(
          `The built-in rules (${VERSION}) are used for ${provider}: those that you installed (${version}) are not newer.`,
        ) + "\n",
      ),
  });
}
