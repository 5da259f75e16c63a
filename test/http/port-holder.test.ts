import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listeners, portHolder } from '../../src/http/port-holder.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2256 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
   1: 0100007F:2256 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 20 4 30 10 -1
   2: 0100007F:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
`;

describe('portHolder', () => {
  it('reads who listens, not who is connected', () => {
    expect(listeners(TABLE, 8790)).toEqual(['4711']);
    expect(listeners(TABLE, 22)).toEqual(['4713']);
    expect(listeners(TABLE, 80)).toEqual([]);
  });

  it('knows nobody where there is no such table', async () => {
    expect(await portHolder(8790, '/nowhere')).toBeUndefined();
  });

  it.skipIf(process.platform !== 'linux')('names this very process', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    expect(await portHolder(port)).toContain(`(pid ${process.pid})`);
  });
});
