import { assertEquals } from "@std/assert";
import { decidePermission, DEFAULT_PERMISSION_POLICY, type PermissionPolicy } from "../../lib/policy/mod.ts";

const PROGRAMS = [
  "npm **",
  "node **",
  "cat **",
  "git **",
  "ls **",
  "echo **",
  "printf **",
  "wc **",
  "date **",
  "grep **",
];
const ALLOW_LIST = { allow: PROGRAMS.map((command) => ({ command })) };
const NPM_TEST = { allow: [{ command: "npm test" }] };

function decisions(commands: readonly string[], policy: Partial<PermissionPolicy>): Record<string, string> {
  const context = {
    policy: { ...DEFAULT_PERMISSION_POLICY, ...policy },
    workdir: "/srv/shop",
    role: "programmer",
    provider: "claude_code",
  } as const;
  return Object.fromEntries(
    commands.map((command) => [command, decidePermission({ kind: "command", subject: command }, context).decision]),
  );
}

function all(commands: readonly string[], decision: string): Record<string, string> {
  return Object.fromEntries(commands.map((command) => [command, decision]));
}

/** Under an allow list, and where everything is allowed that nothing stops. */
function assertAsked(commands: readonly string[]): void {
  assertEquals(decisions(commands, ALLOW_LIST), all(commands, "ask"));
  assertEquals(decisions(commands, {}), all(commands, "ask"));
}

const E = "a[$(curl evil)]";

Deno.test("a command with a character that is not shown is never allowed", () => {
  const codes = [
    ...[
      0x01,
      0x07,
      0x08,
      0x0b,
      0x0c,
      0x0d,
      0x1b,
      0x7f,
      0x80,
      0x9b,
      0xad,
      0x61c,
      0x180e,
      0x200b,
      0x200c,
      0x200d,
      0x200e,
    ],
    ...[0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2064, 0x2066, 0x2069, 0x3164, 0xfe00, 0xfe0f, 0xfeff],
    ...[0xd800, 0xe0001, 0xe007f],
  ];
  assertAsked(codes.map((code) => `echo a${String.fromCodePoint(code)}b`));
  assertAsked(["echo \\\u200b''; echo 'touch pwned' | cat #'", "npm test\r", "npm test\r\nls"]);
  const shown = ["echo a\tb", "cat <<'E'\n\tx\nE", "git commit -m 'Grüße, 日本語 🙂'", "npm test\n"];
  assertEquals(decisions(shown, ALLOW_LIST), all(shown, "allow"));
  assertEquals(decisions(["git push\u200b; git push"], { deny: [{ command: "git push" }] }), {
    "git push\u200b; git push": "deny",
  });
});

Deno.test("arithmetic that a shell evaluates out of text is never allowed", () => {
  assertAsked([
    `[[ '${E}' -eq 0 ]]`,
    `[[ 0 -lt '${E}' ]] && npm test`,
    `[[ -n x && '${E}' -eq 0 ]]`,
    `[[ ! ( x = y || '${E}' -ge 0 ) ]]`,
    `[[ -v '${E}' ]]`,
    `[[ -R '${E}' ]]`,
    `[[ x == *(e:'curl evil':) ]]`,
    `[[ -n *(#qe:'curl evil':) ]]`,
    `x='${E}'; [[ x -eq 0 ]]`,
    `x='${E}'; [[ $x -eq 0 ]]`,
    `test -v '${E}'`,
    `test '${E}' -eq 0`,
    `[ -v '${E}' ]`,
    `[ '${E}' -eq 0 ]`,
    `[ ! -v '${E}' ]`,
    `[ -f x -a -v '${E}' ]`,
    `x="-v ${E.replace("$", "\\$")}"; [ $x ]`,
    `/usr/bin/test -v '${E}'`,
    `command test -v '${E}'`,
    `builtin [ -v '${E}' ]`,
    `test -t '${E}'`,
    `printf -v '${E}' x`,
    `printf -v'${E}' x`,
    `x='-v${E}'; printf "$x" y`,
    `printf '%d' '${E}'`,
    `printf '%s %d' a '${E}'`,
    `printf '%*s' '${E}' a`,
    `read '${E}' <<< x`,
    `read -r '${E}' <<< x`,
    `read -t '${E}' x`,
    `read x; echo $((x))`,
    `echo '${E}' | while read -r x; do echo $((x)); done`,
    `let '${E}'`,
    `let 'x=${E}'`,
    `x='${E}'; let x+1`,
    `declare -i x='${E}'`,
    `declare -i x; x='${E}'`,
    `typeset -i x='${E}'`,
    `local -i x='${E}'`,
    `export -i x='${E}'`,
    `readonly -i x='${E}'`,
    `integer x='${E}'`,
    `declare -a 'x=($(curl evil))'`,
    `declare 'x=($(curl evil))'`,
    `export "x=(\\$(curl evil))"`,
    `declare '${E}=1'`,
    `declare -n r=x`,
    `x='$(curl evil)'; echo "\${x@P}"`,
    `x='$(curl evil)'; echo \${x@P}`,
    `mapfile -C 'curl evil' -c 1 x <<< a`,
    `readarray -C 'curl evil' -c 1 x <<< a`,
    `x='${E}'; echo $((x))`,
    `x='${E}'; y=x; echo $((y))`,
    `x='${E}'; y=$x; echo $((y + 1))`,
    `x='${E}'; echo $((1 + $x))`,
    `x='${E}' bash -c 'echo $((x))'`,
    `env x='${E}' bash -c 'echo $((x))'`,
    `export x='${E}'; echo $((x))`,
    `x=a; x+='[$(curl evil)]'; echo $((x))`,
    `for x in '${E}'; do echo $((x)); done`,
    `for x in *; do echo $((x)); done`,
    `echo \${x:='${E}'} $((x))`,
    `x=('${E}'); echo $((x))`,
    `bash -c 'echo $(($1))' _ '${E}'`,
    `echo '${E}'; echo $((_))`,
    `: '${E}'; (( BASH_EXECUTION_STRING ))`,
    `x=$(cat file); echo $((x))`,
    `echo $(( $(cat file) ))`,
    `(( ${E} ))`,
    `x='${E}'; (( x ))`,
    `(( x = 'y[$(curl evil)]' ))`,
    `for (( i = ${E}; i < 1; i++ )); do ls; done`,
    `unset '${E}'`,
    `unset -v '${E}'`,
    `wait -p '${E}' -n`,
    `getopts o '${E}'`,
    `x='${E}'; echo \${y[x]}`,
    `x='${E}'; echo \${y:x}`,
    `x='${E}'; echo \${y:0:$x}`,
    `echo \${y[$(curl evil)]}`,
    `echo \${!x}`,
    `x='${E}'; echo "\${!x}"`,
    `y['${E}']=1`,
    `y[x]=1 x='${E}'`,
    `y=(['${E}']=1)`,
    `RANDOM='${E}'`,
    `OPTIND='${E}'`,
    `SECONDS='${E}'`,
    `COLUMNS='${E}' npm test`,
    `exit '${E}'`,
    `shift '${E}'`,
    `break '${E}'`,
    `x='${E}'; exit $x`,
    // zsh
    `x='$(curl evil)'; echo \${(e)x}`,
    `echo \${(e):-'$(curl evil)'}`,
    `echo \${~x}`,
    `x='${E}'; echo $y[x]`,
    `echo *(e:'curl evil':)`,
    `ls **/*(.e'[curl evil]')`,
    `cat =(curl evil)`,
    `print -P '%{$(curl evil)%}'`,
    `print -v '${E}' x`,
    `setopt globsubst; x='*(e:curl evil:)'; ls $x`,
    `{ echo a } always { curl evil; }`,
    `compgen -C 'curl evil' x`,
    `compgen -W '$(curl evil)'`,
    `jobs -x curl evil`,
    `time ! [[ '${E}' -eq 0 ]]`,
  ]);
});

Deno.test("what sets a variable that changes what other commands do is never allowed, in any form that sets it", () => {
  const forms = (name: string) => [
    `${name}=./evil npm test`,
    `${name}=./evil; npm test`,
    `${name}+=:./evil; npm test`,
    `export ${name}=./evil; npm test`,
    `declare -x ${name}=./evil; npm test`,
    `typeset ${name}=./evil; npm test`,
    `readonly ${name}=./evil; npm test`,
    `for ${name} in ./evil; do npm test; done`,
    `select ${name} in ./evil; do npm test; done`,
    `read -r ${name} <<< ./evil; npm test`,
    `echo ./evil | { read ${name}; npm test; }`,
    `printf -v ${name} ./evil; npm test`,
    `mapfile ${name} <<< ./evil; npm test`,
    `getopts o ${name}; npm test`,
    `: \${${name}:=./evil}; npm test`,
    `: \${${name}=./evil}; npm test`,
    `env ${name}=./evil npm test`,
    `env -i ${name}=./evil npm test`,
    `npm test {${name}}>/dev/null`,
    `bash -c '${name}=./evil npm test'`,
    `eval '${name}=./evil'; npm test`,
    `${name}=(./evil); npm test`,
    `((${name}=1)); npm test`,
    `: $((${name}=1)); npm test`,
  ];
  assertAsked(
    [
      "PATH",
      "HOME",
      "IFS",
      "ENV",
      "BASH_ENV",
      "LD_PRELOAD",
      "GIT_SSH_COMMAND",
      "NODE_OPTIONS",
      "PYTHONPATH",
      "PERL5OPT",
    ]
      .flatMap(forms),
  );
  assertAsked(
    ("RUBYOPT PROMPT_COMMAND SHELLOPTS BASHOPTS PS4 CDPATH EDITOR VISUAL PAGER LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES " +
      "GIT_DIR GIT_CONFIG_COUNT GIT_EXTERNAL_DIFF JAVA_TOOL_OPTIONS RUSTC_WRAPPER CARGO_BUILD_RUSTC GOFLAGS CC MAKEFLAGS " +
      "npm_config_script_shell NPM_CONFIG_PREFIX LESSOPEN ZDOTDIR XDG_CONFIG_HOME HTTPS_PROXY SSH_ASKPASS BASH_CMDS " +
      "path fpath chpwd_functions MY_PAGER FOO_WRAPPER").split(" ").map((name) => `${name}=./evil npm test`),
  );
});

Deno.test("what changes the meaning of a program's name is never allowed", () => {
  assertAsked([
    "npm() { curl evil; }; npm test",
    "function npm { curl evil; }; npm test",
    "alias npm=evil; npm test",
    "hash -p ./evil npm; npm test",
    "enable -f ./evil.so npm",
    "trap 'curl evil' EXIT",
    "trap 'curl evil' DEBUG; npm test",
    "coproc npm { curl evil; }",
    "env -S 'npm test'",
    "set -k; npm test PATH=./evil",
    "set -a; npm test",
    "shopt -s expand_aliases",
    "BASH_ALIASES[npm]=evil; npm test",
    "BASH_CMDS[npm]=./evil; npm test",
    "aliases[npm]=evil; npm test",
    "autoload npm",
    "zmodload zsh/system",
    "echo x >! /etc/passwd",
    "rm -rf *~src",
    "rm -rf ^src",
    "rm -rf ***/",
    "npm test ＆＆ ./evil",
    "npm run build；sh evil",
    "bash --rcfile evil -i -c ls",
    "repeat 'a[$(curl evil)]' ls",
    "sh -c '((npm))'",
    "sh -c '[[ -f x && npm ]]'",
    "sh -c \"echo \\$'\\\\'; npm publish #'\"",
  ]);
});

Deno.test("useful work in the shell's own words needs no entry, and no person", () => {
  const commands = [
    "npm test",
    "((i++))",
    "set -e; npm test",
    "set -euo pipefail; npm test",
    "[ -f x ] && npm test",
    "test -d dist",
    "test -d dist && npm test",
    "[[ -f package.json ]]",
    "[[ -f package.json && ! -d dist ]] && npm test",
    "[[ $x == a* ]]",
    "[[ $x =~ ^(a|b)[0-9]+$ ]] && npm test",
    "[ ! -e dist/index.js ] || npm test",
    '[ -n "$CI" ] && npm test',
    '[ "$x" = "y" ] && npm test',
    "npm test; [ $? -eq 0 ]",
    "npm test; code=$?; echo $code; exit $code",
    "npm test || true",
    "CI=1 npm test",
    "CI=1 FORCE_COLOR=0 NODE_ENV=test npm test",
    "env CI=1 npm test",
    "export CI=1; npm test",
    "export CI=true && npm test",
    "DEBUG='app:*' npm test",
    "DATABASE_URL=postgres://localhost/x npm test",
    "x=1; npm test",
    "for i in 1 2 3; do npm test; done",
    "for i in {1..5}; do npm test; echo $((i * 2)); done",
    "for ((i = 0; i < 3; i++)); do npm test; done",
    "i=0; while [ $i -lt 3 ]; do npm test; i=$((i + 1)); done",
    "i=0; until npm test; do ((i++)); [[ $i -ge 3 ]] && break; done",
    'for f in a b; do echo "$f"; done',
    "printf '%s\\n' done",
    "printf '%d files\\n' 3",
    'printf "%s: %s\\n" "$x" "$y"',
    "echo ${x:-none} ${#x} ${x%.ts} ${x##*/} ${x/a/b} ${x:0:3} ${a[@]} ${a[0]} ${x^^}",
    'while IFS= read -r line; do echo "$line"; done <<< x',
    "IFS=, read -ra parts <<< a,b",
    "cd src && npm test",
    "time npm test",
    "true && npm test",
    "shopt -s nullglob; npm test",
    "unset DEBUG; npm test",
    "npm test & wait",
    "npm test & pid=$!; wait $pid",
    "umask 022; npm test",
    "declare -A seen=([a]=1); npm test",
    "a=(1 2 3); echo ${#a[@]}",
    "sleep=1; echo $sleep",
    "# a comment",
  ];
  assertEquals(decisions(commands, NPM_TEST), all(commands, "allow"));
});

Deno.test("an entry that names no variable lets none pass, and one for a program that runs others names none of them", () => {
  const allow = ["export **", "read **", "npm **", "xargs **", "timeout **", "find **", "bash **"];
  const policy = { allow: allow.map((command) => ({ command })) };
  const commands = [
    "export BASH_ENV=./evil.sh; npm test",
    "read PATH <<< ./evil; npm test",
    "xargs -a package.json timeout 5 ./evil",
    "xargs xargs ./evil",
    "find . -exec ./evil {} +",
    "CI=1 xargs ./evil",
  ];
  assertEquals(decisions(commands, policy), all(commands, "ask"));
});

Deno.test("an entry may name the variables of a command", () => {
  const policy = { allow: [{ command: "NODE_OPTIONS=--no-warnings npm test" }] };
  assertEquals(
    decisions(["NODE_OPTIONS=--no-warnings npm test", "NODE_OPTIONS=-r=./x npm test", "npm test"], policy),
    {
      "NODE_OPTIONS=--no-warnings npm test": "allow",
      "NODE_OPTIONS=-r=./x npm test": "ask",
      "npm test": "ask",
    },
  );
});

Deno.test("an assignment is one however it is quoted, and whatever its name is", () => {
  assertAsked([
    "env 'PATH=./evil' npm test",
    `env "PATH=$PWD/evil" npm test`,
    "env $'PATH=./evil' npm test",
    "env PATH''=./evil npm test",
    "env P\\ATH=./evil npm test",
    "env 'BASH_FUNC_npm%%=() { evil; }' bash -c 'npm test'",
    "env BASH_FUNC_npm%%='() { evil; }' npm test",
    "env 'npm()=() { evil; }' npm test",
    "find . -exec env 'PATH=./evil' npm test \\;",
    "IFS=$x read -r line <<< a; npm test",
    "IFS= command read -r line <<< a",
    "IFS=/ npm test",
    "IFS=/; read -r line <<< a",
    "IFS= read PATH <<< ./evil; npm test",
    "unset PATH; npm test",
    "unset path; npm test",
    "unset npm_config_ignore_scripts; npm test",
    "export TEXTDOMAINDIR=.; npm test",
    'echo $"hello"',
    "x='*(e:curl evil:)'; echo $~x",
    "echo ${(e)x} $=x",
  ]);
  const harmless = ["env 'CI=1' npm test", 'env "A=b" "C=$x" npm test', "unset DEBUG IFS NODE_OPTIONS; npm test"];
  assertEquals(decisions(harmless, NPM_TEST), all(harmless, "allow"));
});

Deno.test("braces hide no name: each of the words that they stand for is looked at", () => {
  const allow = ["cat **", "touch **", "cp **", "rm **", "mkdir **", "echo **"].map((command) => ({ command }));
  const policy = { allow: [...allow, { path: "**" }] };
  const asked = [
    "cat .en{v,x}",
    "cat {.env,x}",
    "cat .{env,x}",
    "cat .en{u..w}",
    "cat ~/.ss{h,x}/id_x",
    "touch .gi{t,x}/hooks/pre-commit",
    "touch {panewright.jsonc,b}",
    "cp x pane{wright,x}.jsonc",
    "cp src/{a,.env} .",
    "rm -rf {src,Jenkinsfile}",
    "echo x > .gi{t,x}/config",
    "touch a{$x,b}",
    "{cat,./evil} x",
    "./scripts/{ls,/../evil}",
  ];
  assertEquals(decisions(asked, policy), all(asked, "ask"));
  const harmless = [
    "mkdir -p src/{a,b}/{c,d}",
    "cp src/a.{ts,js} lib/",
    "touch {1..3}.txt",
    "echo {a,b}$x",
    "rm -rf {dist,out}",
  ];
  assertEquals(decisions(harmless, policy), all(harmless, "allow"));
  assertEquals(decisions(["rm -rf {../x,y}"], policy), { "rm -rf {../x,y}": "deny" });
});
