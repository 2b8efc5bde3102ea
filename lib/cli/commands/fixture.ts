import { UsageError } from "../../base/errors.ts";
import { cutFixture, type Fixture, writeFixture } from "../../lab/recordings/cut_fixture.ts";
import { scrub } from "../../base/redact/scrub.ts";
import { privateWordsOf, secretPatterns } from "../../base/redact/secret_patterns.ts";
import { loadTimeline } from "../../lab/recordings/timeline_file.ts";
import { classify } from "../../screen/mod.ts";
import { parseScreen } from "../../screen/screen.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";
import { defineCommand } from "../console/command.ts";
import { CONFIG_RULES_FLAG, loadRulePacks } from "../rule_packs.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  description:
    "Cuts a fixture out of a recording: what the pane showed at a certain time, as NAME.ansi, and beside it " +
    'NAME.json with the status that it must have. "panewright fixtures check DIR" then checks the rules against ' +
    "it.\n\nNothing is overwritten. It is no error if the rules see another status than --expect: such a fixture " +
    "keeps a mistake from coming back.",
  arguments: [
    { name: "add", description: "the word add", required: true },
    { name: "FILE", description: 'a recording of "panewright record", also compressed with gzip', required: true },
  ],
  flags: [
    { name: "at", type: "number", placeholder: "SECONDS", description: "time since the recording began" },
    { name: "expect", type: "choice", choices: TERMINAL_STATUSES, description: "what the agent really did then" },
    { name: "name", type: "string", placeholder: "NAME", description: "name of both files (STATUS-SIZE-TIME)" },
    {
      name: "dir",
      type: "string",
      placeholder: "DIR",
      description: "folder to write to (fixtures/screens/PROVIDER/VERSION)",
    },
    {
      name: "note",
      type: "string",
      placeholder: "TEXT",
      description: "what is special about it, or how you know its status",
    },
    { name: "not-alone", type: "switch", description: "no screen of the CLI can show this: count it separately" },
    { name: "cli-version", type: "string", placeholder: "VERSION", description: "where the recording has none" },
    CONFIG_RULES_FLAG,
  ],
  examples: [
    { command: "fixture add codex.cast --at 12.5 --expect processing", description: "what was shown after 12.5 s" },
  ],
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
