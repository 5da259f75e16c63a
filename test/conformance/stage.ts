import type { Address, OutboundMessage, SentMessage } from '../../src/contract/message.ts';
import type { PlatformAdapter } from '../../src/contract/platform.ts';
import type { ConformanceHarness } from './harness.ts';
import { Witness } from './witness.ts';

/** One adapter in front of one witness. */
export class Stage {
  readonly harness: ConformanceHarness;
  readonly witness: Witness;
  readonly adapter: PlatformAdapter;
  readonly #abort = new AbortController();
  #rows = 0;

  constructor(harness: ConformanceHarness, witness = new Witness()) {
    this.harness = harness;
    this.witness = witness;
    this.adapter = harness.build(witness.log);
  }

  start(): Promise<void> {
    return this.adapter.start(this.witness, this.#abort.signal);
  }

  send(to: Address, part: OutboundMessage, key = 'row'): Promise<SentMessage> {
    return this.adapter.send(to, part, { key, signal: this.#abort.signal });
  }

  /** Without a key it is a row of its own: a platform may refuse a second message under one key. */
  async say(to: Address, message: OutboundMessage, key = `row-${++this.#rows}`): Promise<readonly SentMessage[]> {
    const sent: SentMessage[] = [];
    for (const [i, part] of this.adapter.parts(message).entries()) sent.push(await this.send(to, part, `${key}.${i}`));
    return sent;
  }
}

/** Runs `act` on a fresh fake and closes everything behind it. */
export async function onStage(
  open: () => Promise<ConformanceHarness>,
  act: (stage: Stage, harness: ConformanceHarness) => Promise<void>,
): Promise<void> {
  const harness = await open();
  const stage = new Stage(harness);
  try {
    await act(stage, harness);
  } finally {
    await stage.adapter.stop();
    await harness.close();
  }
}
