import { assertEquals } from "@std/assert";
import { configFormFor } from "../../lib/config/schema.ts";
import { parseJsonc } from "../../lib/config/jsonc.ts";
import { configTemplate } from "../../lib/config/template.ts";
import { PROVIDER_IDS } from "../../lib/providers/mod.ts";

const CONFIG = configFormFor(PROVIDER_IDS);

Deno.test("the written config says only what was chosen, and is valid", () => {
  for (const provider of PROVIDER_IDS) {
    const { value, syntaxError } = parseJsonc(configTemplate({ provider, wd: ".", prompt_file: "job.md" }));
    assertEquals(syntaxError, undefined);
    const chosen = { provider, wd: ".", prompt_file: "job.md", permissions: { default: "ask" } };
    assertEquals(CONFIG.schema.parse(value), CONFIG.schema.parse(chosen));
  }
});

Deno.test("every line that is commented out may be switched on: it is valid, and defaults change nothing", () => {
  const template = configTemplate({ provider: "codex", wd: ".", prompt_file: "job.md" });
  const { value, syntaxError } = parseJsonc(template.replaceAll(/^( +)\/\/ (?=")/gm, "$1"));
  assertEquals(syntaxError, undefined);
  const { limits, condensation, handoff, permissions } = CONFIG.schema.parse(value);
  const defaults = CONFIG.schema.parse({});
  assertEquals(
    { limits, condensation, handoff, permissions },
    {
      limits: defaults.limits,
      condensation: defaults.condensation,
      handoff: defaults.handoff,
      permissions: Object.assign({}, defaults.permissions, { default: "ask" }),
    },
  );
});

Deno.test("the written config has every key of the schema", () => {
  const template = configTemplate({ provider: "codex", wd: ".", prompt_file: "job.md" });
  const left = Object.keys(CONFIG.schema.shape).filter((key) =>
    !new RegExp(`^ +(?:// )?"${RegExp.escape(key)}":`, "m").test(template)
  );
  assertEquals(left, ["$schema", "prompt"]);
});
