import type { BootId } from '../contract/ids.ts';
import type { Db } from './open.ts';

export interface ScheduleOwnerRow {
  readonly boot: BootId;
  readonly takenAt: number;
  readonly lastTickAt: number | null;
  readonly lastOkAt: number | null;
}

/** Which boot may claim jobs. One row; who reads another id than its own claims nothing any more. */
export interface ScheduleOwner {
  take(boot: BootId, now: number): void;
  get(): ScheduleOwnerRow | undefined;
  /** A tick; `ok`: everything due is claimed. */
  ticked(boot: BootId, now: number, ok: boolean): void;
}

interface Row {
  boot_id: string;
  taken_at: number;
  last_tick_at: number | null;
  last_ok_at: number | null;
}

export function createScheduleOwner(db: Db): ScheduleOwner {
  const take = db.prepare(`
    INSERT INTO schedule_owner (id, boot_id, taken_at) VALUES (1, @boot, @now)
    ON CONFLICT (id) DO UPDATE SET boot_id = @boot, taken_at = @now, last_tick_at = NULL, last_ok_at = NULL`);
  const get = db.prepare<[], Row>('SELECT * FROM schedule_owner');
  const ticked = db.prepare(`
    UPDATE schedule_owner SET last_tick_at = @now, last_ok_at = CASE @ok WHEN 1 THEN @now ELSE last_ok_at END WHERE boot_id = @boot`);

  return {
    take: (boot, now) => void take.run({ boot, now }),
    get() {
      const row = get.get();
      return (
        row && {
          boot: row.boot_id as BootId,
          takenAt: row.taken_at,
          lastTickAt: row.last_tick_at,
          lastOkAt: row.last_ok_at,
        }
      );
    },
    ticked: (boot, now, ok) => void ticked.run({ boot, now, ok: ok ? 1 : 0 }),
  };
}
