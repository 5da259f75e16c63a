/**
 * A tool's input as a person reads it: a line a field, longer text below its name and indented, so that no text can look like
 * another field.
 */
export function inputText(tool: string, input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return `${tool} ${JSON.stringify(input)}`;
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  return [tool, ...fields.map(([name, value]) => field(name, value))].join('\n');
}

function field(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\n') ? `${name}:\n${text.replace(/^/gm, '  ')}` : `${name}: ${text}`;
}
