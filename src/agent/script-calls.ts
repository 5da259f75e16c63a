import { withRun } from '../context/run-context.ts';
import { type CallId, newId } from '../contract/ids.ts';
import type { ToolResult, ToolUse } from '../contract/tool.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** A tool call made by a script, see src/tools/execute-code.ts. */
interface ScriptCall {
  readonly tool: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly asking: (waiting: boolean) => void;
}

/**
 * Serves a script's calls: each in the run of the call that started the script, whatever context its message arrived in, and
 * through the registry and the gate like any other. An ended run stays ended: opening it again gives it nothing.
 */
export function createScriptCalls(registry: ToolRegistry, tools: readonly string[]) {
  return async ({ run, progress }: ToolUse, { tool, input, signal, asking }: ScriptCall): Promise<ToolResult> => {
    const request = {
      call: newId<CallId>(),
      turn: null,
      tool,
      input,
      run,
      recorded: false,
      asking,
      progress,
      signal,
      only: tools,
    };
    const { state, text, untrusted } = await withRun(run, () => registry.call(request));
    return { text, isError: state !== 'done', ...(untrusted === undefined ? {} : { untrusted }) };
  };
}
