import { HermodError } from '../contract/errors.ts';

const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT'];
const UNUSABLE: readonly unknown[] = [
  'EACCES',
  'EPERM',
  'EROFS',
  'EEXIST',
  'ENOTDIR',
  'EISDIR',
  'ENOENT',
  'ELOOP',
  'ENAMETOOLONG',
];

/**
 * What a start says of a file or folder it needs and cannot use; undefined: the error is of another kind. Of a full disk a later
 * start may be cured, of the others none is.
 */
export function homeTrouble(error: unknown): HermodError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (FULL.includes(error.code)) {
    const what = path ?? 'a file of my home';
    return new HermodError('us', `I cannot write ${what}: the disk is full. Make room, then start hermod again.`);
  }
  const ofFile = 'syscall' in error && !String(error.syscall).startsWith('spawn');
  if (path === undefined || !ofFile || !UNUSABLE.includes(error.code)) return undefined;
  const [, why = error.message] = /^\w+: ([^,]+)/.exec(error.message) ?? [];
  return new HermodError(
    'operator',
    `I cannot use ${path}: ${why}. Check what stands there, and that it and the folder around it belong to the user who starts hermod.`,
  );
}
