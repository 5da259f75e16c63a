import type { LiveCall } from './call.ts';
import { consoleCode } from './console-code.ts';
import { descriptorIn, namesInput } from './descriptors.ts';
import { reportDynamic } from './dynamic.ts';
import type { Field } from './field.ts';
import { literalField } from './field.ts';
import { isFetched } from './file-effects.ts';
import type { InlineCode } from './inline-code.ts';
import { inlineCode } from './inline-code.ts';
import { hasUnknown, isKnown } from './marks.ts';
import { parseOptions } from './options.ts';
import { formatPath, isNamed, resolvePath } from './paths.ts';
import { INTERPRETERS, SHELLS } from './program-names.ts';
import { fileSource } from './redirects.ts';
import { fileOnPath } from './search-path.ts';
import type { Source } from './source.ts';
import { UNKNOWN_SOURCE } from './source.ts';
import { TAINT } from './taint.ts';
import type { Walker } from './walker.ts';
import { SSH_OPTIONS } from './wrappers/remote.ts';
import { START_FILES, shellOptions } from './wrappers/shells.ts';
import { judgeWritten } from './written-orders.ts';

/** Programs that run what they read: shells, interpreters, `source`, files run by their path. */
export function interpret(walker: Walker, call: LiveCall): void {
  const named = call.argv0.text.includes('/') ? undefined : fileOnPath(call);
  if (named) runFile(walker, call, named, null);
  judgeWritten(walker, call);
  const reads = SHELLS.has(call.program) || Object.hasOwn(INTERPRETERS, call.program) || call.program === 'awk';
  if (reads || call.program === 'source' || call.program === '.') walker.bar('it runs code');
  const framework = consoleCode(call);
  if (framework) runCode(walker, call, framework, framework.language);
  if (SHELLS.has(call.program)) runShell(walker, call);
  else if (call.program === 'source' || call.program === '.') runFile(walker, call, call.args[0], 'sh');
  else if (call.program === 'at' || call.program === 'batch') runStdin(walker, call, 'sh');
  else if (readsCommands(call)) runStdin(walker, call, 'sh');
  else if (Object.hasOwn(INTERPRETERS, call.program) || call.program === 'awk') runInterpreter(walker, call);
  else if (call.argv0.text.includes('/')) runFile(walker, call, call.argv0, null);
}

/** Programs that take what they read for commands where no command is given. */
function readsCommands(call: LiveCall): boolean {
  if (call.stdin.kind === 'none' || call.stdin.text === '') return false;
  if (call.program === 'ssh') {
    const options = parseOptions(call.args, SSH_OPTIONS, { stop: true });
    return options.operands.length === 1 && !options.has('N', 'W', 'O', 'V', 'Q');
  }
  return call.program === 'parallel' && call.args.every(({ text }) => text.startsWith('-'));
}

function runShell(walker: Walker, call: LiveCall): void {
  const options = shellOptions(call);
  if (options.has('version', 'help') || options.has('n')) return;
  for (const name of START_FILES) for (const file of options.values(name)) runFile(walker, call, file, 'sh');
  const script = options.operands[0];
  if (options.has('s') || !script || namesInput(script.text)) runStdin(walker, call, 'sh');
  else if (!options.has('c')) runFile(walker, call, script, 'sh');
}

function runStdin(walker: Walker, call: LiveCall, language: string): void {
  const { stdin } = call;
  if (stdin.kind === 'none') {
    if (call.frame.scripted || call.frame.found) walker.report('code.shell', call.span, call.frame);
    return;
  }
  walker.bar('it runs code');
  const text = stdinField(call);
  if (language === 'sh') {
    reportStdin(walker, call);
    if (stdin.text !== null && !/^\uE000?$/.test(stdin.text))
      walker.text(text, call.state.spawn(), {
        ...call.frame,
        wrappers: [...call.frame.wrappers, { program: call.program }],
      });
    return;
  }
  if (stdin.text !== null && isKnown(stdin.text) && (stdin.taint & (TAINT.fetched | TAINT.decoded)) === 0)
    walker.code(language, text, call);
  else {
    reportStdin(walker, call);
    if (stdin.text !== null && isKnown(stdin.text)) walker.code(language, text, call);
  }
}

function reportStdin(walker: Walker, call: LiveCall): void {
  const taint = call.stdin.kind === 'network' ? TAINT.fetched : call.stdin.taint;
  const id =
    (taint & TAINT.fetched) !== 0 ? 'code.remote' : (taint & TAINT.decoded) !== 0 ? 'code.decoded' : 'code.stdin';
  walker.report(id, call.span, call.frame);
}

function stdinField(call: LiveCall): Field {
  return literalField(call.stdin.text ?? '', call.span, { raw: '', taint: call.stdin.taint });
}

/** A script file: what this text wrote there is graded, what came from a network is asked. */
function runFile(walker: Walker, call: LiveCall, file: Field | undefined, language: string | null): void {
  if (!file) return;
  const fd = file.content ? null : descriptorIn(file.text);
  if (fd === 0 && language !== null) {
    runStdin(walker, call, language);
    return;
  }
  const opened = fd === null ? file.content : (call.state.descriptors.get(fd)?.source ?? UNKNOWN_SOURCE);
  if (opened) {
    runContent(walker, call, file, opened, language);
    return;
  }
  if (
    hasUnknown(file.text.slice(file.text.lastIndexOf('/') + 1)) ||
    ((call.frame.found || call.frame.appended) && (file.expanded || !isKnown(file.text)))
  ) {
    if (language !== null)
      walker.report((file.taint & TAINT.fetched) !== 0 ? 'code.remote' : 'code.dynamic', file.span, call.frame);
    return;
  }
  if (language !== null && (file.taint & (TAINT.fetched | TAINT.decoded)) !== 0)
    reportDynamic(walker, file, call.frame);
  for (const cwd of call.state.cwds) {
    const path = resolvePath(file.text, cwd);
    if (isNamed(path)) runKnownFile(walker, call, file, formatPath(path), language);
  }
}

function runKnownFile(walker: Walker, call: LiveCall, file: Field, name: string, language: string | null): void {
  const source = fileSource({ ...file, text: name }, call.state, walker);
  if (source.kind === 'network' || isFetched(call, name)) walker.report('code.remote', file.span, call.frame);
  else if ((source.taint & TAINT.decoded) !== 0 && call.state.files.has(name))
    walker.report('code.decoded', file.span, call.frame);
  if (language === null && call.state.executable.has(name)) walker.report('code.chmod-run', file.span, call.frame);
  if (!call.state.files.has(name)) return;
  if (source.text !== null) runContent(walker, call, file, source, language);
  else if ((source.taint & (TAINT.fetched | TAINT.decoded)) === 0)
    walker.report(
      'code.dynamic',
      file.span,
      call.frame,
      'runs a file that was written here from what is only known then',
    );
}

function runContent(walker: Walker, call: LiveCall, file: Field, source: Source, language: string | null): void {
  const text = { ...file, text: source.text ?? '', raw: '', taint: source.taint };
  if (source.text === null) {
    reportDynamic(walker, { ...text, text: '\uE000' }, call.frame);
    return;
  }
  reportDynamic(walker, text, call.frame);
  walker.bar('it runs code');
  const actual = language ?? shebang(source.text);
  if (actual === 'sh')
    walker.text(text, call.state.spawn(), {
      ...call.frame,
      wrappers: [...call.frame.wrappers, { program: call.program }],
    });
  else walker.code(actual, text, call);
}

function shebang(text: string): string {
  const line = /^#![^\n]*/.exec(text)?.[0] ?? '';
  for (const [program, language] of Object.entries(INTERPRETERS))
    if (new RegExp(`\\b${program}`).test(line)) return language;
  return 'sh';
}

function runInterpreter(walker: Walker, call: LiveCall): void {
  runCode(walker, call, inlineCode(call), languageOf(call));
}

function languageOf(call: LiveCall): string {
  if (call.program === 'awk') return 'awk';
  const language = INTERPRETERS[call.program] as string;
  if (language === 'python' && /ipython/i.test(call.argv0.text)) return 'ipython';
  const other = language === 'applescript' && call.args.some(({ text }) => /^(?:-l)?JavaScript$/i.test(text));
  return other ? 'jxa' : language;
}

function runCode(walker: Walker, call: LiveCall, found: InlineCode, language: string): void {
  for (const text of found.texts) {
    walker.bar('it runs code');
    if (text.content) runContent(walker, call, text, text.content, language);
    else if (hasUnknown(text.text)) {
      reportDynamic(walker, text, call.frame);
      walker.code(language, text, call);
    } else {
      if ((text.taint & (TAINT.fetched | TAINT.decoded)) !== 0) reportDynamic(walker, text, call.frame);
      walker.code(language, text, call);
    }
  }
  if (found.script) runFile(walker, call, found.script, language);
  else if (found.stdin) runStdin(walker, call, language);
}
