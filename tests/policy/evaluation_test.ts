import { assertEquals } from "@std/assert";
import { decidePermission, DEFAULT_PERMISSION_POLICY, type PermissionPolicy } from "../../lib/policy/mod.ts";

const PROGRAMS = "npm node cat git ls echo printf wc date grep".split(" ");
const ALLOW_LIST = { allow: PROGRAMS.map((program) => ({ command: `${program} **` })) };

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

Deno.test("a command with a character that is not shown is never allowed", () => {
  const codes =
    "1 7 8 b c d 1b 7f 80 9b ad 61c 180e 200b 200c 200d 200e 200f 2028 2029 202a 202e 2060 2064 2066 2069 3164 " +
    "fe00 fe0f feff d800 e0001 e007f";
  assertAsked(codes.split(" ").map((code) => `echo a${String.fromCodePoint(parseInt(code, 16))}b`));
  assertAsked(["echo \\\u200b''; echo 'touch pwned' | cat #'", "npm test\r", "npm test\r\nls"]);
  const shown = ["echo a\tb", "cat <<'E'\n\tx\nE", "git commit -m 'Grüße, 日本語 🙂'", "npm test\n"];
  assertEquals(decisions(shown, ALLOW_LIST), all(shown, "allow"));
  assertEquals(decisions(["git push\u200b; git push"], { deny: [{ command: "git push" }] }), {
    "git push\u200b; git push": "deny",
  });
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
  const names = "PATH HOME IFS ENV BASH_ENV LD_PRELOAD GIT_SSH_COMMAND NODE_OPTIONS PYTHONPATH PERL5OPT";
  assertAsked(names.split(" ").flatMap(forms));
  assertAsked(
    ("RUBYOPT PROMPT_COMMAND SHELLOPTS BASHOPTS PS4 CDPATH EDITOR VISUAL PAGER LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES " +
      "GIT_DIR GIT_CONFIG_COUNT GIT_EXTERNAL_DIFF JAVA_TOOL_OPTIONS RUSTC_WRAPPER CARGO_BUILD_RUSTC GOFLAGS CC MAKEFLAGS " +
      "npm_config_script_shell NPM_CONFIG_PREFIX LESSOPEN ZDOTDIR XDG_CONFIG_HOME HTTPS_PROXY SSH_ASKPASS BASH_CMDS " +
      "path fpath chpwd_functions MY_PAGER FOO_WRAPPER").split(" ").map((name) => `${name}=./evil npm test`),
  );
});
