import { describe, expect, it } from 'vitest';
import { createLogOutput } from '../src/log-output.ts';

const line = (level: string, msg: string) => `{"level":"${level}","time":"2026-11-30T10:00:00.000Z","msg":"${msg}"}\n`;

function held() {
  const shown: string[] = [];
  const console = { write: (text: string) => shown.push(text) };
  const output = createLogOutput({ console, pretty: false, file: undefined, hold: true });
  const said = () => shown.map((text) => (JSON.parse(text) as { msg: string }).msg);
  return { output, said };
}

describe('until the person who started it has read where it is', () => {
  it('only trouble is shown; the rest follows in order', () => {
    const { output, said } = held();
    for (const [level, msg] of [
      ['info', 'one'],
      ['warn', 'trouble'],
      ['debug', 'two'],
      ['error', 'worse'],
    ] as const)
      output.write(line(level, msg));
    expect(said()).toEqual(['trouble', 'worse']);
    output.release();
    output.write(line('info', 'three'));
    expect(said()).toEqual(['trouble', 'worse', 'one', 'two', 'three']);
  });

  it('an end before that shows what was held back', () => {
    const { output, said } = held();
    output.write(line('info', 'one'));
    output.close();
    expect(said()).toEqual(['one']);
  });
});
