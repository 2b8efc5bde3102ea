import { UsageError } from "../../base/errors.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import type { Provider } from "../../agents/provider.ts";
import { rollbackHint } from "../../lab/rule_packs/installed.ts";
import type { CliIo } from "../console/command.ts";
import type { Finding } from "../preflight/finding.ts";
import { installedProviders } from "../installed_rules.ts";
import { describeState, readRulesRows, type RulesRow } from "../rules/list.ts";
import { present } from "../../base/schema.ts";

interface CheckedRules {
  /** With the rules that are installed; as they are built in where those cannot be used. */
  readonly providers: readonly Provider[];
  readonly rulesFindings: readonly Finding[];
}

export async function checkRules(io: Pick<CliIo, "env">): Promise<CheckedRules> {
  try {
    const rulesFindings = (await readRulesRows(io)).map(findingOf);
    const usable = rulesFindings.every(({ status }) => status !== "fail");
    // What is outdated is one of the findings.
    const quiet = { env: (name: string) => io.env(name), stderr: () => {} };
    return { providers: usable ? await installedProviders(quiet) : PROVIDERS, rulesFindings };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message: detail, hint } = error;
    const finding = {
      check: "rules",
      status: "fail",
      detail,
      ...present({ remedy: hint }),
    } as const;
    return { providers: PROVIDERS, rulesFindings: [finding] };
  }
}

function findingOf({ provider, state }: RulesRow): Finding {
  const finding = { check: `rules for ${provider}`, detail: describeState(state) };
  switch (state.kind) {
    case "built_in":
    case "pack":
      return { ...finding, status: "ok" };
    case "outdated":
      return {
        ...finding,
        status: "warn",
        remedy: `Install newer ones, or forget them with: panewright rules rollback ${provider}`,
      };
    case "unusable":
      return { ...finding, status: "fail", remedy: rollbackHint(provider) };
  }
}
