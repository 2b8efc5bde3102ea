import { assert, assertEquals } from "@std/assert";
import { parseShellCommand, shellJoin, shellQuote } from "../../lib/shell/mod.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { createRandom, type Random } from "../support/random.ts";

const CHARACTERS = [..."abc -_=/.,:@%+~#!?*[]{}()<>|&;$`\\'\"\n\té界🙂0123"];

function randomText(random: Random, most: number): string {
  return Array.from({ length: random.int(most + 1) }, () => random.pick(CHARACTERS)).join("");
}

function values(text: string): (string | undefined)[][] {
  const { commands, problem } = parseShellCommand(text);
  assertEquals(problem, undefined, text);
  return commands.map(({ words }) => words.map(({ value }) => value));
}

Deno.test("quoted words are parsed back to the same words", () => {
  const random = createRandom(1);
  for (let round = 0; round < 3000; round++) {
    const words = Array.from({ length: 1 + random.int(5) }, () => randomText(random, 12));
    assertEquals(values(words.map(shellQuote).join(" ")), [words]);
    assertEquals(values(shellJoin(words)), [words]);
  }
});

Deno.test("no text makes the parser throw, and places stay inside of the text", () => {
  const random = createRandom(2);
  const pieces = [
    ...CHARACTERS,
    ..."$( `| && || ;; << <<- <<E >& &> $(( )) ${ $' [[ ]] if then fi for in do done case esac while { } ! f() E".split(
      " ",
    ),
  ];
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: random.int(30) }, () => random.pick(pieces) + (random.int(3) ? "" : " ")).join(
      "",
    );
    const { commands, problem } = parseShellCommand(text);
    for (const { start, end, words } of commands) {
      assert(start <= end && end <= text.length, JSON.stringify(text));
      for (const word of words) assert(start <= word.start && word.end <= end, JSON.stringify(text));
    }
    if (problem) assert(problem.start <= text.length);
  }
});

const POSIX_WAYS = [
  shellQuote,
  (text: string) => `"${text.replaceAll(/[$`"\\]/g, "\\$&")}"`,
  (text: string) => [...text].map((one) => one === "\n" ? "'\n'" : `\\${one}`).join(""),
  (text: string) => `"${text.replaceAll(/[$`"\\]/g, "\\$&")}"\\\n`,
];

const BASH_WAYS = [
  ...POSIX_WAYS,
  (text: string) =>
    `$'${text.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("a", "\\x61").replaceAll("b", "\\142")}'`,
  (text: string) => `$"${text.replaceAll(/[$`"\\]/g, "\\$&")}"`,
];

for (const [shell, ways] of [["sh", POSIX_WAYS], ["bash", BASH_WAYS]] as const) {
  Deno.test(`words mean what they mean to a real ${shell}`, async () => {
    const random = createRandom(3);
    const lines: string[] = [];
    for (let round = 0; round < 400; round++) {
      const words = Array.from(
        { length: 1 + random.int(4) },
        () => Array.from({ length: 1 + random.int(3) }, () => random.pick(ways)(randomText(random, 6))).join(""),
      );
      lines.push(`printf '%s\\0' x${words.join(" x")}; printf '\\001\\0' # end`);
    }
    const script = lines.join("\n");
    const { code, stdout, stderr } = await systemProcessRunner.run({
      argv: [shell, "-c", script],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
      timeoutMs: 30_000,
    });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const real = stdout.split("\x01\0").slice(0, -1).map((line) => line.split("\0").slice(0, -1));
    const parsed = values(script).filter(([, format]) => format === "%s\\0").map((words) => words.slice(2));
    assertEquals(parsed.length, lines.length);
    assertEquals(parsed, real);
  });
}

Deno.test("which commands run is what a real bash runs", async () => {
  const random = createRandom(4);
  const build = (depth: number): string => {
    const name = () => `run ${random.int(1000)}`;
    if (depth === 0) return name();
    const inner = () => build(depth - 1);
    return random.pick([
      () => `${inner()}; ${inner()}`,
      () => `${inner()} && ${inner()}`,
      () => `{ ${inner()}; }`,
      () => `( ${inner()} )`,
      () => `if ${inner()}; then ${inner()}; fi`,
      () => `for i in 1; do ${inner()}; done`,
      () => `case a in b) : no;; a) ${inner()};; esac`,
      () => `: "$( ${inner()} )"`,
      () => `: \${unset:-$( ${inner()} )}`,
      () => {
        const delimiter = `E${random.int(1_000_000)}`;
        return `{ cat <<${delimiter} >&3\n$( ${inner()} )\n${delimiter}\n}`;
      },
      () => `! ! ${inner()}`,
      () => `: 'quoted ${name()}' "; ${name()}" # ${name()}\n${inner()}`,
      () => `while ${inner()}; do break; done`,
    ])();
  };
  const texts = Array.from({ length: 150 }, () => build(1 + random.int(4)));
  const script = `exec 3>/dev/null\nrun() { echo "$1" >&2; }\n${
    texts.map((text) => `${text}\nprintf '%s\\n' end >&2`).join("\n")
  }`;
  const { code, stderr } = await systemProcessRunner.run({
    argv: ["bash", "-c", script],
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
    timeoutMs: 30_000,
  });
  assertEquals(code, 0);
  const real = stderr.split("end\n").slice(0, -1).map((lines) => lines.split("\n").slice(0, -1).toSorted());
  const parsed = texts.map((text) =>
    values(text).filter(([program]) => program === "run").map(([, number]) => String(number)).toSorted()
  );
  assertEquals(parsed, real);
});
