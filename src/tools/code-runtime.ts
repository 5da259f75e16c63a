/**
 * What runs before a script: it reads the capability and the names of the tools from descriptor 3, makes `tools`, and hands over.
 * Messages are JSON lines: `{token, tools}` in, then `{token, id, tool, input}` out and `{id, text}` or `{id, error}` in.
 */

/** Reads the script from `code.mjs` beside it. */
export const JS_MAIN = `import { Socket } from 'node:net';
const side = new Socket({ fd: 3 });
const waiting = new Map();
let rest = '';
let count = 0;
const hello = new Promise((resolve) => {
  side.setEncoding('utf8');
  side.on('data', (text) => {
    const lines = (rest + text).split('\\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.token) resolve(message);
      else settle(message);
    }
  });
});
function settle({ id, text, error }) {
  const call = waiting.get(id);
  waiting.delete(id);
  if (waiting.size === 0) side.unref();
  if (error === undefined) call?.resolve(text);
  else call?.reject(new Error(error));
}
const { token, tools: names } = await hello;
side.on('error', () => {});
side.unref();
const caller = (tool) => (input = {}) => new Promise((resolve, reject) => {
  const id = ++count;
  waiting.set(id, { resolve, reject });
  side.ref();
  side.write(JSON.stringify({ token, id, tool, input }) + '\\n');
});
globalThis.tools = Object.freeze(Object.fromEntries(names.map((name) => [name, caller(name)])));
await import('./code.mjs');
`;

/** Reads the script from `code.py` beside it. */
export const PYTHON_MAIN = `import json, os, resource, sys, threading
resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
_side = os.fdopen(3, 'r+b', buffering=0)
_lock = threading.Lock()
_rest = b''
def _line():
    global _rest
    while b'\\n' not in _rest:
        piece = _side.read(65536)
        if not piece:
            raise RuntimeError('hermod has closed the script')
        _rest += piece
    line, _rest = _rest.split(b'\\n', 1)
    return json.loads(line)
_hello = _line()
class _Tools:
    def __init__(self):
        self._count = 0
    def __getattr__(self, name):
        if name not in _hello['tools']:
            raise AttributeError('no tool ' + name + '; there are: ' + ', '.join(_hello['tools']))
        return lambda input=None, **more: self._call(name, {**(input or {}), **more})
    def _call(self, name, input):
        with _lock:
            self._count += 1
            message = {'token': _hello['token'], 'id': self._count, 'tool': name, 'input': input}
            data = (json.dumps(message) + '\\n').encode()
            while data:
                data = data[_side.write(data):]
            answer = _line()
        if 'error' in answer:
            raise RuntimeError(answer['error'])
        return answer['text']
_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'code.py')
with open(_path, encoding='utf-8') as _file:
    _code = compile(_file.read(), 'code.py', 'exec')
exec(_code, {'__name__': '__main__', 'tools': _Tools()})
`;
