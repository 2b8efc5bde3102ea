import { shellJoin } from "../shell/quote.ts";

/** How large a file may get, in blocks of 512 bytes: a tebibyte. */
const MOST_BLOCKS = 2 ** 31;

/** How many processes and threads may be inside at a time. The kernel does not hold root to it. */
const MOST_PROCESSES = 8192;

/**
 * Programs that end where they cannot write to their cache, by its place below the home: there it can be read at most, and
 * what agents write must not be what others rely on.
 */
const CACHES: Readonly<Record<string, string>> = {
  GOCACHE: ".cache/go-build",
  npm_config_cache: ".npm",
  UV_CACHE_DIR: ".cache/uv",
  CCACHE_DIR: ".cache/ccache",
};

const OWN_CACHES = Object.entries(CACHES).map(([name, place]) =>
  `[ -n "\${${name}-}" ] || [ -w "$HOME/${place}" ] || export ${name}="$TMPDIR/caches/${name}"; `
).join("");

/**
 * What is run inside before the program: it gets its own folder for temporary files and caches, and reaches the ports of this
 * machine that are let through at their own address, as outside. The library's proxy has its name and password in
 * HTTP_PROXY.
 *
 * A program that begins at once finds each port: the kernel's list has it by then (state 0A: it listens).
 */
const PRELUDE = `ulimit -f ${MOST_BLOCKS} 2>/dev/null; ` +
  // bash and zsh call it -u, dash and busybox -p.
  `ulimit -p ${MOST_PROCESSES} 2>/dev/null || ulimit -u ${MOST_PROCESSES} 2>/dev/null; ` +
  // zsh has its here-documents there, wherever TMPDIR is.
  "TMPDIR=$1; TMPPREFIX=$1/zsh; export TMPDIR TMPPREFIX; ports=$2; shift 2; " +
  OWN_CACHES +
  'a=${HTTP_PROXY#http://}; a=$(printf %s "${a%@*}" | sed "s/%3D/=/g"); ' +
  "for p in $ports; do " +
  "socat TCP4-LISTEN:$p,bind=127.0.0.1,fork,reuseaddr PROXY:localhost:127.0.0.1:$p,proxyport=3128,proxyauth=$a " +
  ">/dev/null 2>&1 & " +
  'x=$(printf %04X "$p"); n=0; ' +
  'until grep -q ":$x 00000000:0000 0A" /proc/net/tcp || [ $n -ge 100 ]; do sleep 0.02; n=$((n+1)); done; ' +
  'done; unset a n p x ports; exec "$@"';

/** The shell text that runs a program inside. */
export function insideScript(
  argv: readonly string[],
  { temporary, ports }: { readonly temporary: string; readonly ports: readonly number[] },
): string {
  return shellJoin(["/bin/sh", "-c", PRELUDE, "sh", temporary, ports.join(" "), ...argv]);
}
