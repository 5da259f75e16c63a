const MAX_NAME = 64;

/**
 * The line that heads a person's message and is stored with it: `[Sun 29 Nov 2026 14:05 Europe/Berlin]`, in groups with the
 * name. `note` is words of ours: `written 9 h ago`.
 */
export function messageHead(now: number, zone: string, name?: string, note?: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const { weekday, day, month, year, hour, minute } = part;
  const who = name === undefined ? '' : ` "${oneLine(name)}"`;
  const more = note === undefined ? '' : `, ${note}`;
  return `[${weekday} ${day} ${month} ${year} ${hour}:${minute} ${zone}${who}${more}]`;
}

/** A name cannot end the head or look like one. */
function oneLine(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/["[\]]/g, "'")
    .trim();
  return [...plain].slice(0, MAX_NAME).join('');
}
