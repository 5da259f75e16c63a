import { afterEach, expect, it } from 'vitest';
import { Survivor } from './survivor.ts';

let survivor: Survivor;
afterEach(() => survivor.close());

const FORUM = -100_777;
/** The reminder itself, not the practice model's account of how it was made. */
const REMINDER = /^(?!I called)[\s\S]*Reminder: stretch$/;

it('a reminder asked for in a topic comes there once, though hermod is killed at every step in between', async () => {
  survivor = await Survivor.open('cron:\n  stagger_s: 0\n');
  const { telegram } = survivor;
  telegram.group(FORUM, { title: 'Forum', forum: true });
  const topic = telegram.topic(FORUM, 'Plans');
  const inTopic = (pattern: RegExp) => telegram.said(FORUM, topic).filter(({ text }) => pattern.test(text));
  await survivor.boot();
  telegram.person(1, 'Anna').says({ chat: FORUM, topic }, '@hermod_test_bot in 3 seconds remind me to stretch');
  await survivor.until('the echo', () => inTopic(/^Job \w{4} .*once,/)[0]);
  await survivor.kill();
  await survivor.boot();
  const fault = telegram.fault('sendMessage', {
    kind: 'hang',
    times: 9,
    when: ({ text }) => REMINDER.test(String(text)),
  });
  await survivor.until('the reminder to be on its way', () => fault.hits > 0);
  await survivor.kill();
  fault.clear();
  await survivor.boot();
  await survivor.until('the reminder', () => inTopic(REMINDER)[0]);
  await survivor.kill();
  await survivor.boot();
  telegram.person(1, 'Anna').says({ chat: FORUM, topic }, '@hermod_test_bot say after all');
  await survivor.until('the last word', () => inTopic(/after all/)[0]);
  // A send cut off by a kill goes out again, and says that it may be a repeat.
  const copies = telegram.said(FORUM).filter(({ text }) => REMINDER.test(text));
  expect(inTopic(REMINDER)).toHaveLength(copies.length);
  expect(copies.length).toBeLessThanOrEqual(2);
  for (const copy of copies.slice(1)) expect(copy.text).toMatch(/may be a repeat/);
}, 60_000);
