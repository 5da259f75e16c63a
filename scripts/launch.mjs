// Starts hermod, its tests and its tools from a checkout: finds a Node that can run it, installs what is missing, runs
// the command. Everything here parses on Node 14 and needs no package, since it runs before there are any.

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endLike, keepRunning, runHere } from './launch/child.mjs';
import { FLAGS, nodeEnv } from './launch/node-options.mjs';
import { chooseNode } from './launch/node-runtime.mjs';
import { installPackages, nodeFirst } from './launch/packages.mjs';
import { listen } from './launch/signals.mjs';
import { say, Trouble } from './launch/trouble.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'src', 'main.ts');

/** `kind`: which packages it needs; `argv`: what Node is given; `daemon`: has a channel and restarts; `tool`: Node first in PATH. */
const COMMANDS = {
  start: (args) => ({ kind: 'prod', daemon: true, argv: [main, 'start', '--launched'].concat(args) }),
  hermod: (args) => (args[0] === 'start' ? COMMANDS.start(args.slice(1)) : { kind: 'prod', argv: [main].concat(args) }),
  test: (args) => ({ kind: 'all', tool: true, argv: [join(root, 'scripts', 'test.ts')].concat(args) }),
  bench: (args) => ({ kind: 'all', tool: true, argv: [benchmark(args[0])].concat(args.slice(1)) }),
};

function benchmark(name) {
  const folder = join(root, 'scripts', 'bench');
  const file = join(folder, `${basename(name || '')}.ts`);
  if (existsSync(file)) return file;
  const names = readdirSync(folder).filter((each) => each.endsWith('.ts'));
  throw new Trouble(`Name a benchmark: ${names.map((each) => basename(each, '.ts')).join(', ')}.`);
}

async function launch(name, args) {
  const build = COMMANDS[name];
  if (!build) throw new Trouble(`launch.mjs knows ${Object.keys(COMMANDS).join(', ')}; "${name}" is none of them.`);
  const command = build(args);
  const node = await chooseNode();
  const prepare = () => installPackages(root, node, command.kind);
  await prepare();
  const argv = FLAGS.concat(command.argv);
  const env = nodeEnv(process.env);
  if (command.daemon) return keepRunning(node.path, argv, { cwd: root, env }, prepare);
  if (command.tool) return runHere(node.path, argv, { cwd: root, env: nodeFirst(node) });
  // npm changes into the checkout; a file named on the command line means what it means where the person stands.
  return runHere(node.path, argv, { cwd: process.env.INIT_CWD || process.cwd(), env });
}

listen();
launch(process.argv[2] || '', process.argv.slice(3)).then(endLike, (error) => {
  if (!(error instanceof Trouble)) throw error;
  for (const line of error.lines) say(line);
  say(error.message);
  process.exit(1);
});
