import { driversOf } from "../agents/drivers.ts";
import { hasAcp } from "../agents/mod.ts";
import type { Provider } from "../agents/provider.ts";
import { judgesUnasked } from "./pipeline_checks.ts";
import { type CheckContext, report, reportMissing } from "./checks.ts";
import { insideOf } from "../agents/whole_agent.ts";
import { loginVariable } from "../jobs/fallback.ts";
import { isKeyed, type KeyPath, valueAt } from "./source.ts";

export function checkAgents(context: CheckContext): void {
  const { merged } = context;
  checkCosts(context);
  checkFallback(context);
  const paths = agentPaths(merged);
  const agents = paths.flatMap((path) => {
    const provider = providerAt(context, path);
    return provider === undefined ? [] : [{ path, provider }];
  });
  const sandbox = merged["sandbox"];
  if (sandbox === "cli" || sandbox === "commands") { for (const agent of agents) checkSandbox(context, agent); }
  if (sandbox === "agent") { for (const agent of agents) checkWhole(context, agent); }
  for (const agent of agents) {
    checkDriver(context, agent);
    checkAcp(context, agent);
    checkHooks(context, agent);
  }
}

/** That no argument switches off the hooks by which the policy is asked. */
function checkHooks(context: CheckContext, { path, provider: { id, capabilities } }: Agent): void {
  const { permissions } = context.merged;
  const accepts = valueAt(permissions, ["auto_accept"]) === true;
  if (!accepts && !judgesUnasked(permissions, id, { ofRoles: true })) return;
  const args = valueAt(context.merged, [...path, "args"]);
  if (!Array.isArray(args)) return;
  const texts = args.map(String);
  const loss = capabilities.findHookLoss?.(texts);
  if (loss === undefined) return;
  const at = [...path, "args", texts.indexOf(loss)];
  report(context, at, `% is "${loss}", which takes our hooks away: ${id} would not ask what permissions say`);
}

/** That a provider can be driven so: roles in each way that it offers, steps without a pane. */
function checkDriver(context: CheckContext, { path, provider }: Agent): void {
  const at = [...path, "driver"];
  const driver = valueAt(context.merged, at);
  const isStep = path[0] === "pipelines";
  const offered = driversOf(provider).filter((one) => !isStep || one !== "pane");
  if (driver === undefined || offered.some((one) => one === driver)) return;
  if (isStep && driver === "pane") {
    const remedy = `leave it out, or give the work to a role of "panewright run"`;
    return report(context, at, `% is "pane", but a step has no pane: ${remedy}`);
  }
  const others = context.providers.filter((one) => driversOf(one).some((can) => can === driver)).map(({ id }) => id);
  const ways = `${provider.id} is driven by ${offered.join(" or ")}`;
  report(context, at, `% is ${JSON.stringify(driver)}, but ${ways}; ${others.join(", ")} can be driven so`);
}

function checkCosts(context: CheckContext): void {
  const { merged } = context;
  if (merged["prices"] !== undefined) return;
  for (const owner of agentPaths(merged).filter(([group]) => group !== "providers")) {
    const path = [...owner, "limits", "max_cost"];
    if (valueAt(merged, path) === undefined) continue;
    reportMissing(context, path, { message: "% cannot be kept without prices", missing: [["prices"]] });
  }
}

/** Where the configuration says how agents are started: of providers, by default, of roles and of steps. */
function agentPaths(merged: CheckContext["merged"]): readonly KeyPath[] {
  const below = (group: string): readonly KeyPath[] =>
    isKeyed(merged[group]) ? Object.keys(merged[group]).map((key) => [group, key]) : [];
  const steps = below("pipelines").flatMap((path) => {
    const list = valueAt(merged, path);
    return Array.isArray(list) ? list.map((_, index): KeyPath => [...path, index]) : [];
  });
  const { fallback } = merged;
  const others = Array.isArray(fallback) ? fallback.map((_, index): KeyPath => ["fallback", index]) : [];
  return [...below("providers"), [], ...below("roles"), ...steps, ...others];
}

function providerAt({ merged, providers }: CheckContext, path: KeyPath): Provider | undefined {
  const [group, name] = path;
  const entry = group === "fallback" ? valueAt(merged, path) : undefined;
  if (typeof entry === "string") return providers.find(({ id }) => id === entry);
  const named = group === "providers"
    ? name
    : valueAt(merged, [...path, "provider"]) ?? merged["provider"] ?? providers[0]?.id;
  return providers.find(({ id }) => id === named);
}

interface Agent {
  readonly path: KeyPath;
  readonly provider: Provider;
}

function checkWhole(context: CheckContext, { path, provider }: Agent): void {
  if (insideOf(provider) !== undefined) return;
  const named = [...path, "provider"];
  const at = valueAt(context.merged, named) === undefined ? ["sandbox"] : named;
  report(context, at, `% asks for a sandbox around the agent, but ${provider.id} is not known to work in one`);
}

function checkSandbox(context: CheckContext, { path, provider: { id, sandbox } }: Agent): void {
  if (sandbox === undefined) {
    const named = [...path, "provider"];
    const at = valueAt(context.merged, named) === undefined ? ["sandbox"] : named;
    return report(context, at, `% asks for a sandbox, but the provider ${id} brings none`);
  }
  const args = valueAt(context.merged, [...path, "args"]);
  if (!Array.isArray(args)) return;
  const texts = args.map(String);
  const loosening = sandbox.findLoosening(texts);
  if (loosening === undefined) return;
  const at = [...path, "args", texts.indexOf(loosening)];
  report(context, at, `% is "${loosening}", which changes the sandbox of ${id}`);
}

function checkAcp(context: CheckContext, { path, provider }: Agent): void {
  if (!hasAcp(provider)) return;
  const { id, label, acp } = provider;
  const complain = (key: string, problem: string) => {
    if (valueAt(context.merged, [...path, key]) !== undefined) report(context, [...path, key], `% ${problem}`);
  };
  complain("profile", `has no effect on ${label}, which is driven over the Agent Client Protocol: use args or env`);
  if (acp.model !== undefined) return;
  complain(
    "model",
    `cannot be given to ${id}: how its model is chosen is not known; use args or env, or a pack that says how`,
  );
}

/** That each login can be chosen. */
function checkFallback(context: CheckContext): void {
  const { merged: { fallback }, providers } = context;
  if (!Array.isArray(fallback)) return;
  fallback.forEach((one, index) => {
    if (!isKeyed(one) || one["login"] === undefined) return;
    const provider = providers.find(({ id }) => id === one["provider"]);
    if (provider === undefined || loginVariable(provider) !== undefined) return;
    const remedy = `leave it out, or set the login's variable in providers.${provider.id}.env`;
    report(
      context,
      ["fallback", index, "login"],
      `% cannot be chosen: where ${provider.id} keeps its login is not known; ${remedy}`,
    );
  });
}
