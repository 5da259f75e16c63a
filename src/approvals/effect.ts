import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../contract/clock.ts';
import type { Analysis } from './analysis.ts';
import { removalTargets, type Target } from './removal-targets.ts';
import { counted } from './wording.ts';

export interface EffectLimits {
  readonly entries: number;
  readonly ms: number;
}

const LIMITS: EffectLimits = { entries: 20_000, ms: 300 };
const TOP_NAMES = 5;

/**
 * What a removal would remove, in words, or undefined where a command removes nothing. Bounded in entries and time; links are
 * not followed and mounts not crossed. Never rejects: a count that fails is no reason to hold up a card.
 */
export async function effectOf(
  { analysis }: { readonly analysis: Analysis | undefined },
  clock: Clock,
  limits: EffectLimits = LIMITS,
): Promise<string | undefined> {
  const targets = analysis && removalTargets(analysis);
  if (targets === undefined) return undefined;
  if (targets === 'unknown') return 'target is only known when it runs';
  const count = new Count(clock, limits);
  for (const target of targets) await count.add(target);
  return count.words(targets);
}

/** One walk over all targets. */
class Count {
  readonly #clock: Clock;
  readonly #limits: EffectLimits;
  readonly #until: number;
  #files = 0;
  #folders = 0;
  #bytes = 0;
  #entries = 0;
  #unread = false;
  readonly #there: string[] = [];
  readonly #top: string[] = [];

  constructor(clock: Clock, limits: EffectLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#until = clock.now() + limits.ms;
  }

  async add(target: Target): Promise<void> {
    const stats = await look(target.path);
    if (!stats || (stats.isDirectory() && !target.recursive)) return;
    this.#there.push(stats.isDirectory() ? target.name.replace(/\/*$/, '/') : target.name);
    if (!stats.isDirectory()) return this.#file(stats);
    this.#folders++;
    await this.#walk(target.path, stats.dev);
  }

  #file(stats: Stats): void {
    this.#files++;
    this.#entries++;
    this.#bytes += stats.size;
  }

  /** Breadth first, a folder at a time; the file system calls in between leave the loop free. */
  async #walk(root: string, device: number): Promise<void> {
    for (let level = [root]; level.length > 0 && !this.#over(); ) {
      const next: string[] = [];
      for (const folder of level) await this.#folder(folder, folder === root, device, next);
      level = next;
    }
  }

  async #folder(path: string, top: boolean, device: number, next: string[]): Promise<void> {
    try {
      for await (const { name } of await opendir(path, { bufferSize: 256 })) {
        if (this.#over()) return;
        if (top) this.#top.push(name);
        const stats = await look(join(path, name));
        if (!stats) this.#unread = true;
        else if (!stats.isDirectory()) this.#file(stats);
        else {
          this.#entries++;
          this.#folders++;
          if (stats.dev === device) next.push(join(path, name));
        }
      }
    } catch {
      this.#unread = true;
    }
  }

  #over(): boolean {
    return this.#entries >= this.#limits.entries || this.#clock.now() >= this.#until;
  }

  words(targets: readonly Target[]): string {
    if (this.#there.length === 0) return 'nothing to delete';
    if (this.#over()) return `more than ${counted(this.#files, 'file')}${this.#place()}`;
    const about = targets.some(({ atMost }) => atMost) ? 'at most ' : this.#unread ? 'at least ' : '';
    const folders = this.#folders === 0 ? '' : `, ${counted(this.#folders, 'folder')}`;
    return `${about}${counted(this.#files, 'file')}, ${size(this.#bytes)}${folders}${this.#place()}`;
  }

  #place(): string {
    const names = this.#there.slice(0, TOP_NAMES);
    const more = this.#there.length - names.length;
    const rest = this.#top.length - TOP_NAMES;
    const top = this.#top.toSorted().slice(0, TOP_NAMES).join(', ');
    const inside = top === '' ? '' : ` (${top}${rest > 0 ? ` and ${rest.toLocaleString('en')} more` : ''})`;
    return ` in ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}${inside}`;
  }
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch {
    return undefined;
  }
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** `512 bytes`, `48.2 MB`; thousands, not 1,024s. */
function size(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? bytes : value.toFixed(1)} ${bytes === 1 ? 'byte' : UNITS[power]}`;
}
