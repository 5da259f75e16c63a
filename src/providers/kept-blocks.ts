import { z } from 'zod';

const meta = z.record(z.string(), z.record(z.string(), z.unknown())).optional();

const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reasoning'), text: z.string(), meta }),
  /** `length` UTF-16 units of the answer's text. */
  z.object({ type: z.literal('text'), length: z.number().int().nonnegative(), meta }),
  /** The next call of the answer. */
  z.object({ type: z.literal('call'), meta }),
]);

const blocksSchema = z.array(blockSchema);

/** One block of an answer in the order in which it came: reasoning as received, text and calls by their place. */
export type KeptBlock = z.output<typeof blockSchema>;

/** Kept data is read back from a row, so it is checked; what cannot be read is worth nothing. */
export function readKeep(keep: unknown): readonly KeptBlock[] {
  if (keep === undefined) return [];
  const parsed = blocksSchema.safeParse(keep);
  return parsed.success ? parsed.data : [];
}

/** Collects the blocks of one answer; worth keeping only when the provider attached something to a block. */
export class BlockOrder {
  readonly #blocks: KeptBlock[] = [];

  text(length: number): void {
    const last = this.#blocks.at(-1);
    if (last?.type === 'text') last.length += length;
    else this.#blocks.push({ type: 'text', length });
  }

  /** A new reasoning block; later pieces go to it by `reasoning`. */
  openReasoning(attached: KeptBlock['meta']): void {
    this.#blocks.push({ type: 'reasoning', text: '', ...(attached && { meta: attached }) });
  }

  reasoning(text: string, attached: KeptBlock['meta']): void {
    const last = this.#blocks.findLast((block) => block.type === 'reasoning');
    if (!last) return;
    last.text += text;
    if (attached) last.meta = { ...last.meta, ...attached };
  }

  call(attached: KeptBlock['meta']): void {
    this.#blocks.push({ type: 'call', ...(attached && { meta: attached }) });
  }

  /** Undefined when nothing has to be sent back. Reasoning without a mark of its provider is never sent back. */
  get kept(): readonly KeptBlock[] | undefined {
    const blocks = this.#blocks.filter((block) => block.type !== 'reasoning' || block.meta);
    return blocks.some((block) => block.meta) ? blocks : undefined;
  }
}
