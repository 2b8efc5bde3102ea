import { assertEquals } from "@std/assert";
import { commandLayers, findCommands, parseShellCommand } from "../../lib/shell/mod.ts";

function layers(text: string) {
  return commandLayers(parseShellCommand(text).commands.at(-1)!);
}

function programs(text: string) {
  return layers(text).map(({ program, unclear }) => unclear === undefined ? program : `${program}?`);
}

Deno.test("programs that run another command are looked through", () => {
  assertEquals(programs("env -i A=1 -u B C=$x npm test"), ["env", "npm"]);
  assertEquals(programs("nice -n 5 nohup timeout -k 1 --signal=INT 5m stdbuf -oL cmd"), [
    "nice",
    "nohup",
    "timeout",
    "stdbuf",
    "cmd",
  ]);
  assertEquals(programs("xargs -0 -n 1 -I{} cp {} x"), ["xargs", "cp"]);
  assertEquals(programs("find . -name x -exec a {} \\; -o -exec b {} +"), ["find", "a", "b"]);
  assertEquals(programs("sudo -u root A=1 id"), ["sudo", "id"]);
  assertEquals(programs("timeout $LIMIT npm test"), ["timeout", "npm"]);
  assertEquals(programs("command -v npm"), ["command"]);
  assertEquals(programs("env"), ["env"]);
});

Deno.test("what is not known to be run is said", () => {
  assertEquals(programs("env -S 'a b'"), ["env?"]);
  assertEquals(programs("find . -exec {} \\;"), ["find?"]);
  assertEquals(programs("xargs -I X X a"), ["xargs?"]);
  assertEquals(programs("xargs env"), ["xargs", "env?"]);
  assertEquals(programs("$x a"), ["undefined?"]);
  assertEquals(programs("env ".repeat(100) + "x").length, 13);
});

Deno.test("words that another command adds are noted", () => {
  assertEquals(layers("xargs rm a").map(({ moreWords }) => moreWords), [false, true]);
  assertEquals(layers("env rm a").map(({ moreWords }) => moreWords), [false, false]);
});

Deno.test("a shell's commands come from its text, a file, its input or an expansion", () => {
  const input = (text: string) => {
    const last = layers(text).at(-1)!.input;
    return last?.from === "text" ? last.text : last?.from;
  };
  assertEquals(input("bash -lc 'a b' x y"), "a b");
  assertEquals(input("bash -o pipefail -e -c 'a'"), "a");
  assertEquals(input("sh -c -- 'a'"), "a");
  assertEquals(input("eval a 'b c'"), "a b c");
  assertEquals(input("bash <<'E'\na\nE"), "a\n");
  assertEquals(input("bash <<< 'a'"), "a");
  assertEquals(input("bash script.sh -c x"), "file");
  assertEquals(input(". ./env.sh"), "file");
  assertEquals(input("bash < script.sh"), "file");
  assertEquals(input("bash -s -- x"), "stdin");
  assertEquals(input("bash"), "stdin");
  assertEquals(input('sh -c "$x"'), "expansion");
  assertEquals(input("eval $x"), "expansion");
  assertEquals(input("bash <<E\n$x\nE"), "expansion");
  assertEquals(input("fish -c a"), "expansion");
  assertEquals(input("xargs sh -c 'a'"), "expansion");
  assertEquals(input("python3 -c a"), undefined);
});

/** What the later search for asks does: a command `panewright ask "…"` wherever a shell would run it. */
function asks(text: string): (string | undefined)[] {
  return findCommands(parseShellCommand(text))
    .filter(({ layer: { program, words } }) => program === "panewright" && words[1]?.value === "ask")
    .map(({ layer }) => layer.words[2]?.value);
}

Deno.test("an ask is found in command position only", () => {
  assertEquals(asks('panewright ask "Which \\"one\\"?"'), ['Which "one"?']);
  assertEquals(asks("A=1 ./bin/panewright ask 'x'"), ["x"]);
  assertEquals(asks(`bash -lc 'cd a && panewright ask "x; y"'`), ["x; y"]);
  assertEquals(asks("echo $(panewright ask x) | timeout 5 panewright ask y"), ["x", "y"]);
  assertEquals(asks('panewright ask "$QUESTION"'), [undefined]);
  const none = [
    'grep "panewright ask" README.md',
    "echo 'panewright ask x'",
    "echo panewright ask x",
    "# panewright ask x",
    "cat <<'E'\npanewright ask x\nE",
    "panewrightask x",
    "panewright 'ask x'",
  ];
  assertEquals(none.flatMap(asks), []);
});

Deno.test("found commands know where their simple command stands", () => {
  const text = "a; bash -c 'b; c'";
  const places = findCommands(parseShellCommand(text)).map(({ layer, start, end }) => [
    layer.program,
    text.slice(start, end),
  ]);
  assertEquals(places, [["a", "a"], ["bash", "bash -c 'b; c'"], ["b", "bash -c 'b; c'"], ["c", "bash -c 'b; c'"]]);
});
