import { parentPort } from 'node:worker_threads';
import { analyze, scanCode } from './analyze.ts';
import type { DeepJob } from './deep-analyzer.ts';

/** The thread side of deep-analyzer.ts: says when it is ready, then answers each job with its analysis. */
const port = parentPort;
port?.on('message', ({ text, language, facts }: DeepJob) => {
  port.postMessage(language === undefined ? analyze(text, facts) : scanCode(language, text, facts));
});
port?.postMessage('ready');
