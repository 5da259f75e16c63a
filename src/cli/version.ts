import type { Host } from '../host.ts';
import { VERSION } from '../version.ts';

export async function version(host: Host): Promise<number> {
  host.out.write(`hermod ${VERSION}\n`);
  return 0;
}
