import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Passage } from '../../src/approvals/gate-deps.ts';
import { currentRun, keepRun, outsideRun, withRun } from '../../src/context/run-context.ts';
import { systemClock } from '../../src/context/system-clock.ts';
import type { ChatRun, RunContext } from '../../src/contract/run.ts';
import { ApprovalWorld, BOB } from '../fakes/approval-world.ts';
import { settle } from '../fakes/fake-clock.ts';
import { chatRun, cronRun, unattendedRun } from '../fakes/runs.ts';

/**
 * What Node carries along where nobody asked it to. Each trap is set in a chat whose yolo is on, so a call that is judged as
 * that chat would simply run; each expectation fails when the guard it names is taken away.
 */
let world: ApprovalWorld;
let yolo: ChatRun;

beforeEach(() => {
  world = new ApprovalWorld();
  yolo = world.turn().run;
  world.store.sessions.setYolo(yolo.session, world.clock.now() + 3_600_000);
});

const rule = (passage: Passage) => (passage.kind === 'refused' ? passage.rule : passage.kind);
/** A dangerous call as code would make it that believes to be in `run`. */
const call = (run: RunContext | undefined, command = 'rm -rf build') => world.call(run, command).then(rule);
/** As a callback without a run of its own would do it. */
const callHere = () => call(currentRun());

function later(): { promise: Promise<string>; fire: () => Promise<void> } {
  let done: (value: string) => void = () => {};
  const promise = new Promise<string>((resolve) => {
    done = resolve;
  });
  return { promise, fire: async () => done(await callHere()) };
}

it('the chat itself would run it', async () => {
  expect(await withRun(yolo, callHere)).toBe('pass');
});

describe('what fires after its turn is refused: the run has ended', () => {
  const armings: readonly [string, (fn: () => void) => void][] = [
    ['a timer', (fn) => void setTimeout(fn, 1)],
    [
      'an interval',
      (fn) => {
        const timer = setInterval(() => {
          clearInterval(timer);
          fn();
        }, 1);
      },
    ],
    ['an immediate', (fn) => void setImmediate(fn)],
    ['a continued promise', (fn) => void settle(3).then(fn)],
    ['a microtask of a timer', (fn) => void setTimeout(() => queueMicrotask(fn), 1)],
    ['a callback that was kept on purpose', (fn) => outsideRun(() => void setImmediate(keptBy(fn)))],
  ];
  // Binding happens inside the run; the rest of that line is outside.
  let keptBy = (fn: () => void) => fn;

  it.each(armings)('%s', async (_, arm) => {
    const { promise, fire } = later();
    await withRun(yolo, async () => {
      const bound = keepRun(() => void fire());
      keptBy = () => bound;
      arm(() => void fire());
    });
    expect(await promise).toBe('run_ended');
  });

  it('a snapshot that somebody kept', async () => {
    const snapshot = await withRun(yolo, () => AsyncLocalStorage.snapshot());
    expect(await snapshot(callHere)).toBe('run_ended');
  });
});

describe('clocks and tickers carry no run on', () => {
  const fired = (arm: (fn: () => void) => void) =>
    new Promise<RunContext | undefined>((resolve) => arm(() => resolve(currentRun())));

  it('a timer of ours armed in a job fires in no run', async () => {
    expect(await withRun(cronRun(), () => fired((fn) => systemClock.after(0, fn)))).toBeUndefined();
  });

  it('a ticker that arms itself again from inside a job: the webhook after it is unattended', async () => {
    const beats: (RunContext | undefined)[] = [];
    const ticked = new Promise<string>((resolve) => {
      const beat = () => {
        beats.push(currentRun());
        if (beats.length === 3) return void withRun(unattendedRun(), callHere).then(resolve);
        void withRun(cronRun({ mode: 'approve' }), () => void systemClock.after(0, beat));
      };
      void withRun(yolo, () => void systemClock.after(0, beat));
    });
    expect(await ticked).toBe('fs.delete');
    expect(beats).toEqual([undefined, undefined, undefined]);
    expect(world.events('decided').at(-1)?.body['label']).toBe('block:unattended');
  });
});

describe('listeners run as whoever emits', () => {
  const other = () => cronRun();

  it('an emitter, an event target and a stream: work for A that is done in B is refused', async () => {
    const emitter = new EventEmitter();
    const target = new EventTarget();
    const stream = new PassThrough();
    await withRun(yolo, async () => {
      const said: Promise<string>[] = [];
      const listen = () => void said.push(call(yolo));
      emitter.on('x', listen);
      target.addEventListener('x', listen);
      stream.on('data', listen);
      await withRun(other(), async () => {
        emitter.emit('x');
        target.dispatchEvent(new Event('x'));
        stream.write('x');
        await settle();
      });
      expect(await Promise.all(said)).toEqual(['context_mismatch', 'context_mismatch', 'context_mismatch']);
    });
  });

  it('the listener without a run of its own has the authority of B, never that of A', async () => {
    const emitter = new EventEmitter();
    const said: Promise<string>[] = [];
    await withRun(yolo, () => void emitter.on('x', () => void said.push(callHere())));
    await withRun(other(), async () => {
      emitter.emit('x');
      await Promise.all(said);
    });
    expect(await Promise.all(said)).toEqual(['fs.delete']);
    expect(world.events('decided').at(-1)?.body['authority']).toBe('cron');
  });

  it('a listener that opens its own run has that one, whoever emits', async () => {
    const emitter = new EventEmitter();
    const said: Promise<string>[] = [];
    const job = cronRun({ mode: 'approve' });
    emitter.on('x', () => void said.push(withRun(job, callHere)));
    await withRun(unattendedRun(), () => void emitter.emit('x'));
    expect(await Promise.all(said)).toEqual(['pass']);
  });

  it('an abort: the rows and the log carry the run that asked, not the one that stopped it', async () => {
    const stop = new AbortController();
    const { passage, run } = world.asks('rm -rf build', { actor: BOB, chat: 'c2', signal: stop.signal });
    await world.deliver();
    await withRun(cronRun({ mode: 'approve' }), async () => stop.abort('stop'));
    expect(rule(await passage)).toBe('fs.delete');
    expect(world.events('cancelled')[0]?.body).toMatchObject({ run: run.runId, session: run.session, kind: 'chat' });
  });
});

describe('queues', () => {
  it('that drain in one loop run everything as the first: each entry opens its own run, or is refused', async () => {
    const runs: RunContext[] = [yolo, cronRun(), unattendedRun()];
    const drain = async (wrap: (run: RunContext) => Promise<string>) => {
      const queue: (() => Promise<string>)[] = [];
      let draining: Promise<string[]> | undefined;
      const empty = async () => {
        const out: string[] = [];
        for (let next = queue.shift(); next; next = queue.shift()) out.push(await next());
        return out;
      };
      const all = runs.map((run) =>
        withRun(run, async () => {
          queue.push(() => wrap(run));
          draining ??= settle().then(empty);
          await draining;
        }),
      );
      await Promise.all(all);
      return draining;
    };
    expect(await drain(call)).toEqual(['pass', 'context_mismatch', 'context_mismatch']);
    const before = world.events('decided').length;
    const own = [chatRun({ session: yolo.session }), cronRun(), unattendedRun()];
    runs.splice(0, 3, ...own);
    expect(await drain((run) => withRun(run, callHere))).toEqual(['pass', 'fs.delete', 'fs.delete']);
    const labels = world
      .events('decided')
      .slice(before)
      .map(({ body }) => body['label']);
    expect(labels).toEqual(['allow:yolo', 'block:cron', 'block:unattended']);
  });

  it('a generator runs as whoever reads it: a call takes the run of its turn, and another one is refused', async () => {
    async function* stream() {
      yield await callHere();
      yield await call(yolo);
    }
    const made = await withRun(yolo, () => stream());
    await withRun(cronRun(), async () => {
      const read = [(await made.next()).value, (await made.next()).value];
      expect(read).toEqual(['fs.delete', 'context_mismatch']);
    });
  });

  it('a memoised start belongs to nobody: first used in a job, then in a chat', async () => {
    const seen: (RunContext | undefined)[] = [];
    let started: Promise<() => Promise<string>> | undefined;
    const lazy = () =>
      (started ??= outsideRun(async () => {
        seen.push(currentRun());
        await settle();
        seen.push(currentRun());
        return () => callHere();
      }));
    await withRun(cronRun({ mode: 'approve' }), async () => expect(await (await lazy())()).toBe('pass'));
    await withRun(unattendedRun(), async () => expect(await (await lazy())()).toBe('fs.delete'));
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('servers, sockets and threads', () => {
  const serve = (open: <T>(fn: () => T) => T) =>
    open(() => {
      const server = createServer((_, response) => void callHere().then((said) => response.end(said)));
      return new Promise<Server>((resolve) => void server.listen(0, '127.0.0.1', () => resolve(server)));
    });
  const get = async (server: Server) => {
    const { port } = server.address() as AddressInfo;
    return (await fetch(`http://127.0.0.1:${port}/`)).text();
  };

  it('a server that listens since a job began does not answer as that job', async () => {
    const job = cronRun({ mode: 'approve' });
    const servers = await withRun(job, async () => {
      const made = [await serve(outsideRun), await serve((fn) => fn())];
      expect(await Promise.all(made.map((server) => outsideRun(() => get(server))))).toEqual([
        'fs.delete',
        expect.any(String),
      ]);
      return made;
    });
    const after = await Promise.all(servers.map((server) => outsideRun(() => get(server))));
    expect(after[0]).toBe('fs.delete');
    expect(['fs.delete', 'run_ended']).toContain(after[1]);
    expect(world.events('decided').map(({ body }) => body['label'])).toContain('block:no-human');
    for (const server of servers) server.close();
    for (const server of servers) server.closeAllConnections();
  });

  it('a message that reaches such a server is judged by the run that is opened for it', async () => {
    const server = await withRun(cronRun({ mode: 'approve' }), () =>
      outsideRun(async () => {
        const made = createServer((_, response) => {
          const { passage } = world.asks('rm -rf build', { actor: BOB, chat: 'c2' });
          void passage.then((said) => response.end(rule(said)));
        });
        made.listen(0, '127.0.0.1');
        await once(made, 'listening');
        return made;
      }),
    );
    const answer = outsideRun(() => get(server));
    await world.until(() => world.pending.length === 1);
    await world.deliver();
    world.press(world.pending[0]!, 'Once', BOB, { address: { platform: 'telegram', bot: 'b1', chat: 'c2' } });
    expect(await answer).toBe('pass');
    expect(world.events('decided')[0]?.body['label']).toBe('ask:chat');
    server.close();
    server.closeAllConnections();
  });

  it('a worker thread has no run, and its messages bring none that could call', async () => {
    const code = `require('node:worker_threads').parentPort.once('message', (m) => require('node:worker_threads').parentPort.postMessage(m))`;
    const said: Promise<string>[] = [];
    const worker = await withRun(yolo, () => {
      const made = new Worker(code, { eval: true, env: {} });
      made.on('message', () => void said.push(callHere()));
      return made;
    });
    const back = once(worker, 'message');
    await withRun(cronRun({ mode: 'approve' }), () => void worker.postMessage('x'));
    await back;
    await settle();
    expect(['fs.delete', 'run_ended']).toContain(await said[0]);
    await worker.terminate();
  });
});

describe('whoever presses', () => {
  it('lends nothing: what was approved goes on as the requester, whatever run the press came in', async () => {
    const seen: (RunContext | undefined)[] = [];
    const made = world.turn({ actor: BOB, chat: 'c2' });
    const asked = withRun(made.run, async () => {
      const passage = await world.call(made.run, 'rm -rf build', { call: made.calls[0]!, turn: made.turn });
      seen.push(currentRun());
      return passage;
    });
    await world.deliver();
    const at = { address: { platform: 'telegram', bot: 'b1', chat: 'c2' } };
    await withRun(yolo, async () => expect(world.press(world.pending[0]!, 'Once', BOB, at)).toBe('Allowed once.'));
    expect((await asked).kind).toBe('pass');
    expect(seen).toEqual([made.run]);
    expect(world.events('begun')[0]?.body).toMatchObject({ run: made.run.runId });
  });

  it('is not the run of the turn that is brought back', async () => {
    const stop = new AbortController();
    const { passage } = world.asks('rm -rf build', { chat: 'c2', actor: BOB, signal: stop.signal });
    await world.deliver();
    stop.abort('shutdown');
    await passage;
    const seen: (RunContext | undefined)[] = [];
    world.broker.onParkedSettled = () => void seen.push(currentRun());
    const at = { address: { platform: 'telegram', bot: 'b1', chat: 'c2' } };
    await withRun(yolo, async () => void world.press(world.pending[0]!, 'Once', BOB, at));
    await settle();
    expect(seen).toEqual([undefined]);
  });
});

describe('two hundred parallel calls', () => {
  it('keep their runs', async () => {
    const runs = Array.from({ length: 200 }, (_, i) =>
      i % 2 ? cronRun({ mode: 'approve' }) : unattendedRun({ session: `s${i}` }),
    );
    const said = await Promise.all(runs.map((run, i) => withRun(run, async () => settle(i % 7).then(() => call(run)))));
    expect(said).toEqual(runs.map((run) => (run.kind === 'cron' ? 'pass' : 'fs.delete')));
  });
});
