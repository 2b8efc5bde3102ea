import { UsageError } from "../../base/errors.ts";
import { cutFixture, type Fixture, writeFixture } from "../../lab/recordings/cut_fixture.ts";
import { scrub } from "../../base/redact/scrub.ts";
import { privateWordsOf, secretPatterns } from "../../base/redact/secret_patterns.ts";
import { loadTimeline } from "../../lab/recordings/timeline_file.ts";
import { classify } from "../../screen/mod.ts";
import { parseScreen } from "../../screen/screen.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";
import { choiceFlag, defineCommand, numberFlag, switchFlag, textFlag } from "../console/command.ts";
import { CONFIG_RULES_FLAG, loadRulePacks } from "../rule_packs.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  arguments: [
    { name: "add", description: "the word add", required: true },
    { name: "FILE", description: 'a recording of "panewright record", also compressed with gzip', required: true },
  ],
  flags: {
    at: numberFlag("SECONDS", "time since the recording began"),
    expect: choiceFlag(TERMINAL_STATUSES, "what the agent really did then"),
    name: textFlag("NAME", "name of both files (STATUS-SIZE-TIME)"),
    dir: textFlag("DIR", "folder to write to (fixtures/screens/PROVIDER/VERSION)"),
    note: textFlag("TEXT", "what is special about it, or how you know its status"),
    "not-alone": switchFlag("no screen of the CLI can show this: count it separately"),
    "cli-version": textFlag("VERSION", "where the recording has none"),
    config: CONFIG_RULES_FLAG,
  },
  async run({ flags, positionals: [action, file = ""], global }, io) {
    if (action !== "add") {
      throw new UsageError(`Cannot run "fixture ${action}": there is only "fixture add"`, {
        hint: 'Fixtures are checked with "panewright fixtures check".',
      });
    }
    const { at, expect } = flags;
    if (at === undefined || expect === undefined) {
      throw new UsageError(`Cannot cut a fixture: --${at === undefined ? "at" : "expect"} is missing`);
    }
    const timeline = await loadTimeline(absolute(file, io.cwd));
    for (const warning of timeline.warnings) io.stderr(`Warning: ${sanitizeLine(warning)}\n`);
    const fixture = withoutSecrets(cutFixture(timeline, {
      atSeconds: at,
      expect,
      ...present({ name: flags.name }),
      ...(flags["cli-version"] === undefined ? {} : { version: flags["cli-version"] }),
      ...(flags["not-alone"] === true ? { alone: false } : {}),
      ...present({ note: flags.note }),
    }));
    const { provider, version, ansi } = fixture;
    const pack = (await loadRulePacks(flags.config, io))(provider);
    const found = classify(parseScreen(ansi, fixture), pack);
    const dir = flags.dir ?? `fixtures/screens/${folderName(provider)}/${folderName(version)}`;
    const path = await writeFixture(fixture, absolute(dir, io.cwd));
    io.stdout(
      global.json
        ? outputLine("fixture_added", { file: path, expect, status: found.status, rule: found.rule })
        : `${sanitizeLine(path)}\n`,
    );
    if (found.status !== expect) {
      io.stderr(
        `The rules see ${found.status} (${found.rule}), not ${expect}: "panewright fixtures check" will report it ` +
          `until they are right. "panewright explain" shows why.\n`,
      );
    }
    return 0;
  },
});

function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

function folderName(word: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(word)) return word;
  throw new UsageError(`Cannot make a folder named ${JSON.stringify(word)} for the fixture`, {
    hint: "Name the folder with --dir, and the version of the CLI with --cli-version.",
  });
}

function withoutSecrets(fixture: Fixture): Fixture {
  const patterns = secretPatterns(privateWordsOf(Deno.env.toObject(), Deno.hostname()));
  const { ansi, cols, title, note } = fixture;
  return {
    ...fixture,
    ansi: scrub(ansi, { patterns, ...present({ cols }) }),
    ...(title === undefined ? {} : { title: scrub(title, { patterns }) }),
    ...(note === undefined ? {} : { note: scrub(note, { patterns }) }),
  };
}
