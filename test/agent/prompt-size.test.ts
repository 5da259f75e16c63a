import { expect, it } from 'vitest';
import { z } from 'zod';
import { Prompt } from '../../src/agent/prompt.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import { createClarify } from '../../src/tools/clarify.ts';
import { createDelegate } from '../../src/tools/delegate.ts';
import { createExecuteCode } from '../../src/tools/execute-code.ts';
import { createListFiles } from '../../src/tools/list-files.ts';
import { createReadFile } from '../../src/tools/read-file.ts';
import { SeenFiles } from '../../src/tools/seen-files.ts';
import { createShell } from '../../src/tools/shell.ts';
import { createWriteFile } from '../../src/tools/write-file.ts';
import { processFixture } from '../tools/tool-fixture.ts';

it('leaves room for the conversation: prompt and schemas are under 2,500 estimated tokens', () => {
  const places = { workspace: '/w', roots: [], home: '/h' };
  const seen = new SeenFiles();
  const child = processFixture({});
  const tools = [
    createShell({
      ...child,
      shell: 'bash',
      workspace: '/w',
      folder: { of: () => '/w', follow: () => {} },
      timeoutS: () => 120,
    }),
    createReadFile({ places, seen }),
    createWriteFile({ places, seen }),
    createListFiles({ places }),
    createExecuteCode({
      ...child,
      node: 'node',
      python: 'python3',
      workspace: '/w',
      temporary: '/tmp',
      tools: ['read_file', 'shell'],
      call: async () => ({ text: '', isError: false }),
    }),
    createClarify({ ask: () => Promise.reject(new Error('not called')) }),
    createDelegate({ maxDepth: 1, maxChildren: 3, work: () => Promise.reject(new Error('not called')) }),
  ];
  const schemas = tools.map(({ name, description, input }) =>
    JSON.stringify({ name, description, schema: z.toJSONSchema(input) }),
  );
  const prompt = new Prompt({ home: '/h', workspace: '/w' }).stable('s' as SessionId, {
    platform: 'telegram',
    direct: true,
  });
  expect((prompt.length + schemas.join('').length) / 3.6).toBeLessThan(2500);
});
