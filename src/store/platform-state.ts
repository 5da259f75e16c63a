import type { KeyValue } from '../contract/platform.ts';
import type { Db } from './open.ts';

/** The key/value corner of one platform. */
export function createPlatformState(db: Db, platform: string): KeyValue {
  const get = db.prepare<[string, string], { value: string }>(
    'SELECT value FROM platform_state WHERE platform = ? AND key = ?',
  );
  const set = db.prepare(
    `INSERT INTO platform_state (platform, key, value) VALUES (?, ?, ?)
     ON CONFLICT (platform, key) DO UPDATE SET value = excluded.value`,
  );
  return {
    get: (key) => get.get(platform, key)?.value,
    set: (key, value) => void set.run(platform, key, value),
  };
}
