import { resolve } from 'node:path';
import type { Finding } from '../contract/tool.ts';
import type { Analysis, Detector, Facts, ResolvedCommand } from './analysis.ts';
import type { RealPath } from './real-paths.ts';

/** Looked up in one command; a longer one is asked about. */
const MOST_WORDS = 1_000;

/** Stands for a word that is only known when it runs. */
const UNKNOWN_WORD = '"$word"';

/**
 * What a command would do to the places its paths really lead to. A link out of the work folders is judged as what it points
 * at; this only ever adds findings.
 */
export async function linkFindings(
  analysis: Analysis,
  facts: Facts,
  detector: Detector,
  real: RealPath,
): Promise<readonly Finding[]> {
  const known = new Set(analysis.findings.map(({ rule }) => rule));
  const found: Finding[] = [];
  for (const command of analysis.commands) {
    if (command.argv.length > MOST_WORDS) found.push(tooLong(command));
    const text = await realText(command, real);
    if (text === undefined) continue;
    const { findings } = await detector.analyze(text, {
      ...(await realFacts(facts, real)),
      cwd: await real(command.cwd ?? facts.cwd),
    });
    const more = findings.filter(({ rule }) => !known.has(rule) && known.add(rule));
    found.push(...more.map((finding) => ({ ...finding, span: command.span, why: `${finding.why}, through a link` })));
  }
  return found;
}

function tooLong({ span }: ResolvedCommand): Finding {
  const why = 'has more words than hermod can look up links for';
  return { rule: 'shell.unreadable', grade: 'dangerous', span, why, personOnly: true, smart: false };
}

/** The command with every path replaced by where it leads; undefined: no link in it. */
async function realText({ argv, cwd, opened = [] }: ResolvedCommand, real: RealPath): Promise<string | undefined> {
  if (cwd === null || argv.length > MOST_WORDS) return undefined;
  const words: string[] = [];
  let changed = (await real(cwd)) !== cwd && argv.slice(1).some((word) => word !== null && !word.startsWith('-'));
  for (const [i, word] of argv.entries()) {
    if (word === null) {
      if (i === 0) return undefined;
      words.push(UNKNOWN_WORD);
      continue;
    }
    const path = resolve(cwd, word);
    const there = i === 0 || word === '' || word.startsWith('-') ? path : await real(path);
    if (there !== path) changed = true;
    words.push(quoted(there === path ? word : there));
  }
  for (const { use, path } of opened) {
    const given = resolve(cwd, path);
    const there = await real(given);
    if (there !== given) changed = true;
    words.push(use === 'read' ? '<' : '>', quoted(there));
  }
  return changed ? words.join(' ') : undefined;
}

/** Folders that are links themselves count under both names. */
async function realFacts(facts: Facts, real: RealPath): Promise<Facts> {
  const roots = await Promise.all(facts.roots.map(real));
  return { ...facts, roots: [...new Set([...facts.roots, ...roots])] };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
