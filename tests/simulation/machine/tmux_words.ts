/** A command of tmux: its name, and what it is given. */
export type Command = readonly string[];

/** The options of commands that take a value, those that panewright uses. */
const VALUED: Readonly<Record<string, string>> = {
  "new-session": "snxyct",
  "new-window": "nFtce",
  "set-option": "t",
  "resize-window": "txy",
  "display-message": "t",
  "capture-pane": "tSE",
  "list-panes": "tF",
  "load-buffer": "b",
  "paste-buffer": "bt",
  "delete-buffer": "b",
  "send-keys": "t",
  "rename-window": "t",
  "refresh-client": "AB",
};

/** Whose server a client is for, and what it is told: the words after the options of tmux itself. */
export function readArguments([, ...argv]: readonly string[]) {
  let socket = "default";
  for (let at = 0;; at++) {
    const word = argv[at] ?? "";
    if (["-L", "-S", "-f"].includes(word)) {
      at++;
      if (word !== "-f") socket = argv[at] ?? "";
    } else if (!["-u", "-N"].includes(word)) return { socket, words: argv.slice(at) };
  }
}

export function commandsIn(words: readonly string[]): readonly Command[] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === ";") commands.push([]);
    else commands.at(-1)?.push(word.endsWith("\\;") ? `${word.slice(0, -2)};` : word);
  }
  return commands;
}

/** The words of a line of control mode. */
export function controlWords(line: string): readonly string[] {
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)].map(([, quoted, bare]) =>
    quoted === undefined
      ? bare ?? ""
      : quoted.replaceAll(/\\([0-7]{3})|\\(.)/g, (_, octal, one) =>
        octal ? String.fromCharCode(parseInt(octal, 8)) : one)
  );
}

/** What a command is given; an option takes a value where the table says so. */
export function readFlags(command: string, args: readonly string[]) {
  const valued = VALUED[command] ?? "t";
  const flags = new Map<string, string>();
  const has = new Set<string>();
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--") {
      at++;
      break;
    }
    if (!/^-[A-Za-z]/.test(word)) break;
    const name = word[1]!;
    if (valued.includes(name)) flags.set(name, args[++at] ?? "");
    else for (const each of word.slice(1)) has.add(each);
  }
  return { flags, has, words: args.slice(at) };
}

export function expand(format: string, facts: Readonly<Record<string, string | number>>): string {
  return format.replaceAll(/#\{(?:s\/[^:]*:)?(@?\w+)\}/g, (_, name: string) => String(facts[name] ?? ""));
}

// deno-lint-ignore no-control-regex -- the sequences that give text its style
const STYLES = /\x1b\[[0-9;]*m/g;

export function plain(row: string): string {
  return row.replaceAll(STYLES, "");
}
