import { basename } from "@std/path/posix";

/** A way out of the sandbox, as a program inside tries it. */
export interface Escape {
  /** What it would do, as words that follow "can". */
  readonly name: string;
  /**
   * The text of a shell script. It is told of the stage by variables, says `escaped WHY` where only a program inside can
   * see that it is out, and `untried WHY` where it cannot be tried here.
   */
  readonly script: string;
  /** Programs without which it cannot be tried. */
  readonly needs?: readonly string[];
  /** The program that would do it later, outside: it is asked about the working directory. */
  readonly obeyedBy?: "git";
  /** Why it is known not to be held. */
  readonly limit?: string;
}

const writes = (name: string, script: string, needs?: readonly string[]): Escape => (
  needs === undefined ? { name, script } : { name, script, needs }
);

/** Makes a folder of git's with settings by which git runs something. */
const ARMED = (folder: string) =>
  `mkdir -p ${folder}/objects ${folder}/refs; ` +
  `printf '[core]\n\tfsmonitor = "touch %s/${basename(folder)};false"\n' "$OUT" > ${folder}/config`;

/** A request to the stage's listener, by curl: past the proxy that the environment names, or by it. */
const reaches = (name: string, ...words: readonly string[]): Escape => (
  { name: `reach ${name}`, script: `curl -s -m 3 ${words.join(" ")}`, needs: ["curl"] }
);

const PAST = `--noproxy '*'`;

/** Also for this machine, which the environment excepts. */
const BY = `--noproxy ''`;

/**
 * Every way that is tried. The stage has a folder outside (`$OUT`) with files, a pipe and a socket; the home's and
 * /etc's file that must not come to be (`$HOMEFILE`, `$ETC`); a folder of panewright's state (`$STATE`); a process of
 * the same user (`$PID`), and listeners (`$PORT`, `$PORT6`, `$ABSTRACT`).
 */
export const ESCAPES: readonly Escape[] = [
  writes("write to the home", 'echo x > "$HOMEFILE"'),
  writes("write to a folder of others in the folder for temporary files", 'echo x > "$OUT/written"'),
  writes("change a file outside", 'echo x >> "$OUT/file"'),
  writes("remove a file outside", 'rm -f "$OUT/file"'),
  writes("move a file out", 'echo x > moved; mv moved "$OUT/moved"'),
  writes("change what a file outside may be used for", 'chmod 777 "$OUT/file" && [ -w "$OUT" ] && touch "$OUT/mode"'),
  writes("write to /etc", '[ "$(id -u)" = 0 ] || untried "only root may write there"; echo x > "$ETC"'),
  writes("write outside through a symbolic link", 'ln -s "$OUT" link; echo x > link/linked; rm -f link'),
  writes("write outside through a hard link", 'ln "$OUT/file" hard && echo x >> hard'),
  writes("write outside through /proc/self/root", 'echo x > "/proc/self/root$OUT/self"'),
  writes("write outside through the first process's root", 'echo x > "/proc/1/root$OUT/first"'),
  writes("write outside through another process's root", 'echo x > "/proc/$PID/root$OUT/root"'),
  writes("write outside through another process's working directory", 'echo x > "/proc/$PID/cwd/cwd"'),
  writes("write to a file that another process holds open", 'echo x > "/proc/$PID/fd/9"'),
  {
    name: "write into a named pipe outside",
    // Who reads it may come to that later than we look.
    script: `[ -p "$OUT/pipe" ] && timeout 5 sh -c 'echo x > "$1"' sh "$OUT/pipe" && escaped "it was written into"`,
    needs: ["timeout"],
    limit:
      "the kernel lets a pipe be written where a folder can only be read: keep pipes that a program of yours obeys " +
      "in a folder that the sandbox does not see",
  },
  writes(
    "mount a folder from outside",
    `mkdir -p at; unshare -Urm sh -c 'mount --bind "$1" at && echo x > at/mounted' sh "$OUT"`,
    ["unshare", "mount"],
  ),
  writes(
    "mount as it is",
    'mkdir -p at; mount --bind "$OUT" at && echo x > at/bound; umount at',
    ["mount"],
  ),
  writes(
    "make what it only reads writable again",
    `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x > "$1/again"' sh "$OUT"`,
    ["unshare", "mount"],
  ),
  writes("change its root", `unshare -Ur chroot / sh -c 'echo x > "$1/rooted"' sh "$OUT"`, ["unshare", "chroot"]),
  writes("open a sandbox of its own", `bwrap --dev-bind / / sh -c 'echo x > "$1/wrapped"' sh "$OUT"`, ["bwrap"]),
  writes("become another user", `sudo -n sh -c 'echo x > "$1/sudo"' sh "$OUT"`, ["sudo"]),
  {
    name: "get the rights of setuid programs",
    script: 'grep -q "^NoNewPrivs:.*1" /proc/self/status || escaped "programs keep their owner\'s rights"',
  },
  {
    name: "make a device",
    script: '[ "$(id -u)" = 0 ] || untried "only root may make one"; ' +
      "mknod device c 1 7 && echo x 2>/dev/null > device; [ -c device ] && rm -f device && escaped 'it made one'",
    needs: ["mknod"],
  },
  { name: "read what panewright keeps", script: 'cat "$STATE/secret"' },
  { name: "write to what panewright keeps", script: 'echo x > "$STATE/written"' },
  {
    name: "read the person's SSH keys",
    script:
      '[ -n "$HAS_SSH" ] || untried "there is no ~/.ssh"; ls -A "$HOME/.ssh" | grep -q . && escaped "it lists them"',
  },
  { name: "read the environment of what started it", script: "env" },
  { name: "read the environment of another process", script: 'cat "/proc/$PID/environ"' },
  { name: "read any process's environment", script: "cat /proc/[0-9]*/environ" },
  { name: "read another process's memory", script: 'grep -q . "/proc/$PID/maps" && escaped "it sees where that is"' },
  // On a busy machine it is there for a moment longer.
  { name: "end another process", script: 'kill -9 "$PID" && while kill -0 "$PID"; do sleep 0.05; done' },
  {
    name: "trace another process",
    script: 'timeout 2 strace -o /dev/null -p "$PID" 2>&1 | grep -q attached && escaped "it is attached"',
    needs: ["strace", "timeout"],
  },
  {
    name: "type into the terminal that it was started in",
    script: '[ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null)" = 0 ] || ' +
      'untried "this kernel lets any program do it in its terminal: Linux before 6.2, or dev.tty.legacy_tiocsti=1"',
  },
  { name: "leave a process running", script: 'LEFT_BEHIND="$ID" setsid sleep 600 >/dev/null 2>&1 </dev/null &' },
  reaches("a Unix socket outside", `--unix-socket "$OUT/socket" http://x/`),
  {
    name: "reach an abstract Unix socket",
    script: '[ -n "$ABSTRACT" ] || untried "none can be opened"; ' +
      'curl -s -m 3 --abstract-unix-socket "$ABSTRACT" http://x/',
    needs: ["curl"],
  },
  reaches("this machine past the proxy", PAST, "http://127.0.0.1:$PORT/"),
  reaches("this machine past the proxy, by IPv6", PAST, '"http://[::1]:$PORT6/"'),
  {
    name: "reach this machine without a program for it",
    script: `timeout 3 bash -c 'echo x > /dev/tcp/127.0.0.1/'"$PORT"`,
    needs: ["bash", "timeout"],
  },
  reaches("this machine by the proxy", BY, "http://127.0.0.1:$PORT/"),
  reaches("this machine by the proxy, by its name", BY, "http://localhost:$PORT/"),
  reaches("this machine by the proxy, as a number", BY, "http://2130706433:$PORT/"),
  reaches("this machine by the proxy, as any address", BY, "http://0.0.0.0:$PORT/"),
  reaches("this machine by the proxy, by IPv6", BY, '"http://[::1]:$PORT6/"'),
  reaches("this machine by the proxy, by IPv4 in IPv6", BY, '"http://[::ffff:127.0.0.1]:$PORT/"'),
  reaches(
    "this machine by the proxy, with the name of another host",
    BY,
    "-H 'Host: example.com'",
    "http://127.0.0.1:$PORT/",
  ),
  reaches("this machine through a tunnel of the proxy", BY, "-p", "http://127.0.0.1:$PORT/"),
  {
    name: "reach this machine by the other proxy",
    script:
      '[ -n "$ALL_PROXY" ] || untried "there is none"; curl -s -m 3 --noproxy "" -x "$ALL_PROXY" "http://127.0.0.1:$PORT/"',
    needs: ["curl"],
  },
  {
    name: "reach the address of a cloud's metadata",
    script: `curl -s -f -m 3 ${BY} http://169.254.169.254/ && escaped 'it answers'; ` +
      `curl -s -f -m 3 ${PAST} http://169.254.169.254/ && escaped 'it answers'`,
    needs: ["curl"],
  },
  {
    name: "see another network",
    script: "tail -n +3 /proc/net/dev | grep -v '^ *lo:' | grep -q . && escaped 'it has more than its own loopback'",
  },
  { name: "have git run something later", script: "mkdir -p .git/hooks; echo 'touch x' > .git/hooks/post-checkout" },
  { name: "change the settings of git", script: "echo '[core] hooksPath = x' >> .git/config" },
  {
    name: "lead git to other settings",
    script: `${ARMED("evil")}; echo ../evil > .git/commondir`,
    needs: ["git"],
    obeyedBy: "git",
  },
  {
    name: "have git look into a repository of its own, with settings of its own",
    script: `${ARMED("inner/.git")}; echo ref: refs/heads/main > inner/.git/HEAD; ` +
      `git update-index --add --cacheinfo "160000,$(printf %040d 1),inner"`,
    needs: ["git"],
    obeyedBy: "git",
  },
  { name: "change panewright's configuration", script: "echo '{}' > panewright.jsonc" },
  {
    name: "make settings that agents obey",
    script:
      "mkdir -p .claude .codex; echo '{}' > .claude/settings.json; echo > .codex/config.toml; echo '{}' > .mcp.json",
  },
  {
    name: "make what a shell or an editor obeys",
    script: "echo x > .envrc; mkdir -p .vscode; echo '{}' > .vscode/tasks.json",
  },
  {
    name: "fill the disk with one file",
    script: "truncate -s 8T huge 2>/dev/null && escaped 'a file may have any size'; rm -f huge",
    needs: ["truncate"],
  },
  {
    name: "start as many processes as it likes",
    script: '[ "$(id -u)" = 0 ] && untried "the kernel does not limit that for root: a cgroup does"; ' +
      "most=$(awk '/^Max processes/ { print $4 }' /proc/self/limits); " +
      '[ "$most" -le 8192 ] 2>/dev/null || escaped "there may be $most"; ' +
      "sh -c '{ ulimit -p 40 || ulimit -u 40; } 2>/dev/null; i=0; " +
      "while [ $i -lt 80 ]; do sleep 1 & i=$((i + 1)); done' 2>/dev/null && escaped 'such a limit does not hold'",
    needs: ["awk"],
  },
];
