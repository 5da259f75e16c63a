const BLOCK_PARTS = ['title', 'text', 'blocks', 'items', 'rows', 'cells', 'caption', 'credit'] as const;

/** A received rich message as plain lines: blocks below each other, the faces of the text dropped. */
export function flattenRich(rich: object): string {
  return blocks(rich)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function blocks(node: unknown): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map(blocks).filter(Boolean).join('\n');
  if (typeof node !== 'object' || node === null) return '';
  return BLOCK_PARTS.flatMap((part) => {
    const inner = (node as Record<string, unknown>)[part];
    return inner === undefined ? [] : [part === 'text' || part === 'title' ? inline(inner) : blocks(inner)];
  })
    .filter(Boolean)
    .join('\n');
}

function inline(node: unknown): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map(inline).join('');
  if (typeof node !== 'object' || node === null) return '';
  const { text, alternative_text, expression } = node as Record<string, unknown>;
  return inline(text ?? alternative_text ?? expression ?? '');
}
