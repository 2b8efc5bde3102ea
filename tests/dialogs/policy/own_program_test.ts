import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../../lib/cli/command_table.ts";
import { ownCommand } from "../../../lib/dialogs/policy/own_program.ts";
import { parseShellCommand } from "../../../lib/shell/mod.ts";

const told = (text: string) => ownCommand(parseShellCommand(text).commands[0]!.words);

Deno.test("a command of panewright that only a person may give is seen, however panewright is started", () => {
  for (const { name } of COMMANDS) assertEquals(told(`deno run -A main.ts ${name}`), told(`panewright ${name}`), name);
  assertEquals(told("deno run -A main.ts rules trust --yes evil.pub"), "rules");
});
