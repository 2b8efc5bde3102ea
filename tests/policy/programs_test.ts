import { assertEquals } from "@std/assert";
import { decidePermission, DEFAULT_PERMISSION_POLICY } from "../../lib/policy/mod.ts";

/** The commands of a list that are not decided in the given way, where `allow` has these entries. */
function others(commands: readonly string[], decision: "allow" | "ask" | "deny", allow: readonly string[]): string[] {
  const rules = [...allow.map((command) => ({ command })), { path: "**", kinds: ["file_write"] as const }];
  const policy = { ...DEFAULT_PERMISSION_POLICY, allow: rules, writable: ["/tmp"] };
  const links: Readonly<Record<string, string>> = { "/w/link": "/etc", "/w/inner": "/w/.git" };
  const realPath = (path: string) => {
    const link = Object.keys(links).find((one) => path === one || path.startsWith(`${one}/`));
    return link === undefined ? path : `${links[link]}${path.slice(link.length)}`;
  };
  const context = {
    policy,
    workdir: "/w",
    role: "programmer",
    provider: "codex",
    home: "/home/jane",
    realPath,
  } as const;
  return commands.filter((command) =>
    decidePermission({ kind: "command", subject: command }, context).decision !== decision
  );
}

const PROGRAMS = (
  "git diff|git diff **|git log **|git rebase **|git grep **|git clone **|git status|find **|rg **|sort **|sed **|tar **|awk **|" +
  "xargs **|grep **|npm **|npx tsc **|npm run **|go **|cargo **|rsync **|vim **|curl **|wget **|zip **|man **|make **|python3 **|" +
  "node **|perl **|rm **|mkdir **|tee **|cat **|npm test|cp **|mv **|less **|pytest **|ln **"
).split("|");

Deno.test("an entry for a program means its harmless uses", () => {
  const commands = [
    "git --no-pager diff",
    "git -c core.pager=cat diff",
    "git -c color.ui=never --no-pager log -3",
    "git -C sub diff",
    "find . -name '*.ts' -newer package.json",
    "rg -n --type ts needle src",
    "sort -rnk2 a.txt",
    "sed -n '1,20p' a.txt",
    "sed 's/a/b/g; /x/d' a.txt",
    "tar -tf a.tar",
    "awk -F, '$3 > 10 || /a|b/ { s += $2 } END { print s }' a.csv",
    "npm run build -- --output=x",
    "npx tsc --noEmit -p tsconfig.json",
    "go test ./... -run TestX -count=1",
    "cargo test --features a",
    "make test -j4",
    "python3 scripts/x.py --config /etc",
    "node scripts/x.js -e",
    "/usr/bin/git diff",
    '"$HOME/.cargo/bin/cargo" test',
    "find . -exec grep -n foo {} +",
  ];
  assertEquals(others(commands, "allow", PROGRAMS), []);
});

Deno.test("options that run programs or code need an entry that names them, however they are spelled", () => {
  const commands = [
    "git -c core.pager=./x diff",
    "git -ccore.pager=./x diff",
    "git -c alias.diff='!./x' diff",
    "git --exec-path=. diff",
    "git --config-env=core.pager=X diff",
    "git -C /srv/other diff",
    "git diff --ext-diff",
    "git diff --ext",
    "git rebase --exec ./x main",
    "git rebase -x./x main",
    "git grep -O./x a",
    "git clone --upload-pack ./x a b",
    "git clone ext::./x b",
    "find . -execdir ./x ;",
    "find . -exec ./x {} +",
    "find -L . -name x",
    "rg --pre ./x a",
    "rg --pre=./x a",
    "sort --compress-program=./x a",
    "sort --comp ./x a",
    "sed '1e id' a",
    "sed -f x.sed a",
    "sed -e p -e 's/a/b/e' a",
    "sed 'w /tmp/../etc/x' a",
    "tar -xf a.tar --checkpoint-action=exec=./x",
    "tar -xf a.tar --to-command=./x",
    "tar -I./x -xf a.tar",
    "tar xfI a.tar ./x",
    "awk 'BEGIN { system(\"id\") }'",
    "awk '{ print | \"sh\" }' a",
    "awk '{ print > \"x\" }' a",
    "awk '{ getline x < \"/etc/passwd\" }' a",
    "awk -f x.awk a",
    "xargs ./x",
    "npm test --script-shell=./x",
    "npm --prefix ../other test",
    "npm exec evil",
    "npx -c ./x",
    "npx tsc@evil",
    "go test -exec ./x",
    "go build -toolexec=./x",
    "cargo test --config x",
    "cargo +evil test",
    "rsync -e ./x a b",
    "rsync --rsh=./x a b",
    "vim -c '!./x' a",
    "curl -K x https://example.com",
    "wget --use-askpass=./x https://example.com",
    "zip -TT ./x a.zip b",
    "man -P./x ls",
    "less +!./x a",
    "make -f x.mk",
    "make SHELL=./x",
    "python3 -c 'import os'",
    "python3 -",
    "node -e 1",
    "node --require ./x a.js",
    "perl -ne1 a",
    "pytest -p evil",
    "git diff $X",
    'rg "$X"',
    "ls | xargs rg a",
  ];
  assertEquals(others(commands, "ask", PROGRAMS), []);
  assertEquals(others(["git -c core.pager=./x diff"], "allow", ["git -c core.pager=./x diff"]), []);
  assertEquals(others(["sort --compress-program=gzip a"], "allow", ["sort --compress-program=gzip **"]), []);
  assertEquals(others(["python3 -c 'x'"], "allow", ["python3 -c *"]), []);
});

Deno.test("options count in all the ways in which their programs read them", () => {
  const commands = [
    "npm test -node-options=--require=./x.js",
    "npm test -node-options --require=./x.js",
    "npm test ---script-shell=./x",
    "npm test --no-no-script-shell=./x",
    "npm test --no-node-options=--require=./x.js",
    "npm test -prefix ./x",
    "node --test --experimental_loader=./x.mjs",
    "node --test --env-file-if-exists=x",
    "sed --expr='1e id' -- p",
    "sed --exp '1e id' -n p",
    "awk -W exec x.awk",
    "awk -Wexec=x.awk",
    "gawk -pout 'BEGIN { print }'",
    "awk 'BEGIN { ARGV[1] = \".env\"; ARGC = 2 } 1'",
    "jq -n '$ ENV.HOME'",
    "jq -n '$ # a comment\nENV'",
  ];
  const entries = [...PROGRAMS, "npm test **", "node --test **", "gawk **", "jq **"];
  assertEquals(others(commands, "ask", entries), []);
  const fine = ["npm test --no-audit -s -- -node-options=x", "npm test -ws", "node --test --test_name_pattern=x"];
  assertEquals(others(fine, "allow", entries), []);
});

Deno.test("an entry for all of git means the commands that it brings, and no setting that may be a command", () => {
  const commands = [
    "git config alias.x '!id'",
    "git config core.fsmonitor ./x",
    "git config set core.pager ./x",
    "git config --add filter.x.clean ./x",
    "git config --rename-section foo alias",
    "git config --global user.name x",
    "git x",
    "git instaweb --httpd=./x",
    "git remote-ext x 'sh -c id'",
    "git credential fill",
    "git archive --remote='ext::sh -c id' HEAD",
    "git hash-object /etc/passwd",
    "git notes add -F /etc/passwd",
  ];
  assertEquals(others(commands, "ask", ["git **"]), []);
  const outside = [
    "git bundle create /etc/x HEAD",
    "git checkout-index --prefix=/etc/ -a",
    "git config -f /etc/x a.b c",
  ];
  assertEquals(others(outside, "deny", ["git **"]), []);
  const fine = [
    ...["git config user.name x", "git config --get core.pager", "git config core.pager", "git config --unset core.x"],
    ...["git push origin main", "git fetch", "git hash-object a", "git notes add -m x", "git version", "git stash"],
  ];
  assertEquals(others(fine, "allow", ["git **"]), []);
  assertEquals(others(["git x --y"], "allow", ["git x **"]), []);
});

Deno.test("files are written in the working directory and in what is writable, links resolved", () => {
  const fine = [
    "npm test > /tmp/out.txt",
    "npm test 2>&1 | tee out.txt",
    'mkdir -p "$PWD/dist"',
    'rm -rf "$PWD/dist"',
    "find . -name '*.pyc' -delete",
    "find src -name '*.orig' -exec rm {} +",
    "sed -i s/a/b/ src/a.ts",
    "sort -o a.txt a.txt",
    "CI=1 npm test",
    "set -e; npm test",
  ];
  assertEquals(others(fine, "allow", PROGRAMS), []);
  const outside = [
    "npm test > /var/out.txt",
    "npm test > link/out.txt",
    "sort -o ../x a",
    "sort --outp=/etc/x a",
    "sort -rno/etc/x a",
    "curl -o/etc/x https://example.com",
    "cat a > /tmp/../etc/x",
    "rm link/x",
    'rm -rf "$HOME/x"',
    "tee ~/x",
    "rm -rf *",
    "rm -rf ./*",
    'rm -rf "$PWD"/*',
    "rm -rf .",
    "find . -delete",
    "find -delete",
    "find . -type f -exec rm {} +",
  ];
  assertEquals(others(outside, "deny", PROGRAMS), []);
});

Deno.test("what is protected is never written, and secrets are never read, by a rule", () => {
  const commands = [
    "npm test > .git/config",
    "tee .GIT/hooks/pre-commit",
    "tee sub/.Git/config",
    "cp evil .husky/pre-commit",
    "cp x/.env .",
    "mv a .github/workflows/ci.yml",
    "cat a > .mcp.json",
    "cat a > inner/config",
    "cd .git && cat ../a > config",
    "rm -rf .git",
    "rm -rf .*",
    "find .git -name config -delete",
    "sed -i s/a/b/ .claude/settings.json",
    "cat .env",
    "cat < .env.local",
    "cat ~/.ssh/id_ed25519",
    "cat /proc/self/environ",
    "grep -r x ~/.aws",
    "F=.env; cat $F",
    "git diff --no-index a ~/.netrc",
    "cat a > ~/.bashrc",
    "cat ~/.bashrc",
    "cat /etc/passwd",
    "cat ../other/a",
    "cat link/passwd",
    "cat < /etc/passwd",
  ];
  const entries = [...PROGRAMS, "cat .env"];
  assertEquals(others(commands.filter((one) => !one.includes("> ~/.bashrc")), "ask", entries), []);
  assertEquals(others(["cat /etc/passwd", "cat ../other/a"], "allow", ["cat /etc/passwd", "cat /other/**"]), []);
});
