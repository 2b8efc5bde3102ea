// Which variables change what programs run, where they read from, or how the shell reads text. From the manuals of
// bash 5.2, zsh 5.9, ld.so(8), git 2.47 and of each program; the shapes cover what no list can.

const NAMES = new Set(
  ("PATH HOME IFS ENV SHELL SHELLOPTS BASHOPTS CDPATH FPATH ZDOTDIR PS0 PS1 PS2 PS3 PS4 PROMPT RPROMPT RPS1 " +
    "PROMPT_COMMAND PAGER EDITOR VISUAL BROWSER FCEDIT LESSOPEN LESSCLOSE LESSEDIT LESS LESSKEY LESSKEYIN MANPAGER " +
    "NULLCMD READNULLCMD GLOBIGNORE EXECIGNORE FIGNORE INPUTRC POSIXLY_CORRECT MAILCHECK MAILPATH HISTFILE HISTCONTROL " +
    "TMOUT USER LOGNAME PWD OLDPWD TERM TERMCAP TERMINFO TERMINFO_DIRS CC CXX CPP LD AR AS NM CPPFLAGS MAKE MAKEFILES MAKEFLAGS MFLAGS " +
    "GNUMAKEFLAGS RUSTC RUSTDOC CLASSPATH JAVA_HOME ANT_OPTS ANT_ARGS MANPATH NLSPATH LOCPATH TAR_OPTIONS TAPE RSH " +
    "GREP_OPTIONS CURL_HOME WGETRC NETRC ALL_PROXY HTTP_PROXY HTTPS_PROXY FTP_PROXY NO_PROXY all_proxy http_proxy https_proxy " +
    "ftp_proxy no_proxy SSLKEYLOGFILE OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES PHPRC PYTHONPATH TOXENV RSYNC_RSH " +
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE TMPPREFIX TMPDIR TMP TEMP CVS_RSH SVN_SSH SVN_EDITOR HGEDITOR HGRCPATH P4CONFIG EMACSLOADPATH VIMINIT EXINIT NVIM_APPNAME GVIMINIT MYVIMRC " +
    "GIO_EXTRA_MODULES GTK_MODULES GTK_PATH QT_PLUGIN_PATH QML2_IMPORT_PATH GCONV_PATH GETCONF_DIR HOSTALIASES LOCALDOMAIN " +
    "TEXTDOMAIN TEXTDOMAINDIR MALLOC_TRACE NIS_PATH RES_OPTIONS RESOLV_HOST_CONF TZDIR DISPLAY WAYLAND_DISPLAY MAKESHELL CONFIG_SHELL " +
    "AWKPATH AWKLIBPATH SENDMAIL MAILRC PSQLRC PGSERVICEFILE PGPASSFILE MYSQL_HOME SQLITE_HISTORY ELECTRON_RUN_AS_NODE " +
    "COREPACK_HOME VOLTA_HOME NVM_DIR GEM_HOME GEM_PATH BUNDLE_GEMFILE GHCRTS ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS " +
    // zsh ties these to their names in capitals, or calls what they name.
    "path fpath cdpath manpath mailpath module_path psvar prompt aliases galiases saliases dis_aliases dis_galiases " +
    "functions dis_functions commands options builtins dis_builtins nameddirs userdirs parameters modules patchars " +
    "precmd_functions preexec_functions chpwd_functions periodic_functions zshexit_functions zshaddhistory_functions " +
    "historywords zsh_eval_context fignore watch histchars HISTCHARS WORDCHARS STTY ARGV0 argv").split(" "),
);

const FAMILIES =
  /^(?:LD_|DYLD_|GIT_|BASH_|ZSH_|KSH_|PYTHON|PYTEST_|PERL|RUBY|BUNDLE_|NODE_|NPM_|npm_|YARN_|PNPM_|pnpm_|BUN_|DENO_|JAVA_|_JAVA_|JDK_|GRADLE_|MAVEN_|MVN_|SBT_|CARGO_|RUST|GO[A-Z]*$|CGO_|PIP_|PIPX_|UV_|POETRY_|VIRTUAL_ENV|CONDA_|DOTNET_|NUGET_|MSBUILD|COR_|CORECLR_|PHP_|COMPOSER_|LUA_|TCL|R_|RSTUDIO_|JULIA_|GHC|STACK_|CABAL_|DOCKER_|BUILDKIT_|BUILDX_|COMPOSE_|CONTAINER|PODMAN_|KUBE|HELM_|AWS_|AZURE_|GOOGLE_|CLOUDSDK_|GCLOUD_|ANSIBLE_|TF_|TERRAFORM_|VAGRANT_|PKG_CONFIG|CMAKE_|CTEST_|MESON_|CCACHE_|SCCACHE_|DISTCC_|XDG_|SSH_|SUDO_|GPG_|GNUPG|LC_PATH|CLAUDE|CODEX_|ANTHROPIC_|OPENAI_|PANEWRIGHT_|VSCODE_|ELECTRON_|PUPPETEER_EXEC|PLAYWRIGHT_|CHROME_|LLVM_|ASAN_|UBSAN_|TSAN_|LSAN_|MSAN_|GCC_|COMPILER_|GIO_|GTK_|QT_|GST_|FONTCONFIG_|MAGICK_|TOX_|NOX_|PRE_COMMIT_|HUSKY_|LEFTHOOK_|DIRENV_|TMUX|STARSHIP_|FZF_|RIPGREP_|BAT_|DELTA_|VIM|NVIM_|EMACS|OPENSSL_|CURL_|WGET_|PG[A-Z]*$|MYSQL_|DYN_)/;

/** Shapes of names with which programs are told what to run or where to read: only for what programs are handed. */
const SHAPES =
  /(?:^|_)(?:PATH|PAGER|EDITOR|COMMAND|CMD|EXEC|EXECUTABLE|PROGRAM|WRAPPER|LAUNCHER|RUNNER|OPTIONS|OPTS|FLAGS|ARGS|ADDOPTS|CONFIG|CONFIG_FILE|RC|PROXY|SHELL|ASKPASS|PRELOAD|STARTUP|INIT|HOOKS?|PLUGINS?|LOADER|REQUIRE|LINKER|COMPILER|BINARY|BIN|INTERPRETER|LIBRARY|LIBRARIES|MODULES|ENGINE|REGISTRY|INDEX_URL|SCRIPT)$/;

const HARMLESS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:NODE_ENV|RUST_LOG|RUST_BACKTRACE|RUST_TEST_THREADS|RUST_MIN_STACK|DENO_ENV)$/, /^[\w,:=*-]*$/],
  [/^(?:CARGO_TERM_COLOR|CARGO_INCREMENTAL|CARGO_NET_OFFLINE|CARGO_BUILD_JOBS|CARGO_TERM_PROGRESS_WHEN)$/, /^\w*$/],
  [/^(?:GOOS|GOARCH|GOARM|GOMAXPROCS|CGO_ENABLED|GOGC)$/, /^\w*$/],
  [
    /^PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|FAULTHANDLER|OPTIMIZE|DEVMODE|IOENCODING|ASYNCIODEBUG)$/,
    /^[\w-]*$/,
  ],
  [
    /^(?:NODE_NO_WARNINGS|NODE_DISABLE_COLORS|DENO_NO_UPDATE_CHECK|DENO_NO_PROMPT|PIP_NO_INPUT|PIP_DISABLE_PIP_VERSION_CHECK|UV_OFFLINE|DOTNET_NOLOGO|DOTNET_CLI_TELEMETRY_OPTOUT|RUST_LIB_BACKTRACE)$/,
    /^\w*$/,
  ],
  [/^(?:GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_MERGE_AUTOEDIT)$/, /^\w*$/],
  [/^(?:GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/, /^[^]*$/],
  [
    /^(?:(?:GIT_|MAN|GH_|AWS_|BAT_|DELTA_)?PAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|EDITOR|VISUAL|BROWSER)$/,
    /^(?:cat|true|:|)$/,
  ],
  [/^(?:TERM|DISPLAY)$/, /^(?:dumb|xterm|xterm-256color|screen|tmux-256color|linux|:\d+|)$/],
  [/^(?:TMPDIR|TMP|TEMP)$/, /^\/tmp(?:\/[\w-]+)*\/?$/],
  [/^(?:LESS)$/, /^-?[FRXSKQ]*$/],
  [
    /^(?:npm_config_|NPM_CONFIG_)(?:loglevel|progress|fund|audit|yes|color|update_notifier|LOGLEVEL|PROGRESS|FUND|AUDIT|YES|COLOR)$/,
    /^\w*$/,
  ],
];

const INTEGERS = new Set(
  ("RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME LINENO HISTCMD HISTSIZE HISTFILESIZE SAVEHIST BASHPID OPTIND OPTERR COLUMNS LINES " +
    "SHLVL UID EUID GID EGID PPID ERRNO TTYIDLE PERIOD BAUD LOGCHECK DIRSTACKSIZE KEYTIMEOUT LISTMAX FUNCNEST CURSOR " +
    "MARK HISTNO status").split(" "),
);

const CARRIERS =
  /^(?:_|REPLY|reply|OPTARG|MAPFILE|BASH_.*|ZSH_.*|FUNCNAME|DIRSTACK|dirstack|match|MATCH|mbegin|mend|argv|ARGV0|COMP_.*|READLINE_.*|BUFFER|history|historywords|words|funcstack|pipestatus|PIPESTATUS|GROUPS|PWD|OLDPWD)$/;

export function isShellInteger(name: string): boolean {
  return INTEGERS.has(name);
}

/** Whether a variable may hold text that the shell took from a command. */
export function carriesText(name: string): boolean {
  return CARRIERS.test(name) && name !== "PIPESTATUS" && name !== "pipestatus";
}

/**
 * Whether setting a variable may change what other commands do: what they run, where they read, how the shell reads.
 * With `handed`, the variable is given to a program, so that the shape of its name counts, too.
 */
export function changesCommands(
  { name, value, handed }: { readonly name: string; readonly value: string | undefined; readonly handed: boolean },
): boolean {
  if (value !== undefined && HARMLESS.some(([names, values]) => names.test(name) && values.test(value))) return false;
  return NAMES.has(name) || FAMILIES.test(name) || (handed && SHAPES.test(name));
}
