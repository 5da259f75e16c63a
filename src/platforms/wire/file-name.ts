/** A name that is only a name: no folders, no controls, not hidden, at most 100 characters. */
export function cleanName(name: string): string {
  const bare = name
    .replace(/[\p{C}/\\:*?"<>|;]+/gu, '_')
    .replace(/^\.+/, '')
    .trim();
  return bare.slice(-100) || 'file';
}
