import type { Finding, Grade, PathUse } from '../contract/tool.ts';

/** What the detector is told about the place; it looks nothing up itself. Paths are absolute and normalised. */
export interface Facts {
  readonly cwd: string;
  readonly home: string;
  readonly user: string;
  /** Work roots: the workspace and `files.roots`. */
  readonly roots: readonly string[];
  readonly hermodHome: string;
  /** The real folder that hermod's own program lies in. Absent: it is not known. */
  readonly installation?: string;
  /** Where hermod's own interface listens. Absent: 8790. */
  readonly port?: number;
  readonly pid: number;
  readonly parentPid: number;
  /** Live processes this session's tools started. */
  readonly childPids: readonly number[];
  /** Files this session's commands fetched from a network. */
  readonly fetched: readonly string[];
  readonly os: 'linux' | 'darwin' | 'win32';
  /** `approvals.protect_paths`. */
  readonly protectPaths: readonly string[];
}

/** A word whose value is known, or null where only running it would tell. */
export type KnownWord = string | null;

export interface Wrapper {
  /** Basename, for example `sudo`, `timeout`, `sh`. */
  readonly program: string;
  /** Set where the wrapper changes who or where the command is: `sudo:root`, `chroot:/mnt`. Neutral ones (nice, time) have none. */
  readonly identity?: string;
}

/** One simple command after peeling its wrappers. */
export interface ResolvedCommand {
  readonly argv: readonly KnownWord[];
  /** Program as written, without path; null when unknown. */
  readonly program: string | null;
  readonly wrappers: readonly Wrapper[];
  /** Folder it would run in; null when unknown. */
  readonly cwd: string | null;
  readonly assignments: readonly (readonly [name: string, value: KnownWord])[];
  /** Files it opens by redirection, as far as their names are known. */
  readonly opened?: readonly { readonly use: 'read' | 'write'; readonly path: string }[] | undefined;
  readonly span: readonly [number, number];
}

/** What a text would do, without running it. The grade is that of the strictest finding. */
export interface Analysis {
  readonly grade: Grade;
  /** Strictest first, then by place. */
  readonly findings: readonly Finding[];
  readonly commands: readonly ResolvedCommand[];
  /** False: the text could not be parsed or is over a limit; then nothing was held against the floor. */
  readonly readable: boolean;
  /** sudo would read a password from stdin. */
  readonly sudoStdin: boolean;
  /** Why no standing grant can cover it (`it has several commands`, `it runs code`), or null: one literal simple command. */
  readonly grantBar: string | null;
  /** Lines of inline or piped code, for deny globs. */
  readonly code: readonly string[];
  /** Files it would fetch from a network, absolute: what a later command of the session must not simply run. Absent: none is known. */
  readonly fetches?: readonly string[];
}

/** The detector, as the gate needs it. Pure; a large text may take a detour over a worker thread. */
export interface Detector {
  analyze(command: string, facts: Facts): Analysis | Promise<Analysis>;
  scanCode(language: string, source: string, facts: Facts): Analysis | Promise<Analysis>;
  gradePaths(uses: readonly PathUse[], facts: Facts): readonly Finding[];
  /** Whether more words cannot widen what a rule flags. */
  shapeOf(rule: string): 'exact' | 'prefix';
}
