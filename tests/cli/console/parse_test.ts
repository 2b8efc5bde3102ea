import { assertEquals, assertThrows } from "@std/assert";
import type { FlagSpec } from "../../../lib/cli/console/command.ts";
import { checkPositionals, parseFlags } from "../../../lib/cli/console/parse.ts";
import { UsageError } from "../../../lib/base/errors.ts";

const FLAGS: readonly FlagSpec[] = [
  { name: "wd", type: "string", placeholder: "DIR", description: "" },
  { name: "max-rounds", type: "integer", placeholder: "N", description: "" },
  { name: "poll-seconds", type: "number", placeholder: "N", description: "" },
  { name: "shape", type: "choice", choices: ["round", "square"], description: "" },
  { name: "tag", type: "string", placeholder: "T", repeatable: true, description: "" },
  { name: "quiet", short: "q", type: "switch", description: "" },
  { name: "no-cleanup", type: "switch", description: "" },
];

Deno.test("flags are parsed by the type in their data", () => {
  const args = [
    "--wd",
    "a b",
    "--max-rounds=3",
    "--poll-seconds",
    "0.5",
    "--shape",
    "round",
    "-q",
    "--no-cleanup",
    "job",
  ];
  assertEquals(parseFlags(args, FLAGS), {
    values: { wd: "a b", "max-rounds": 3, "poll-seconds": 0.5, shape: "round", quiet: true, "no-cleanup": true },
    positionals: ["job"],
  });
});

Deno.test("a repeatable flag gives all its values, in order", () => {
  assertEquals(parseFlags(["--tag", "a", "--tag=b"], FLAGS).values, { tag: ["a", "b"] });
});

Deno.test("what looks like a number stays the text that was written, in a string flag and as an argument", () => {
  assertEquals(parseFlags(["--wd", "007", "1e3"], FLAGS), { values: { wd: "007" }, positionals: ["1e3"] });
});

Deno.test("a negative number is the value of the flag before it, and nothing else's", () => {
  assertEquals(parseFlags(["--tag", "-1", "--wd", "-.5", "--", "--tag", "-1"], FLAGS), {
    values: { tag: ["-1"], wd: "-.5" },
    positionals: ["--tag", "-1"],
  });
});

Deno.test("after -- everything is an argument", () => {
  assertEquals(parseFlags(["--", "--wd", "-q"], FLAGS), { values: {}, positionals: ["--wd", "-q"] });
});

for (
  const [args, message] of [
    [["--wd"], "Cannot use --wd without a value"],
    [["--wd", ""], "Cannot use --wd without a value"],
    [["--wd="], "Cannot use --wd without a value"],
    [["--wd", "--quiet"], "Cannot use --wd without a value"],
    [["--wd", "a", "--wd", "b"], "Cannot use --wd 2 times: it takes one value"],
    [["--max-rounds", "two"], 'Cannot use --max-rounds "two": it must be a whole number'],
    [["--max-rounds", "1.5"], 'Cannot use --max-rounds "1.5": it must be a whole number'],
    [["--max-rounds=-1"], 'Cannot use --max-rounds "-1": it must be a whole number'],
    [["--max-rounds", "-1"], 'Cannot use --max-rounds "-1": it must be a whole number'],
    [["--quiet", "-1"], "Cannot use -1: no such flag"],
    [["--wd=a", "-1"], "Cannot use -1: no such flag"],
    [["--max-rounds", "0x10"], 'Cannot use --max-rounds "0x10": it must be a whole number'],
    [["--poll-seconds", "2s"], 'Cannot use --poll-seconds "2s": it must be a number, such as 2 or 0.5'],
    [["--shape", "rond"], 'Cannot use --shape "rond": it must be one of round, square (did you mean "round"?)'],
    [["--quiet=no"], "Cannot use --quiet=no: --quiet takes no value"],
    [["--max-round", "3"], 'Cannot use --max-round: no such flag (did you mean "--max-rounds"?)'],
    [["--__proto__=1"], "Cannot use --__proto__: no such flag"],
    [["-x"], "Cannot use -x: no such flag"],
  ] as const
) {
  Deno.test(`the arguments ${JSON.stringify(args)} are refused`, () => {
    assertEquals(assertThrows(() => parseFlags(args, FLAGS), UsageError).message, message);
  });
}

Deno.test("a negative number that no flag takes is told how to be an argument", () => {
  const error = assertThrows(() => parseFlags(["-1"], FLAGS), UsageError);
  assertEquals(error.hint, 'Write "--" before an argument that begins with "-".');
});

Deno.test("an empty argument names nothing, and is refused where it is no text", () => {
  const file = { name: "FILE", description: "" };
  for (const specs of [[file], [{ ...file, rest: true }]]) {
    const error = assertThrows(() => checkPositionals([""], specs, { command: "explain" }), UsageError);
    assertEquals(error.message, "Cannot use the argument FILE: it is empty");
  }
  checkPositionals(["x", ""], [file, { name: "TEXT", description: "", rest: true, text: true }], { command: "send" });
});

Deno.test("positional arguments are counted by their data", () => {
  const file = { name: "FILE", description: "", required: true };
  const options = { command: "explain" };
  checkPositionals(["a"], [file], options);
  checkPositionals(["a", "b", "c"], [{ ...file, rest: true }], options);
  const tooFew = assertThrows(() => checkPositionals([], [file], options), UsageError);
  assertEquals(tooFew.message, 'Cannot run "explain": the argument FILE is missing');
  const tooMany = assertThrows(() => checkPositionals(["a", "b"], [file], options), UsageError);
  assertEquals(tooMany.message, 'Cannot use the argument "b": "explain" takes at most 1: FILE');
  const role = { name: "ROLE", description: "" };
  const third = assertThrows(() => checkPositionals(["a", "b", "c"], [file, role], { command: "attach" }), UsageError);
  assertEquals(third.message, 'Cannot use the argument "c": "attach" takes at most 2: FILE, ROLE');
});
