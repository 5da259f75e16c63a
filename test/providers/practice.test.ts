import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ChatMessage, FAILURE_KINDS, type ModelEvent, type ModelRequest } from '../../src/contract/model.ts';
import { createPractice } from '../../src/providers/practice.ts';
import { PHRASES, readPhrase } from '../../src/providers/practice-phrases.ts';
import { NO_LANGUAGE_MODEL, nextStep } from '../../src/providers/practice-plan.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { called, collect, doneOf, HEAD, request, said, TOOLS, textOf, tool, user } from '../fakes/model-requests.ts';

const LATER: readonly ChatMessage[] = [user('hello'), said('Hello!')];

/** What the model does with a phrase in a conversation that has already begun. */
function step(phrase: string, after: readonly ChatMessage[] = [], more: Partial<ModelRequest> = {}) {
  return nextStep(request([...LATER, user(`${HEAD}\n${phrase}`), ...after], more));
}

function text(phrase: string, after: readonly ChatMessage[] = [], more: Partial<ModelRequest> = {}): string {
  const found = step(phrase, after, more);
  if (found.kind !== 'text') throw new Error(`no text but ${JSON.stringify(found)}`);
  return found.text;
}

describe('phrases that call', () => {
  it.each([
    ['list files', 'shell', { command: 'ls -1A' }],
    ['run ls', 'shell', { command: 'ls' }],
    ['Run: `npm test -- -t "a b"`', 'shell', { command: 'npm test -- -t "a b"' }],
    ["run printf 'a\nb'", 'shell', { command: "printf 'a\nb'" }],
    ['$ git status', 'shell', { command: 'git status' }],
    ['$git status', 'shell', { command: 'git status' }],
    ['Run this command and report its output:\n```\nuptime\n```', 'shell', { command: 'uptime' }],
    ['slow 20', 'shell', { command: 'sleep 20' }],
    ['slow 200', 'shell', { command: 'sleep 200', timeout_s: 230 }],
    ['delete notes.txt', 'shell', { command: "rm -r -- 'notes.txt'" }],
    ['delete the build folder', 'shell', { command: "rm -r -- 'build'" }],
    ['Delete the folder old stuff', 'shell', { command: "rm -r -- 'old stuff'" }],
    ["delete it's; rm -rf ~", 'shell', { command: "rm -r -- 'it'\\''s; rm -rf ~'" }],
    ['read notes.txt', 'read_file', { path: 'notes.txt' }],
    ['read the file "my notes.txt"', 'read_file', { path: 'my notes.txt' }],
    ['write a/b.txt: one: two\nthree', 'write_file', { path: 'a/b.txt', content: 'one: two\nthree' }],
    ['delegate list files', 'delegate', { workers: [{ goal: 'list files' }] }],
    ['code console.log(1)', 'execute_code', { language: 'js', code: 'console.log(1)' }],
    ['loop', 'shell', { command: 'true' }],
  ])('%s', (phrase, name, input) => {
    expect(step(phrase)).toMatchObject({ kind: 'call', tool: name, input });
  });

  it.each([
    ['ask me Which colour?: red or green', { question: 'Which colour?', choices: ['red', 'green'] }],
    ['Ask me which one: a, b or c', { question: 'which one', choices: ['a', 'b', 'c'] }],
    ['ask me what comes next', { question: 'what comes next' }],
  ])('%s', (phrase, input) => {
    const schema = z.strictObject({ question: z.string(), choices: z.array(z.string()).optional() });
    const tools = [...TOOLS, tool('clarify', schema)];
    expect(step(phrase, [], { tools })).toEqual({ kind: 'call', tool: 'clarify', input, index: 0 });
  });

  it.each([
    ['remind me to stretch in 2 minutes', 'in 2 minutes', 'stretch'],
    ['Remind me to call Bob in accounting on friday at 18:30.', 'on friday at 18:30', 'call Bob in accounting'],
    ['remind me to go, at noon', 'at noon', 'go'],
    ['remind me to rest every mon and tues at 9am', 'every mon and tues at 9am', 'rest'],
    ['remind me in 2 minutes to look at 9', 'in 2 minutes', 'look at 9'],
  ])('a reminder may say when first or last: %s', (phrase, when, what) => {
    const input = { action: 'create', when, text: `Reminder: ${what}`, name: what };
    const schema = z.strictObject({ action: z.string(), when: z.string(), text: z.string(), name: z.string() });
    expect(step(phrase, [], { tools: [tool('schedule', schema)] })).toMatchObject({ tool: 'schedule', input });
  });

  it('every row reads its own example', () => {
    for (const row of PHRASES) expect(row.pattern.test(row.example), row.example).toBe(true);
  });

  it('uses another row when the tool of the first is not offered', () => {
    const tools = [tool('list_files', z.strictObject({ path: z.string().optional() }))];
    expect(step('list files', [], { tools })).toMatchObject({ kind: 'call', tool: 'list_files' });
  });

  it('names the tool that is missing or would refuse the input', () => {
    expect(text('delegate list files', [], { tools: TOOLS.filter((t) => t.name !== 'delegate') })).toBe(
      'Not done: `delegate list files`; the tool delegate is not offered here.',
    );
    expect(text('in background sleep 5')).toContain('the tool shell is not offered');
  });

  it('leaves out of help what the tools of the request cannot do', () => {
    const help = text('help', [], { tools: TOOLS.filter((t) => t.name === 'shell') });
    expect(help).toContain('`run date`');
    expect(help).not.toContain('delegate');
    expect(help).not.toContain('read notes.txt');
    expect(help.startsWith(NO_LANGUAGE_MODEL)).toBe(true);
  });
});

describe('what it says', () => {
  it('introduces itself in the first reply only', () => {
    const first = nextStep(request([user(`${HEAD} say good night`)]));
    expect(first).toEqual({ kind: 'text', text: `${NO_LANGUAGE_MODEL}\n\ngood night` });
    expect(text('say good night')).toBe('good night');
  });

  it('keeps the introduction out of jobs and workers', () => {
    const found = nextStep(
      request([user('say good night')], { system: { stable: 's', varying: 'You work on a job.' } }),
    );
    expect(found).toEqual({ kind: 'text', text: 'good night' });
  });

  it('answers "run ls" with the listing', () => {
    expect(text('run ls', called('shell', { command: 'ls' }, 'a.txt\nb.txt\n'))).toBe(
      'I called `shell` with `ls`.\nIt said 2 lines:\n```\na.txt\nb.txt\n```',
    );
  });

  it('shows at most twenty lines and a fence the text cannot close', () => {
    const lines = Array.from({ length: 30 }, (_, i) => (i === 3 ? '```' : `line ${i}`));
    const shown = text('run ls', called('shell', { command: 'ls' }, lines.join('\n'))).split('\n');
    expect(shown[1]).toBe('It said 30 lines; the first 20:');
    expect(shown[2]).toBe('````');
    expect(shown).toHaveLength(2 + 22);
  });

  it.each([
    'Refused: fs.delete. The person said no. Do not retry.',
    'interrupted; outcome unknown, check before repeating',
    'Nobody answered within 30 minutes.',
  ])("tells in the tool's words: %s", (words) => {
    const reply = text('delete the build folder', called('shell', { command: "rm -r -- 'build'" }, words, true));
    expect(reply).toBe(`I called \`shell\` with \`rm -r -- 'build'\`.\n${words}`);
  });

  it('says what cannot be read', () => {
    expect(text('write me a poem about Odin')).toContain(NO_LANGUAGE_MODEL);
  });

  it('recalls the last calls and what became of them', () => {
    const history = [user('delete x'), ...called('shell', { command: 'rm x' }, 'Refused: no.', true), said('ok')];
    const found = nextStep(request([...history, user('What happened?')]));
    expect(found).toEqual({ kind: 'text', text: 'The last calls:\n- `shell` with `rm x`: not done, Refused: no.' });
  });

  it('sums up when tools are off and the words are none of its own', () => {
    const history = [
      ...LATER,
      user('loop'),
      ...called('shell', { command: 'true' }, ''),
      user('Summarise what is done and what is open.'),
    ];
    const found = nextStep(request(history, { toolChoice: 'none' }));
    expect(found).toMatchObject({ kind: 'text', text: expect.stringContaining('The last calls:') });
  });

  it('ends a loop when the tools are taken away', () => {
    const after = called('shell', { command: 'true' }, '');
    expect(step('loop', after)).toMatchObject({ kind: 'call', index: 1 });
    expect(text('loop', after, { toolChoice: 'none' })).toContain('The tools are off now');
  });
});

describe('A then B', () => {
  it('takes one call a step and reports all at the end', () => {
    const phrase = 'run pwd then read a.txt, then say done';
    const one = called('shell', { command: 'pwd' }, '/w');
    const two = called('read_file', { path: 'a.txt' }, 'milk');
    expect(step(phrase)).toMatchObject({ tool: 'shell', input: { command: 'pwd' } });
    expect(step(phrase, one)).toMatchObject({ tool: 'read_file', input: { path: 'a.txt' } });
    const reply = text(phrase, [...one, ...two]);
    expect(reply).toContain('/w');
    expect(reply).toContain('milk');
    expect(reply.endsWith('\n\ndone')).toBe(true);
  });

  it('cuts only before another phrase', () => {
    expect(text('say now and then rest then help')).toContain('now and then rest');
    expect(step('run if true; then echo a; fi')).toMatchObject({ input: { command: 'if true; then echo a; fi' } });
  });

  it('takes five and says so', () => {
    const reply = text('say 1 then say 2 then say 3 then say 4 then say 5 then say 6');
    expect(reply).toBe('1\n\n2\n\n3\n\n4\n\n5\n\nI take 5 phrases at a time and left out the rest.');
  });

  it('reads quick messages as one request', () => {
    const found = nextStep(request([...LATER, user(`${HEAD} say a\n\n${HEAD} say b`), user(`${HEAD} say c`)]));
    expect(found).toEqual({ kind: 'text', text: 'a\n\nb\n\nc' });
  });

  it('follows the newest words after a steering message', () => {
    const found = nextStep(
      request([...LATER, user('run pwd then run ls'), ...called('shell', { command: 'pwd' }, '/w'), user('say stop')]),
    );
    expect(found).toEqual({ kind: 'text', text: 'stop' });
  });

  it('goes on past notes of the daemon, which are nobody’s words', () => {
    const note = '[from hermod, not from the person] The daemon was restarted in between.';
    const asked = user(`${HEAD} run pwd then run ls\n\n${note}`);
    expect(nextStep(request([...LATER, asked]))).toMatchObject({ kind: 'call', input: { command: 'pwd' } });
    const later = nextStep(request([...LATER, asked, ...called('shell', { command: 'pwd' }, '/w'), user(note)]));
    expect(later).toMatchObject({ kind: 'call', input: { command: 'ls' } });
  });

  it('says what tools that were taken away left undone', () => {
    const phrase = 'run pwd then run ls';
    const reply = text(phrase, called('shell', { command: 'pwd' }, '/w'), { toolChoice: 'none' });
    expect(reply).toContain('/w');
    expect(reply).toContain('Not done: `run ls`; tools are off now.');
  });

  it('drops a head with a name in it', () => {
    const found = nextStep(request([...LATER, user('[Mon 30 Nov 2026 13:00 Europe/Berlin "A ] b"] say a')]));
    expect(found).toEqual({ kind: 'text', text: 'a' });
  });
});

describe('the stream', () => {
  it('speaks forty words a second', async () => {
    const clock = new FakeClock();
    const events: ModelEvent[] = [];
    const all = (async () => {
      for await (const event of createPractice({ clock }).stream(
        request([...LATER, user('stream 100 words')]),
        new AbortController().signal,
      ))
        events.push(event);
    })();
    await clock.skip(1000);
    expect(events).toHaveLength(40);
    await clock.skip(1500);
    await all;
    expect(doneOf(events).reason).toBe('stop');
    expect(textOf(events).split(' ')).toHaveLength(100);
  });

  it('gives the same answer twice', async () => {
    const answer = async () => {
      const clock = new FakeClock();
      const all = collect(createPractice({ clock }).stream(request([user('help')]), new AbortController().signal));
      await clock.skip(60_000);
      return textOf(await all);
    };
    expect(await answer()).toBe(await answer());
    expect(await answer()).toContain('\n- `loop`');
  });

  it('stops at once when aborted', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const all = collect(createPractice({ clock }).stream(request([user('stream 100 words')]), abort.signal));
    await clock.skip(100);
    abort.abort();
    expect(doneOf(await all)).toMatchObject({ reason: 'aborted', failure: { kind: 'aborted' } });
    expect(clock.armed).toBe(0);
  });

  it.each(FAILURE_KINDS)('fails with %s when asked', async (kind) => {
    const clock = new FakeClock();
    const all = collect(
      createPractice({ clock }).stream(request([user(`fail with ${kind}`)]), new AbortController().signal),
    );
    await clock.skip(1000);
    expect(doneOf(await all).failure?.kind).toBe(kind);
    expect(readPhrase(`fail with ${kind}`)).toHaveLength(1);
  });
});
