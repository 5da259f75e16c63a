// People talk to a daemon over a fake Telegram and a fake Discord while it is killed at random points:
// npm run bench -- chaos [kills] [people] [seed]
import { chaos } from '../../test/process/chaos.ts';

const [kills = 300, people = 300, seed = Math.floor(Math.random() * 1e6)] = process.argv.slice(2).map(Number);
const report = await chaos({ kills, people, seed, progress: (line) => process.stderr.write(`${line}\n`) });

const named = (names: readonly string[]) => (names.length === 0 ? '0' : `${names.length}: ${names.join(' ')}`);
console.log(`seed ${seed}, ${report.seconds.toFixed(0)} s, ${people} conversations, ${report.messages} messages`);
console.log(
  `kills                    ${report.kills.SIGKILL} SIGKILL, ${report.kills.SIGTERM} SIGTERM, ${report.early} of them before ready; ${report.interrupted} attempts cut off`,
);
console.log(`messages lost            ${named(report.lost)}`);
console.log(`tools run twice          ${named(report.ranTwice)}`);
console.log(`unlabelled duplicates    ${named(report.doubled)}`);
console.log(`labelled repeats         ${report.repeats}`);
console.log(`inbox rows without end   ${report.open}`);
console.log(`integrity_check          ok ${report.checks - report.damage.length} of ${report.checks} times`);
for (const damage of report.damage) console.log(damage);
const bad = report.lost.length + report.ranTwice.length + report.doubled.length + report.open + report.damage.length;
process.exitCode = bad > 0 ? 1 : 0;
