import { readFileSync } from 'node:fs';

const FILES = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'];
const SHARE = 0.75;
const UNLIMITED_BYTES = 2 ** 50;
const DEFAULT_MB = 1024;
const MB = 1024 * 1024;

/** Bytes above which caches are emptied: what is configured, else 75 % of what the container may use, else 1 GB. */
export function softMemoryLimit(configuredMb: number | undefined, read = readText): number {
  if (configuredMb !== undefined) return configuredMb * MB;
  for (const file of FILES) {
    const bytes = Number(read(file)?.trim());
    if (bytes > 0 && bytes < UNLIMITED_BYTES) return bytes * SHARE;
  }
  return DEFAULT_MB * MB;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
