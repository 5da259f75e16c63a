/** Any value but none and the empty device. */
const ANY_FILE = /^(?!\/dev\/null$)./s;
const MAKE_TEXT = /--eval|--(?:make)?file|(?:^|\s)-[Ef]|SHELL(?:FLAGS)?\s*=/;
const LINKER =
  /(?:-C|\b)linker\s*=\s*(?!(?:[\w.-]*-)?(?:cc|gcc|g\+\+|clang|clang\+\+|ld|lld|ld\.lld|rust-lld|mold|wild)(?:-\d+)?(?:\s|$))\S/;
const EDITOR_TEXT = /!|\(|\b(?:so|source|ru|runtime|lua\w*|py\w*|perl\w*|ruby\w*|tcl\w*|call|exe\w*|au|autocmd)\b/;
const AGENT = /-(?:javaagent|agentpath|agentlib)|-XX:OnOutOfMemoryError/;
const ERLANG = /-(?:eval|run|s)\b/;
const HOOK = /^(?!(?:0|(?:pdb|ipdb|pudb|bpdb|web_pdb|remote_pdb|debugpy|IPython|celery\.contrib\.rdb)(?:\.\w+)*)$)./s;

const LOADING: readonly (readonly [names: string, value: RegExp])[] = [
  ['NODE_OPTIONS', /(?:^|\s)(?:--require|-r|--import|--loader|--experimental-loader)\b/],
  ['JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS', AGENT],
  ['PERL5OPT', ANY_FILE],
  ['RUBYOPT', /-r/],
  ['MAKEFLAGS GNUMAKEFLAGS', MAKE_TEXT],
  ['MAKEFILES LESSKEYIN WGETRC OPENSSL_ENGINES R_PROFILE R_PROFILE_USER', ANY_FILE],
  ['DOTNET_STARTUP_HOOKS CORECLR_PROFILER_PATH', ANY_FILE],
  ['LUA_INIT LUA_INIT_5_1 LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4', ANY_FILE],
  ['LESS', /\+[^\s+]*!/],
  ['VIMINIT EXINIT GVIMINIT', EDITOR_TEXT],
  ['PYTHONBREAKPOINT', HOOK],
  ['GOFLAGS', /-(?:toolexec|exec|overlay)\b/],
  ['RUSTFLAGS RUSTDOCFLAGS CARGO_BUILD_RUSTFLAGS CARGO_ENCODED_RUSTFLAGS', LINKER],
  ['RIPGREP_CONFIG_PATH', /^(?!.*ripgrep)./s],
  ['ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS', ERLANG],
];

const LOADS: ReadonlyMap<string, RegExp> = new Map(
  LOADING.flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
);

/** Whether a program that finds this value under this name loads or runs something else first. */
export function loadsByVariable(name: string, value: string): boolean {
  return LOADS.get(name)?.test(value) === true;
}
