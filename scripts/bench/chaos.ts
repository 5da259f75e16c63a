// People talk to a daemon over a fake Telegram while it is killed at random points: npm run bench -- chaos [kills] [people] [seed]
import { chaos } from '../../test/process/chaos.ts';

const [kills = 60, people = 10, seed = Math.floor(Math.random() * 1e6)] = process.argv.slice(2).map(Number);
const report = await chaos({ kills, people, seed, progress: (line) => process.stderr.write(`${line}\n`) });

const named = (names: readonly string[]) => (names.length === 0 ? '0' : `${names.length}: ${names.join(' ')}`);
console.log(`seed ${seed}, ${report.seconds.toFixed(0)} s, ${people} people, ${report.messages} messages`);
console.log(
  `kills                    ${report.kills.SIGKILL} SIGKILL, ${report.kills.SIGTERM} SIGTERM, ${report.early} of them before ready; ${report.interrupted} attempts cut off`,
);
console.log(`messages lost            ${named(report.lost)}`);
console.log(`tools run twice          ${named(report.ranTwice)}`);
console.log(`unlabelled duplicates    ${named(report.doubled)}`);
console.log(`labelled repeats         ${report.repeats}`);
console.log(`inbox rows without end   ${report.open}`);
console.log(`integrity_check          ${report.integrity}`);
const bad = report.lost.length + report.ranTwice.length + report.doubled.length + report.open;
process.exitCode = bad > 0 || report.integrity !== 'ok' ? 1 : 0;
