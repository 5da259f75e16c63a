// A real daemon over a fake Telegram is killed before one statement after the other: of a job that is due (claim, begin, end,
// delivery), and of a reminder from the message that asks for it to its arrival. npm run bench -- jobs-kills [kills] [reminders]
import { type KillReport, killDueJobs, killReminders } from '../../test/process/job-kills.ts';

const [kills = 200, reminders = 100] = process.argv.slice(2).map(Number);
const progress = (line: string) => void process.stderr.write(`${line}\n`);
/** Every `step`th statement up to where a life gets through, round and round. */
const upTo = (count: number, last: number, step: number) => Array.from({ length: count }, (_, i) => (i * step) % last);

const began = performance.now();
const due = await killDueJobs({ at: upTo(kills, 137, 11), patient: true, progress });
show('jobs that are due', due);
const asked = await killReminders({ at: upTo(reminders, 170, 7), progress });
show('reminders asked for by message', asked);
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = due.wrong.length + asked.wrong.length > 0 ? 1 : 0;

function show(what: string, { kills, through, ok, unknown, repeats, wrong }: KillReport): void {
  console.log(`${what}: ${kills} kills, ${through} lives that got through`);
  console.log(`  ${ok} firings ok, ${unknown} unknown and told, ${repeats} labelled repeats, ${wrong.length} wrong`);
  for (const line of wrong) console.log(`  ${line}`);
}
