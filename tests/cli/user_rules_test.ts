/** A CLI was updated, and its screens have other words: what a person does about it, from end to end. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { NO_COLORS } from "../../lib/cli/console/color.ts";
import type { Command, ParsedCommand } from "../../lib/cli/console/command.ts";
import { command as explain } from "../../lib/cli/commands/explain.ts";
import { command as fixtures } from "../../lib/cli/commands/fixtures.ts";
import { createDemoProject } from "../../lib/cli/demo_project.ts";
import { UsageError } from "../../lib/base/errors.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { fakeIo } from "../support/fake_io.ts";
import { runPanewright } from "../support/run_panewright.ts";
import { recordingsOf } from "../support/screens.ts";

/** What the update did: another status row, and a title that no longer spins. */
function update(recording: Recording): Recording {
  const ansi = recording.ansi.replaceAll(/^.*Working.*esc.*$/gm, "\x1b[2m⏵ Busy: press q to stop, 2 s so far\x1b[0m");
  return { ...recording, ansi, title: "proj", version: "0.170.0" };
}

async function withScreens(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/screens`);
    const recordings = (await recordingsOf("codex")).filter(({ version }) => version === "0.169.0");
    const wanted = ["processing-waiting-220x50", "completed-220x50", "idle-fresh-220x50"];
    for (const name of wanted) {
      const recording = recordings.find((each) => each.name === name);
      if (!recording) throw new Error(`no recording ${name}`);
      const { ansi, name: _, ...sidecar } = update(recording);
      await Deno.writeTextFile(`${folder}/screens/${name}.ansi`, ansi);
      await Deno.writeTextFile(`${folder}/screens/${name}.json`, JSON.stringify(sidecar));
    }
    await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const RULE = `{
  "rules": {
    "codex": [
      // Codex 0.170.0: the row above the composer has other words.
      { "id": "busy-row", "status": "processing", "region": "status", "pattern": "^⏵ Busy: press ", "style": { "dim": true } },
    ],
  },
}
`;

async function call(
  command: Command,
  folder: string,
  positionals: readonly string[],
  flags: Readonly<Record<string, unknown>> = {},
  json = false,
) {
  const io = fakeIo({ cwd: folder, columns: 100 });
  const global = { json, quiet: false, verbose: false, color: NO_COLORS };
  const code = await command.run({ flags, positionals, global } as ParsedCommand, io);
  return { code, ...io.written };
}

Deno.test("an update of a CLI is met with a rule in the config, and checked on one's own screens", async () => {
  await withScreens(async (folder) => {
    const screen = `${folder}/screens/processing-waiting-220x50.ansi`;
    const screens = `${folder}/screens`;

    // The built-in rules do not know the new row.
    const before = await call(explain, folder, [screen]);
    assertStringIncludes(before.stdout, "processing-waiting-220x50.ansi (codex): ");
    assertEquals(before.stdout.includes("): processing, rule"), false);
    assertEquals((await call(fixtures, folder, ["check", screens], { partial: true })).code, 1);

    await Deno.writeTextFile(`${folder}/panewright.jsonc`, RULE);
    const config = "panewright.jsonc";
    const after = await call(explain, folder, [screen], { config });
    assertStringIncludes(after.stdout, "(codex): processing, rule busy-row (yours, panewright.jsonc:5)");
    assertStringIncludes(after.stdout, "│ ⏵ Busy: press q to stop");
    const all = await call(explain, folder, [screen], { config, all: true });
    assertStringIncludes(all.stdout, "    800  busy-row (yours)           processing           decided   row ");
    const [line = ""] = (await call(explain, folder, [screen], { config }, true)).stdout.split("\n");
    assertEquals(JSON.parse(line).origin, "panewright.jsonc:5");

    const check = await call(fixtures, folder, ["check", screens], { config, partial: true });
    assertEquals(check.code, 0);
    assertStringIncludes(check.stdout, "codex 0.170.0: 3 of 3 right");
    assertStringIncludes(check.stdout, "3 recordings, 0 mistakes");
    // Without --partial a corpus must hold every class.
    const whole = await call(fixtures, folder, ["check", screens], { config });
    assertEquals(whole.code, 1);
    assertStringIncludes(whole.stdout, "codex: the corpus has no recording of streaming, waiting_user_answer, error");
  });
});

Deno.test("a rule of one's own that is wrong is named in the mistakes that it makes", async () => {
  await withScreens(async (folder) => {
    const wrong = RULE.replace('"region": "status"', '"region": "screen"').replace("^⏵ Busy: press ", "OpenAI Codex")
      .replace(', "style": { "dim": true }', "");
    await Deno.writeTextFile(`${folder}/panewright.jsonc`, wrong);
    const { code, stdout } = await call(fixtures, folder, ["check", `${folder}/screens`], {
      config: "panewright.jsonc",
      partial: true,
    });
    assertEquals(code, 1);
    assertStringIncludes(stdout, "expected idle, got processing by busy-row (yours, panewright.jsonc:5)");
  });
});

Deno.test("a config that is wrong stops explain and fixtures check with its place", async () => {
  await withScreens(async (folder) => {
    await Deno.writeTextFile(`${folder}/panewright.jsonc`, RULE.replace("^⏵ Busy: press ", "(a+)+"));
    for (const [command, positionals] of [[explain, [folder]], [fixtures, ["check", folder]]] as const) {
      await assertRejects(
        () => call(command, folder, positionals, { config: "panewright.jsonc" }),
        UsageError,
        "panewright.jsonc:5:71: rules.codex[0].pattern could take very long",
      );
    }
    await assertRejects(() => call(explain, folder, [folder], { config: "none.jsonc" }), UsageError, "none.jsonc");
  });
});

Deno.test("a run reads its agents' screens with the rules of its config", async () => {
  const folder = await createDemoProject();
  try {
    const config = JSON.parse(await Deno.readTextFile(`${folder}/panewright.jsonc`));
    const rule = { id: "mine", status: "waiting_user_answer", region: "screen", pattern: "\\S" };
    await Deno.writeTextFile(`${folder}/panewright.jsonc`, JSON.stringify({ ...config, rules: { replay: [rule] } }));
    const { code, stderr } = await runPanewright(["run"], {
      cwd: folder,
      permissions: ["--allow-all"],
      env: { XDG_STATE_HOME: `${folder}/state` },
    });
    assertEquals(code, 3, stderr);
    assertStringIncludes(stderr, "shows a dialog (other) that only a person may answer");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
