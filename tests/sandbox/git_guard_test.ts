import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { exists } from "@std/fs";
import { RuntimeError } from "../../lib/base/errors.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { openGitGuard } from "../../lib/sandbox/git_guard.ts";
import { setAside } from "../../lib/sandbox/set_aside.ts";
import { harmlessSettings } from "../../lib/sandbox/git_settings.ts";
import { tempDir } from "../support/temp_dir.ts";

/** A person's repository, with a submodule and a further working tree. */
const BEFORE = `git init -q lib && git -C lib commit -q --allow-empty -m first
git init -q project && cd project && echo a > a.txt && git add . && git commit -qm first
git -c protocol.file.allow=always submodule add -q ../lib lib 2>&1 && git commit -qm lib
git config extensions.worktreeConfig true
git worktree add -q ../beside && cd ../beside && git worktree list >/dev/null`;

/** Makes \`$1\` a folder of git's by whose settings git runs something. */
const ARMED = 'arm() { mkdir -p "$1/objects" "$1/refs"; echo ref: refs/heads/main > "$1/HEAD"; ' +
  'git config --file "$1/config" core.fsmonitor "touch $OUT/obeyed;false"; }; ' +
  'strategy() { mkdir git-merge-x; printf "#!/bin/sh\\ntouch $OUT/obeyed; exit 1\\n" > git-merge-x/evil; chmod +x git-merge-x/evil; ' +
  "for n in 1 2 3; do echo $n > n$n; git add n$n; git commit -qm $n; done; }; " +
  'link() { git update-index --add --cacheinfo "160000,$(printf %040d 1),$1"; }; ';

/** What a program inside could do, and what a person does then. */
const WAYS: Readonly<Record<string, { readonly script: string; readonly then?: string; readonly before?: string }>> = {
  "settings that the repository is led to": { script: "arm evil; echo ../evil > .git/commondir" },
  "settings of a further working tree": {
    script: "arm evil; echo ../../../evil > .git/worktrees/beside/commondir",
    then: "cd ../beside; git status",
  },
  "settings beside those of a working tree": {
    script: 'git config --file .git/config.worktree core.fsmonitor "touch $OUT/obeyed;false"',
  },
  "a repository below": { script: "arm inner/.git; link inner" },
  "a repository below, by the name of a folder that is none": {
    script: 'mkdir "in ner"; arm "in ner/.git"; link "in ner"',
  },
  "a file that leads to a repository": {
    script: "arm store; mkdir inner; echo gitdir: ../store > inner/.git; link inner",
  },
  "a file that leads into the folder of objects": {
    script: "arm .git/objects/x; mkdir inner; echo gitdir: ../.git/objects/x > inner/.git; link inner",
  },
  "a link that leads to a repository": { script: "arm store; mkdir inner; ln -s ../store inner/.git; link inner" },
  "a file that leads out": {
    script: 'arm "$OUT/store"; mkdir inner; echo "gitdir: $OUT/store" > inner/.git; link inner',
  },
  "a bare repository": {
    script: 'arm bare; git config --file bare/config alias.x "!touch $OUT/obeyed"',
    then: "cd bare; git x",
  },
  "settings that name others": {
    script: "arm inner/.git; git config --file inner/.git/config --unset core.fsmonitor; " +
      "git config --file inner/.git/config include.path ../more; " +
      'git config --file inner/more core.fsmonitor "touch $OUT/obeyed;false"; link inner',
  },
  "hooks where there were none": {
    before: "rm -r .git/hooks",
    script: 'mkdir .git/hooks; printf "#!/bin/sh\\ntouch $OUT/obeyed\\n" > .git/hooks/pre-commit; ' +
      "chmod +x .git/hooks/pre-commit",
    then: "git commit --allow-empty -m x",
  },
  "hooks that a link leads to": {
    before: "rm -r .git/hooks",
    script: 'mkdir made; printf "#!/bin/sh\\ntouch $OUT/obeyed\\n" > made/pre-commit; chmod +x made/pre-commit; ' +
      "ln -s ../made .git/hooks",
    then: "git commit --allow-empty -m x",
  },
  "a rebase that is left unfinished": {
    script:
      "step='break\\nexec touch $OUT/obeyed\\n'; GIT_SEQUENCE_EDITOR=\"printf '$step$step' >\" git rebase -qi HEAD~1",
    then: "git rebase --continue",
  },
  "the strategy of a rebase that is left unfinished": {
    script: "strategy; git rebase -qf -s x/evil HEAD~3; rm $OUT/obeyed",
    then: "git rebase --skip",
  },
  "the strategy of a cherry-pick that is left unfinished": {
    script: "strategy; git reset -q --hard HEAD~3; git cherry-pick --strategy=x/evil HEAD..ORIG_HEAD; rm $OUT/obeyed",
    then: "git cherry-pick --skip",
  },
  "a repository where there was none": {
    before: "rm -rf .git lib",
    script: 'git init -q .; git config core.fsmonitor "touch $OUT/obeyed;false"',
  },
};

async function stage(before = "true") {
  await using stack = new AsyncDisposableStack();
  const { path: root } = stack.use(await tempDir());
  const identity = ["AUTHOR", "COMMITTER"].flatMap((
    who,
  ) => [[`GIT_${who}_NAME`, "Me"], [`GIT_${who}_EMAIL`, "me@x.example"]]);
  const env = {
    ...Object.fromEntries(identity) as Record<string, string>,
    ...{ PATH: Deno.env.get("PATH") ?? "", HOME: root, OUT: root, GIT_CONFIG_NOSYSTEM: "1" },
  };
  const shell = async (script: string, cwd = `${root}/project`) => {
    const { code, stdout, stderr } = await systemProcessRunner.run({
      ...{ argv: ["sh", "-c", `${ARMED}${script}`], cwd, env, clearEnv: true },
    });
    return { code, said: stdout + stderr };
  };
  const made = await shell(BEFORE, root);
  assertEquals(made.code, 0, made.said);
  await shell(before);
  const refused: string[] = [];
  const open = async () => {
    const guard = await openGitGuard([`${root}/project`], { place: root, onRefusal: ({ what }) => refused.push(what) });
    const disarmed = async () => {
      await guard.disarm("turn 1");
      return refused.splice(0);
    };
    return { ...guard, disarmed };
  };
  const resources = stack.move();
  return { root, shell, open, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

for (const [name, { before, script, then = "git status" }] of Object.entries(WAYS)) {
  Deno.test(`what a program inside has made is not obeyed by git outside any more: ${name}`, async () => {
    await using it = await stage(before);
    const obeyed = `${it.root}/obeyed`;
    const guard = await it.open();
    assertEquals(await guard.disarmed(), []);
    await it.shell(script);
    await it.shell(then);
    assertEquals(await exists(obeyed), true);
    const refused = await guard.disarmed();
    assertMatch(refused.join("\n"), /^have git obey \/\S.*, now \S.*\.refused$/m);
    await Deno.remove(obeyed);
    await it.shell(then);
    assertEquals(await exists(obeyed), false, refused.join("\n"));
    assertEquals(await guard.disarmed(), []);
  });
}

Deno.test("a rebase that a person has begun can be finished inside; what is left of it keeps its steps, but for commands", async () => {
  const todo = (steps: string) => `GIT_SEQUENCE_EDITOR="printf '${steps}' >" git rebase -qi HEAD~1`;
  const commit = "echo b > a.txt && git commit -qam b && git rev-parse HEAD > ../head && ";
  await using it = await stage(commit + todo("break\\nexec true\\nbreak\\nexec touch x\\npick $(cat ../head)\\n"));
  const path = `${it.root}/project/.git/rebase-merge/git-rebase-todo`;
  const guard = await it.open();
  assertEquals(await guard.disarmed(), []);
  assertEquals((await it.shell("git rebase --continue")).code, 0);
  assertEquals(await guard.disarmed(), [`have git obey ${path}, now git-rebase-todo.refused`]);
  assertEquals((await it.shell("git rebase --continue && git log --format=%s")).said.includes("b\nlib\nfirst"), true);
  assertEquals(await exists(`${it.root}/project/x`), false);
});

Deno.test("what git is used for inside stays: clones, branches, working trees, stashes, names and remotes", async () => {
  await using it = await stage();
  const guard = await it.open();
  const made = await it.shell(
    "git clone -q ../lib vendor && git -C vendor remote add other https://example.org/lib.git && " +
      "git -C vendor switch -qc mine && git -C vendor config user.name Me && git worktree add -q trees/one && " +
      "git -c protocol.file.allow=always clone -q --recurse-submodules . inner-clone && " +
      "git init -q fresh && git switch -qc work && echo b > a.txt && git stash -q && git stash pop -q && " +
      "git commit -qam second && echo HEAD > src-HEAD && mkdir src && touch src/HEAD src/config",
  );
  assertEquals(made.code, 0, made.said);
  assertEquals(await guard.disarmed(), []);
});

Deno.test("settings that a program inside has added to others go, and the others stay; what went is kept beside them", async () => {
  await using it = await stage();
  const guard = await it.open();
  await it.shell(
    "git clone -q ../lib vendor && git -C vendor config core.pager ./x && git -C vendor config user.name Me",
  );
  const config = `${it.root}/project/vendor/.git/config`;
  const text = await Deno.readTextFile(config);
  assertEquals(await guard.disarmed(), [`have git obey ${config}, now config.refused`]);
  assertEquals(await Deno.readTextFile(config), text.replace("\tpager = ./x\n", ""));
  assertEquals(await Deno.readTextFile(`${config}.refused`), text);
  await it.shell("git -C vendor config core.pager ./y");
  assertEquals(await guard.disarmed(), [`have git obey ${config}, now config.refused2`]);
});

Deno.test("what git obeyed before can only be read inside, and is nobody's but the person's while a sandbox is open", async () => {
  await using it = await stage("mkdir -p .git/hooks; echo true > .git/hooks/pre-push; git config core.pager less");
  const guard = await it.open();
  const git = `${it.root}/project/.git`;
  const names = ["config", "hooks", "modules/lib/config", "modules/lib/hooks", "worktrees/beside/commondir"];
  for (const name of names) assertEquals(guard.readOnly.includes(`${git}/${name}`), true, name);
  await it.shell("git config core.editor vim; echo true > .git/hooks/pre-commit");
  assertEquals(await guard.disarmed(), []);
});

Deno.test("a sandbox that is opened after the process was killed knows what was there before, until it is closed", async () => {
  await using it = await stage();
  await it.open();
  await it.shell("arm inner/.git");
  const again = await it.open();
  assertEquals(await exists(`${it.root}/project/inner/.git/config.refused`), true);
  assertEquals((await again.disarmed()).length, 1);
  again.forget();
  await it.shell("arm other/.git");
  assertEquals(await (await it.open()).disarmed(), []);
});

Deno.test("what cannot be taken away from git ends the run, with what it is", async () => {
  await using it = await stage();
  const path = `${it.root}/project/gone/.git/config`;
  const options = { folders: [`${it.root}/project`], readOnly: [], onRefusal: () => {} };
  const error = await assertRejects(() => setAside(() => Promise.resolve([{ path, kept: "" }]), options), RuntimeError);
  assertEquals(error.message, `Cannot keep git from obeying ${path}: it comes again, or cannot be moved`);
});

Deno.test("a repository whose name cannot be told ends the run, unless it was there before", async () => {
  await using it = await stage("arm \"$(printf 'a\\377')/.git\"");
  const guard = await it.open();
  assertEquals(await guard.disarmed(), []);
  await it.shell("arm \"$(printf 'b\\377')/.git\"");
  const error = await assertRejects(() => guard.disarm("turn 1"), RuntimeError);
  assertMatch(error.message, /^Cannot keep git from obeying \/\S+\/b\ufffd\/\.git/);
});

Deno.test("what is set aside lies where programs inside can write: a folder that has become a link leads to nothing else", async () => {
  await using it = await stage();
  const path = `${it.root}/project/inner/.git/config`;
  const others = `${it.root}/lib/.git/config`;
  const text = await Deno.readTextFile(others);
  const options = { folders: [`${it.root}/project`], readOnly: [], onRefusal: () => {} };
  await it.shell("ln -s ../lib inner");
  await assertRejects(() => setAside(() => Promise.resolve([{ path, kept: "" }]), options), RuntimeError);
  assertEquals(await Deno.readTextFile(others), text);
});

const SETTINGS: Readonly<Record<string, readonly [text: string, kept: string]>> = {
  "a section and its setting in one line": ["[core] fsmonitor = ./x\n\tbare = false\n", ""],
  "a line that goes on": ["[core]\n\tpager = a \\\nfsmonitor = b\n", "[core]\n"],
  "quotes": ['[core]\n\tbare = "false"\n', "[core]\n"],
  "a section of another form": ["[core.x]\nbare = true\n[remote]\nurl = x\n", "[remote]\nurl = x\n"],
  "a key of a section that is not known": ["[alias]\n\tbare = !x\n[user]\n\tname = Me\n", "[user]\n\tname = Me\n"],
  "capitals": ["[CORE]\n\tFsMonitor = x\n\tBARE = true\n", "[CORE]\n\tBARE = true\n"],
  "comments": ["# bare\n; x\n[core]\n\tbare = true # \\\n", "# bare\n; x\n[core]\n"],
  "an update of a submodule": [
    '[submodule "x"]\n\turl = ../x\n\tupdate = !touch x\n',
    '[submodule "x"]\n\turl = ../x\n',
  ],
};

for (const [name, [text, kept]] of Object.entries(SETTINGS)) {
  Deno.test(`settings by which git runs nothing: ${name}`, () => {
    assertEquals(harmlessSettings(text), kept);
  });
}
