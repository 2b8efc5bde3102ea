import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { ownCommand } from "../../lib/policy/own_program.ts";
import { parseShellCommand } from "../../lib/shell/mod.ts";

const told = (text: string) => ownCommand(parseShellCommand(text).commands[0]!.words);

Deno.test("a command of panewright that only a person may give is seen, however panewright is started", () => {
  for (const { name } of COMMANDS) assertEquals(told(`deno run -A main.ts ${name}`), told(`panewright ${name}`), name);
  assertEquals(told("deno run -A main.ts rules trust --yes evil.pub"), "rules");
});

Deno.test("the npm package and the one file are seen, also where a shell or their Deno is told to run them", () => {
  const forms = [
    "node_modules/.bin/panewright",
    "sh node_modules/panewright/bin/panewright",
    "bash -o pipefail dist/pack/panewright",
    "/home/me/.cache/panewright/0.1.0-0123456789abcdef/deno run --no-config --allow-sys=uid,hostname /home/me/.cache/panewright/0.1.0-0123456789abcdef/panewright.mjs",
  ];
  for (const form of forms) {
    assertEquals([told(`${form} trust --yes`), told(`${form} ask 'Which?'`)], ["trust", undefined], form);
  }
  assertEquals(told("bash scripts/build.sh"), undefined);
});

Deno.test("manual pages are shown to an agent, but not written for it", () => {
  assertEquals(["man", "man run", "help man"].map((words) => told(`panewright ${words}`)), Array(3).fill(undefined));
  for (const words of ["man --to /etc", "man run --to=../x", "--json man --to .", "man $WHERE"]) {
    assertEquals(told(`panewright ${words}`), "man", words);
  }
});
