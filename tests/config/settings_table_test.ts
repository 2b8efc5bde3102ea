import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import { DOCUMENT, withReference } from "../../.ci/configuration_reference.ts";
import { chosenByFlags, CONFIG_FLAGS, EXEC_FLAGS } from "../../lib/config/flags.ts";
import { loadConfig, loadSettings } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { settingsIn } from "../../lib/config/settings_in.ts";
import { limited } from "../../lib/config/schema.ts";
import { type Config, SETTINGS, type TableEntry } from "../../lib/config/settings_table.ts";
import { describeSource, valueAt } from "../../lib/config/source.ts";
import { fullTemplate } from "../../lib/config/template.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { HANDOFF_SETTINGS, resolveHandoffSettings } from "../../lib/turn/settings.ts";
import { EXEC_SETTINGS } from "../../lib/jobs/pipeline/settings.ts";
import { completeSettings, type SettingSlice, type SettingsOf } from "../../lib/base/settings.ts";
import { tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

/** A value that the setting may have and that is not its default. */
function otherValue({ value, example, key }: TableEntry): unknown {
  if (key === "notifications.ntfy_url") return "https://ntfy.example.org";
  switch (value.kind) {
    case "seconds":
    case "count":
    case "bytes":
    case "amount":
      return (value.default ?? 0) + 1;
    case "switch":
      return !value.default;
    case "choice":
      return value.of.find((choice) => choice !== value.default);
    case "text":
      return example ?? (key === "wd" ? "inner" : FLAG_JOB);
    case "command":
      return "make check";
    case "commands":
    case "shape":
      return example ?? value.default;
  }
}

for (const setting of SETTINGS) {
  const { key, variables, flag, value } = setting;
  const path = key.split(".");
  const other = otherValue(setting);
  const nested = path.toReversed().reduce<unknown>((inner, part) => ({ [part]: inner }), other);

  Deno.test(`${key}: the file, the variable and the flag of its entry set it, and say so`, async () => {
    await using dir = await tempDir();
    const needed: Record<string, unknown> = {
      notifications: { notifications: { ntfy_topic: "t", webhook_url: "https://hooks.example.org" } },
      loop: { project_test_cmd: ["make"] },
      limits: { prices: { date: "2026-11-01", models: {} } },
    };
    const extra = { ...needed[path[0] ?? ""] as Record<string, Record<string, unknown>> };
    const file = { ...extra, ...nested as Record<string, Record<string, unknown>> };
    if (path[0] === "notifications") file["notifications"] = { ...extra["notifications"], ...file["notifications"] };
    await dir.write({
      "file.jsonc": JSON.stringify(file),
      "empty.jsonc": JSON.stringify(extra),
      "rules.jsonc": "{}",
      "job.md": FLAG_JOB,
      "inner/x": "",
      "agents/my-agent.jsonc": '{ "label": "Mine" }',
    });
    const load = async (given: { file: string; env?: Record<string, string>; flags?: Record<string, unknown> }) => {
      const { config, sources } = await loadSettings({
        cwd: dir.path,
        path: given.file,
        env: (name) => given.env?.[name],
        flags: given.flags ?? {},
      });
      const source = [...sources].find(([name]) => name === key || name.startsWith(`${key}.`))?.[1];
      return [valueAt(config, path), source && describeSource(source)];
    };
    if (value.kind === "shape" && key !== "notifications.ntfy_url") {
      const [effective] = await load({ file: "file.jsonc" });
      assertEquals(JSON.stringify(effective).includes(JSON.stringify(other).slice(1, 12)), true);
      return;
    }
    assertEquals(await load({ file: "file.jsonc" }), [other, "file.jsonc:1"]);
    for (const name of variables) {
      const text = typeof other === "boolean" ? (other ? "1" : "0") : Array.isArray(other) ? "npm test" : String(other);
      const expected = Array.isArray(other) ? text : other;
      assertEquals(await load({ file: "empty.jsonc", env: { [name]: text } }), [expected, `env ${name}`]);
    }
    if (flag !== undefined) {
      const given = value.kind === "switch" ? true : other;
      assertEquals(await load({ file: "empty.jsonc", flags: { [flag.name]: given } }), [other, `flag --${flag.name}`]);
    }
  });
}

Deno.test("every default is a value that the setting may have, and a number names its range", () => {
  for (const { key, value } of SETTINGS) {
    if (value.kind === "shape") continue;
    const slice = { it: { names: { key }, value, description: "" } } as SettingSlice;
    if ("default" in value && value.default !== undefined) completeSettings(slice, { it: value.default as never });
    if ("libraryDefault" in value) completeSettings(slice, { it: value.libraryDefault as never });
    if (["seconds", "count", "bytes", "amount"].includes(value.kind)) {
      assert("least" in value || "above" in value, key);
      assert("most" in limited(value), key);
    }
  }
});

Deno.test("the library and the command line differ in the defaults that the table says, and in no other", async () => {
  await using dir = await tempDir();
  await dir.write({ "job.md": FLAG_JOB });
  const flags = { "prompt-file": "job.md" };
  const { handoff } = toRunPlan(await loadConfig({ cwd: dir.path, env: () => undefined, flags }));
  const library = resolveHandoffSettings();
  const names = Object.keys(HANDOFF_SETTINGS) as (keyof typeof HANDOFF_SETTINGS)[];
  const differing = names.filter((name) => handoff[name] !== library[name]);
  assertEquals(differing, names.filter((name) => "libraryDefault" in HANDOFF_SETTINGS[name].value));
  const document = await Deno.readTextFile(DOCUMENT);
  for (const name of differing) {
    assertStringIncludes(
      document,
      `Default: \`${handoff[name]}\`. Default of the library (\`lib/mod.ts\`): \`${library[name]}\``,
    );
  }
});

Deno.test("the reference in docs/configuration.md is that of the table (deno task docs writes it)", async () => {
  const document = await Deno.readTextFile(DOCUMENT);
  assertEquals(document, withReference(document));
});

Deno.test("the template and the help of the flags have every entry", () => {
  const template = fullTemplate({ $schema: "s", provider: "codex", prompt_file: "job.md", permissions: "sandbox" });
  for (const { key, description, flag, job } of SETTINGS) {
    if (key !== "$schema" && key !== "prompt") assertStringIncludes(template, `// ${description}`);
    assertEquals((flag?.name ?? "") in CONFIG_FLAGS, flag !== undefined && job !== "exec", key);
    assertEquals((flag?.name ?? "") in EXEC_FLAGS, flag !== undefined && job === "exec", key);
  }
  assertEquals(chosenByFlags(EXEC_SETTINGS, { "autonomy-level": "0", "resume-mode": "native", wd: "x" }), {
    autonomyLevel: 0,
    resume: "native",
  });
  assertEquals(chosenByFlags(EXEC_SETTINGS, {}), {});
});

Deno.test("what a setting is called is written once: dotted keys, variables", async () => {
  const sources: string[] = [];
  for await (
    const { path } of walk(new URL("../../lib", import.meta.url).pathname, { exts: [".ts"], includeDirs: false })
  ) {
    sources.push((await Deno.readTextFile(path)).replaceAll(/^ *(\*|\/\/).*$/gm, ""));
  }
  const code = sources.join("\n");
  for (const { key, variables } of SETTINGS) {
    for (const name of [...(key.includes(".") ? [key] : []), ...variables.slice(-1)]) {
      assertEquals(code.split(`"${name}"`).length - 1, 1, name);
    }
  }
});

Deno.test("the compiler refuses a default of another type, and a slice that the table does not have", () => {
  const entry = { names: { key: "tmux.panes" }, description: "Panes." } as const;
  const slice = { panes: { ...entry, value: { kind: "count", least: 1, default: 5 } } } as const satisfies SettingSlice;
  // @ts-expect-error A count is a number.
  const wrong: SettingSlice = { panes: { ...entry, value: { kind: "count", least: 1, default: "5" } } };
  // @ts-expect-error A plan takes its settings from slices of the table only.
  const taken = () => settingsIn({} as Config, slice);
  // @ts-expect-error Settings have the type that their entry says.
  const settings: SettingsOf<typeof slice> = { panes: "5" };
  assertEquals([typeof wrong, typeof taken, settings.panes as unknown], ["object", "function", "5"]);
});

Deno.test("max_tokens: a role whose agent reports no tokens is refused, the others are not asked", async () => {
  await using dir = await tempDir();
  const planOf = async (limits: Record<string, unknown>, tester: Record<string, unknown>, fallback: string[] = []) => {
    const providers = { replay: { args: ["--script", "s.json"] } };
    const config = { prompt_file: "job.md", provider: "codex", providers, limits, fallback, roles: { tester } };
    await dir.write({ "job.md": FLAG_JOB, "panewright.jsonc": JSON.stringify(config) });
    return toRunPlan(await loadConfig({ cwd: dir.path, env: () => undefined, flags: {} }));
  };
  const replay = { provider: "replay" };
  const refused = "Replay, the agent of tester, reports no tokens";
  await assertRejects(
    () => planOf({ max_tokens: 5 }, replay),
    UsageError,
    `Cannot keep the cap max_tokens: ${refused}`,
  );
  const capped = { ...replay, limits: { max_tokens: 5 } };
  await assertRejects(() => planOf({}, capped), UsageError, `Cannot keep the cap tester.max_tokens: ${refused}`);
  await assertRejects(() => planOf({ max_tokens: 5 }, {}, ["replay"]), UsageError, "Replay, the agent of analyst");
  assertEquals((await planOf({ max_tokens: 5 }, {})).caps, { maxTokens: 5 });
  assertEquals((await planOf({}, replay)).caps, {});
});
