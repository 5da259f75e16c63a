// People write to a daemon that is ended again and again in the middle of its writes; its file is checked each time:
// npm run bench -- write-kills [kills] [messages a second]
import { writeKills } from '../../test/process/write-kills.ts';

const [kills = 200, perSecond = 12] = process.argv.slice(2).map(Number);
const started = performance.now();
const report = await writeKills({ kills, perSecond, progress: (line) => process.stderr.write(`${line}\n`) });

console.log(`${((performance.now() - started) / 1000).toFixed(0)} s; ${report.messages} messages`);
console.log(`kills                    ${report.kills.SIGKILL} SIGKILL, ${report.kills.SIGTERM} SIGTERM`);
console.log(
  `rows written             ${report.rows}, ${(report.rows / report.seconds).toFixed(0)} a second of its lives`,
);
console.log(`checks that found fault  ${report.torn.length}${report.torn.map((line) => `\n  ${line}`).join('')}`);
console.log(`inbox rows without end   ${report.open}`);
process.exitCode = report.torn.length + report.open > 0 ? 1 : 0;
