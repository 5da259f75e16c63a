import type { RunContext } from '../contract/run.ts';
import type { Sessions } from '../store/sessions.ts';

/** The folder in which a run's commands start. A session's is kept; a worker's own lasts as long as the worker. */
export interface RunFolders {
  of(run: RunContext): string;
  follow(run: RunContext, path: string): void;
}

export function createRunFolders(sessions: Pick<Sessions, 'get' | 'setCwd'>, workspace: string): RunFolders {
  const workers = new WeakMap<RunContext, string>();
  return {
    of: (run) => workers.get(run) ?? sessions.get(run.session)?.cwd ?? workspace,
    follow(run, path) {
      if (run.depth > 0) workers.set(run, path);
      else sessions.setCwd(run.session, path);
    },
  };
}
