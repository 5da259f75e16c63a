import { TAINT } from './taint.ts';

/** What a command reads on stdin, or what it writes to stdout. */
export interface Source {
  /** `none`: nothing was given, it reads what the caller has. */
  readonly kind: 'none' | 'pipe' | 'file' | 'text' | 'network';
  /** The constant text, or null where only running it would tell. */
  readonly text: string | null;
  readonly taint: number;
  /** Folders whose names, and everything below, are listed in it. */
  readonly roots?: readonly string[];
  /** The file is this program under another name. */
  readonly program?: string;
  /** The file is another name of this device, or of the folder of devices. */
  readonly link?: string;
}

export const NO_SOURCE: Source = { kind: 'none', text: null, taint: TAINT.none };
/** Something is there to be read, and nobody knows what. */
export const UNKNOWN_SOURCE: Source = { kind: 'pipe', text: null, taint: TAINT.none };
export const EMPTY_SOURCE: Source = { kind: 'text', text: '', taint: TAINT.none };

export function textSource(text: string | null, taint: number = TAINT.none): Source {
  return { kind: 'text', text, taint };
}

/** The outputs of commands that run one after the other, as one. */
export function joinSources(a: Source, b: Source): Source {
  if (a.kind === 'none') return b;
  if (b.kind === 'none') return a;
  const text = a.text === null || b.text === null ? null : a.text + b.text;
  return { kind: 'pipe', text, taint: a.taint | b.taint };
}
