import type { PermissionRule } from "../policy/rules.ts";

export interface EverydayRules {
  readonly about: string;
  readonly rules: readonly (string | PermissionRule)[];
}

function commands(text: string): readonly string[] {
  return text.split(", ");
}

/**
 * What `permissions.allow_everyday` accepts, and what `init --full` writes out as an allow list. An entry for a
 * program means its harmless uses: options that run programs or write elsewhere need an entry of their own that names
 * them.
 */
export const EVERYDAY_LIST: readonly EverydayRules[] = [
  {
    about: "Files that agents write and edit in the working directory.",
    rules: [{ path: "**", kinds: ["file_write", "file_edit", "patch"] }],
  },
  {
    about: "Looking at files and text.",
    rules: commands(
      "ls **, cat **, head **, tail **, wc **, nl **, file **, stat **, du **, df **, tree **, grep **, " +
        "egrep **, fgrep **, rg **, find **, fd **, sed **, awk **, sort **, uniq **, cut **, tr **, paste **, " +
        "column **, comm **, join **, fold **, rev **, tac **, jq **, diff **, cmp **, md5sum **, sha1sum **, " +
        "sha256sum **, base64 **, xxd **, od **, strings **, tee **, xargs **",
    ),
  },
  {
    about: "The shell's own words.",
    rules: commands(
      "cd **, pwd **, echo **, printf **, test **, [ **, true, false, :, set -e, set -x, set -eu, " +
        "set -o pipefail, set -euo pipefail, set -ex, exit, exit 0, exit 1, return, return 0, return 1, break, " +
        "continue, wait, sleep *, read **, export *=**, unset **, type **, command -v **, which **, date, " +
        "date +**, date -u **, uname **, whoami, id, hostname, nproc, basename **, dirname **, realpath **, " +
        "readlink **, seq **, expr **, ps aux, ps -ef, pgrep **",
    ),
  },
  {
    about: "Changing files in the working directory.",
    rules: commands(
      "mkdir **, touch **, cp **, mv **, rm **, rmdir **, ln **, chmod **, truncate **, mktemp, mktemp -d",
    ),
  },
  {
    about: "Version control, without what leaves the machine.",
    rules: commands(
      "git status **, git diff **, git log **, git show **, git blame **, git grep **, git ls-files **, " +
        "git ls-tree **, git cat-file **, git rev-parse **, git rev-list **, git describe **, git shortlog **, " +
        "git merge-base **, git branch, git branch -a, git branch -v, git branch -r, git branch --show-current, " +
        "git tag **, git add **, git rm --cached *, git mv **, git commit **, git restore **, git checkout **, " +
        "git switch **, git stash, git stash push **, git stash pop, git stash list, git stash show **, " +
        "git stash apply, git reset **, git merge **, git rebase **, git cherry-pick **, git revert **, " +
        "git apply --check *, git remote -v, git reflog, git check-ignore **, git config --get user.email, " +
        "git config --get user.name, git worktree list **",
    ),
  },
  {
    about: "Questions to the person, from within a step.",
    rules: commands("panewright ask **"),
  },
  {
    about: "What servers of this machine answer. curl to other hosts, or to send something, needs an entry of its own.",
    rules: commands("curl **"),
  },
  {
    about: "Tests, builds and linters of the project. What they run is the project's.",
    rules: commands(
      "npm test **, npm t **, npm run **, npm ci, npm install, npm i, npm ls **, npm --version, npx tsc **, " +
        "npx eslint **, npx prettier **, npx vitest **, npx jest **, npx biome **, npx mocha **, " +
        "npx playwright test **, npx tsx scripts/** **, npx --no-install tsc **, yarn, yarn test **, yarn build **, " +
        "yarn lint **, yarn install, yarn run *, pnpm test **, pnpm run **, pnpm build **, pnpm lint **, " +
        "pnpm install, pnpm exec tsc **, pnpm exec vitest **, pnpm -r test **, pnpm -r build **, bun test **, " +
        "bun run build, bun run test, bun run lint, bun install, deno test, deno test tests/**, " +
        "deno test --allow-read tests/**, deno check *, deno lint, deno fmt, deno fmt --check, deno task **, " +
        "node --version, node --check *, node --test **, node scripts/** **, node dist/** **, node src/** **, " +
        "python3 --version, python --version, python3 -m pytest **, python -m pytest **, python3 -m unittest **, " +
        "python3 -m mypy **, python3 -m compileall -q src, python3 -m json.tool, " +
        "python3 -m json.tool package.json, python3 scripts/** **, python scripts/** **, python3 manage.py test **, " +
        "python manage.py test **, python3 manage.py makemigrations **, python3 manage.py migrate **, pytest **, mypy **, ruff **, black **, flake8 **, isort **, pylint **, tox, " +
        "tox -e *, uv run pytest **, uv sync, poetry run pytest **, poetry install, pip list, " +
        "pip install -r requirements.txt, tsc **, eslint **, prettier **, vitest **, jest **, cargo build **, " +
        "cargo test **, cargo check **, cargo clippy **, cargo fmt **, cargo doc, cargo doc --no-deps, " +
        "cargo tree **, cargo nextest run **, cargo metadata **, cargo --version, rustc --version, go build **, " +
        "go test **, go vet **, go fmt **, go mod tidy **, go list ./..., go doc **, go version, gofmt **, " +
        "make **, cmake --build build, cmake --build build -j *, ctest, " +
        "ctest --test-dir build --output-on-failure, ninja **, mvn test, mvn compile, mvn package, " +
        "mvn package -DskipTests, mvn -q test, mvn -q test -Dtest=*, ./mvnw test, gradle test, ./gradlew test, " +
        "./gradlew test --tests *, ./gradlew build, ./gradlew build -x test, ./gradlew check, dotnet build, " +
        "dotnet build -c Release, dotnet test, dotnet test --no-build --logger *, bundle exec rspec **, " +
        "bundle exec rubocop **, bundle install, composer install, vendor/bin/phpunit **, mix test **, " +
        "swift build **, swift test **, shellcheck **, bash -n *, sh -n *, ./scripts/** **, bash scripts/** **, " +
        "sh scripts/** **, unzip -l *, docker ps **, docker compose ps **, docker compose logs **",
    ),
  },
];
