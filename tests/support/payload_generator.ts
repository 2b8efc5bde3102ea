import { shellQuote } from "../../lib/shell/mod.ts";
import type { Random } from "./random.ts";

/** A text that, in one shell or another, may make a file. */
export interface GeneratedPayload {
  readonly text: string;
  /** The file; what `./evil` holds makes the one that `$MARK` names. */
  readonly mark: string;
}

type Form = (text: string) => string;

/** Ways to have a command run. Each has a defect of some policy behind it, or a shell that reads it in its own way. */
const CARRIERS: readonly Form[] = [
  (p) => p,
  (p) => `$(${p})`,
  (p) => `echo $(${p})`,
  (p) => `echo "$(${p})"`,
  (p) => `echo \`${p}\``,
  (p) => `echo \${x:-$(${p})}`,
  (p) => `echo "\${x:=\`${p}\`}"`,
  (p) => `cat <(${p})`,
  (p) => `echo x > >(${p})`,
  (p) => `x=$(${p})`,
  (p) => `x[$(${p})]=1`,
  (p) => `x=([$(${p})]=1)`,
  (p) => `echo $(( $(${p}) + 1 ))`,
  (p) => `echo $((a[$(${p})]))`,
  (p) => `((a[$(${p})]))`,
  (p) => `[[ 'a[$(${p})]' -eq 0 ]]`,
  (p) => `test -v 'a[$(${p})]'`,
  (p) => `[ -v 'a[$(${p})]' ]`,
  (p) => `printf -v 'a[$(${p})]' x`,
  (p) => `printf %d 'a[$(${p})]'`,
  (p) => `read 'a[$(${p})]' < words`,
  (p) => `let 'a[$(${p})]=1'`,
  (p) => `declare 'a[$(${p})]=1'`,
  (p) => `declare -a 'a=($(${p}))'`,
  (p) => `declare -i 'x=a[$(${p})]'`,
  (p) => `unset 'a[$(${p})]'`,
  (p) => `getopts x 'a[$(${p})]' -x`,
  (p) => `x='a[$(${p})]'; echo $((x))`,
  (p) => `x='a[$(${p})]'; echo \${y:x}`,
  (p) => `x='a[$(${p})]'; read -t x y < words`,
  (p) => `x='a[$(${p})]'; exit x`,
  (p) => `for x in 'a[$(${p})]'; do ((x)); done`,
  (p) => `SECONDS='a[$(${p})]'`,
  (p) => `x='$(${p})'; echo "\${x@P}"`,
  (p) => `x='$(${p})'; echo \${(e)x}`,
  (p) => `x='*(e:"${p}":)'; echo $~x`,
  (p) => `echo *(e:'${p}':)`,
  (p) => `mapfile -C '${p} #' -c 1 a < words`,
  (p) => `eval '${p}'`,
  (p) => `sh -c '${p}'`,
  (p) => `bash -ec '${p}'`,
  (p) => `sh -s <<< '${p}'`,
  (p) => `echo '${p}' | sh`,
  (p) => `sh <<'S'\n${p}\nS`,
  (p) => `cat <<C\n$(${p})\nC`,
  (p) => `cat <<C\n\${x:-\`${p}\`}\nC`,
  (p) => `cat <<'C'\nx\nC \ncat <<'D'\nC\n${p}\nD\n${p}`,
  (p) => `trap '${p}' EXIT`,
  (p) => `trap '${p}' DEBUG; echo`,
  (p) => `alias zz='${p}'\nzz`,
  (p) => `ls() { ${p}; }; ls`,
  (p) => `function ls { ${p}; }; ls`,
  (p) => `functions[ls]='${p}'; ls`,
  (p) => `env 'BASH_FUNC_ls%%=() { ${p}; }' bash -c ls`,
  (p) => `echo words | xargs ${p}`,
  (p) => `find . -maxdepth 0 -exec ${p} \\;`,
  (p) => `find . -maxdepth 0 -exec sh -c '${p}' \\;`,
  (p) => `awk 'BEGIN{system("${p}")}'`,
  (p) => `sed -n '1e ${p}' words`,
  (p) => `env ${p}`,
  (p) => `env -S '${p}'`,
  (p) => `command ${p}`,
  (p) => `builtin command ${p}`,
  (p) => `exec ${p}`,
  (p) => `time ${p}`,
  (p) => `timeout 5 ${p}`,
  (p) => `noglob ${p}`,
  (p) => `repeat 1 ${p}`,
  (p) => `coproc ${p}; wait`,
  (p) => `() { ${p} }`,
  (p) => `{ echo } always { ${p} }`,
  (p) => `for i (1) ${p}`,
  (p) => `case x { (*) ${p} ;; }`,
  (p) => `set -- ${p}; "$@"`,
  (p) => `x="${p}"; $x`,
  (p) => `{${p.replaceAll(" ", ",")}}`,
  (p) => `PS4='$(${p})'; set -x; echo`,
  (p) => `echo \\\u200b''; echo '${p}' | sh #'`,
  (p) => `echo ok\r; ${p}`,
  () => "PATH=./evil ls",
  () => "PATH=./evil; ls",
  () => "PATH+=:./evil; only-in-evil",
  () => "export PATH=./evil; ls",
  () => "env 'PATH=./evil' ls",
  () => "env P''ATH=./evil ls",
  () => "for PATH in ./evil; do ls; done",
  () => "read PATH < evil-path; ls",
  () => "printf -v PATH ./evil; ls",
  () => "echo ${path::=./evil}; ls",
  () => ": ${NEW_PATH:=./evil}; PATH=$NEW_PATH; ls",
  () => "unset PATH; cd evil; ls",
  () => "hash -p ./evil/ls ls; ls",
  () => "BASH_ENV=./evil/ls bash ./harmless.sh",
  () => ". ./evil/ls",
  () => "cat evil/ls | sh",
  () => "sh < evil/ls",
];

/** Ways to quote a text so that it does not run, and such that look like them. */
const QUOTINGS: readonly Form[] = [
  (text) => `echo ${shellQuote(text)}`,
  (text) => `echo "${text.replace(/["\\$`]/g, "\\$&")}"`,
  (text) => `echo "${text}"`,
  (text) => `echo '${text}'`,
  (text) => `echo $'${text.replace(/['\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`,
  (text) => `echo $'${text}'`,
  (text) => `echo "\${x:-${text}}"`,
  (text) => `echo \${x:-${text}}`,
  (text) => `echo ok # ${text}`,
  (text) => `: ${text.replace(/[^\n]/gu, "\\$&")}`,
  (text) => `cat <<'Q'\n${text}\nQ`,
  (text) => `cat <<Q\n${text}\nQ`,
  (text) => `cat <<\\Q > out\n${text}\nQ`,
  (text) => `x=${shellQuote(text)}; echo "$x"`,
  (text) => `printf '%s\\n' ${shellQuote(text)}`,
  (text) => `[[ ${shellQuote(text)} == x ]]`,
];

/** What may be around a text that runs. */
const WRAPPERS: readonly Form[] = [
  (text) => text,
  (text) => `echo a; ${text}`,
  (text) => `true && ${text}`,
  (text) => `false || ${text}`,
  (text) => `echo 'it is "quoted' # it's\n${text}`,
  (text) => `{ ${text}\n}`,
  (text) => `( ${text}\n)`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `for i in 1; do ${text}\ndone`,
  (text) => `while true; do ${text}\nbreak; done`,
  (text) => `case a in a) ${text}\n;; esac`,
  (text) => `echo "$(${text}\n)"`,
  (text) => `x=$(${text}\n)`,
  (text) => `cat <<W\n$(${text}\n)\nW`,
  (text) => `diff <(${text}\n) words`,
  (text) => `bash -c ${shellQuote(text)}`,
  (text) => `sh -c ${shellQuote(text)}`,
  (text) => `env A=1 bash -c ${shellQuote(text)}`,
  (text) => `eval ${shellQuote(text)}`,
  (text) => `bash <<'W'\n${text}\nW`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `${text} | cat`,
  (text) => `${text} &\nwait`,
  (text) => `! ${text}`,
  (text) => `echo \${x:+a}; ${text}`,
];

/** Texts of a carrier, quoted or not, with up to two things around it; no two are the same. */
export function generatedPayloads(count: number, random: Random): readonly GeneratedPayload[] {
  const texts = new Map<string, string>();
  for (let made = 0; texts.size < count; made++) {
    const mark = `pwned-${made}`;
    let text = random.pick(CARRIERS)(`touch ${mark}`);
    if (random.int(2) === 0) text = random.pick(QUOTINGS)(text);
    for (let around = random.int(3); around > 0; around--) text = random.pick(WRAPPERS)(text);
    texts.set(text, mark);
  }
  return [...texts].map(([text, mark]) => ({ text, mark }));
}
