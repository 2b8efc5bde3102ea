import { assertEquals } from "@std/assert";
import { findScriptedCommands, findTypedTexts } from "../../../lib/shell/asks/scripted_commands.ts";

const commands = (program: string) => findScriptedCommands(program).map(({ command }) => command);

for (
  const [program, expected] of [
    [`text(JSON.stringify(await tools.exec_command({"cmd":"panewright ask \\"Which?\\""})));`, [
      `panewright ask "Which?"`,
    ]],
    ["const r = await tools.exec_command({cmd: 'a', login: false});\ntext(r);", ["a"]],
    ["await tools.exec_command({ cmd: `a\nb` })", ["a\nb"]],
    ["await tools.exec_command({ cmd: 'a ' + \"b\" + `c` })", ["a bc"]],
    ["await tools.exec_command({ yield_time_ms: (1 + 2) * 3, env: { cmd: 'no' }, cmd: 'yes' })", ["yes"]],
    ["await Promise.all([tools.exec_command({cmd:'a'}), tools.exec_command({cmd:'b'})])", ["a", "b"]],
    [`tools.exec_command({cmd:"\\u0061\\x62\\u{63}\\n"})`, ["abc\n"]],
    ["tools['exec_command']({cmd:'a'})", []],
    ["tools.exec_command({cmd: command})", []],
    ["tools.exec_command({cmd: `a ${b} c`})", []],
    ["tools.exec_command({cmd: 'a' + b})", []],
    ["tools.exec_command(options)", []],
    [`text("tools.exec_command({cmd: 'a'})")`, []],
    ["// tools.exec_command({cmd: 'a'})\n", []],
    ["/* tools.exec_command({cmd: 'a'}) */", []],
    ["const re = /tools.exec_command({cmd: 'a'})/;", []],
    ["const half = 4 / 2; tools.exec_command({cmd: 'a'}); // x / y", ["a"]],
    ["tools.exec_command({cmd: 'unclosed", []],
    ["text(`${`${1}`} tools.exec_command({cmd: 'a'})`)", []],
  ] as const
) {
  Deno.test(`the commands of ${JSON.stringify(program)} are ${JSON.stringify(expected)}`, () => {
    assertEquals(commands(program), [...expected]);
  });
}

Deno.test("what a program may skip is not certain", () => {
  const program = "tools.exec_command({cmd:'a'}); if (x) { tools.exec_command({cmd:'b'}); }";
  assertEquals(findScriptedCommands(program).map(({ isCertain }) => isCertain), [true, false]);
});

Deno.test("what a program may type into commands is found, also where it is built while the program runs", () => {
  const program = `const { session_id } = await tools.exec_command({ cmd: "bash", tty: true });
    await tools.write_stdin({ session_id, chars: "git push\\n" });
    if (ready) await tools.write_stdin({ chars: "a" + 'b', session_id });
    await tools.write_stdin({ session_id, chars: text });
    await tools.write_stdin({ session_id, chars: "" });
    // tools.write_stdin({ chars: "no" })`;
  assertEquals(findTypedTexts(program), ["git push\n", "ab", undefined, ""]);
  assertEquals(findTypedTexts("await tools.exec_command({ cmd: 'ls' })"), []);
});
