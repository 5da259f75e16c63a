import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { withFolderLock } from './folder-lock.mjs';
import { NPM_FLAGS, offline, quietly } from './quiet-command.mjs';
import { say, Trouble } from './trouble.mjs';

/** Older ones cannot read our lock file. */
const OLDEST_NPM = 8;

/**
 * Makes `node_modules` of `root` match the lock file and the chosen `node`. `kind` is `prod` or `all`; `all` satisfies `prod`.
 * Nothing changed: two files are read, npm is not called.
 */
export async function installPackages(root, node, kind) {
  const stamp = stampOf(root, node);
  const ready = () => satisfied(root, stamp, kind);
  if (ready()) return;
  await withFolderLock(join(root, '.hermod', 'install.lock'), waiting, async () => {
    if (ready()) return;
    say(kind === 'all' ? 'Installing packages and development tools.' : 'Installing packages.');
    await npmCi(root, node, kind);
    writeFileSync(stampFile(root), `${JSON.stringify(Object.assign({ kind }, stamp))}\n`);
  });
}

/** The environment in which the chosen Node is the one everybody finds first. */
export function nodeFirst(node) {
  return Object.assign({}, process.env, { PATH: dirname(node.path) + delimiter + (process.env.PATH || '') });
}

function waiting(pid) {
  say(`Another hermod launcher (pid ${pid}) is installing packages here; waiting for it.`);
}

/** Lives inside node_modules, which `npm ci` empties first: a broken install leaves no stamp. */
function stampFile(root) {
  return join(root, 'node_modules', '.hermod-stamp');
}

function stampOf(root, node) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return { lock, node: node.version.split('.')[0], os: process.platform, arch: process.arch };
}

function satisfied(root, stamp, kind) {
  if (!existsSync(stampFile(root))) return false;
  let found;
  try {
    found = JSON.parse(readFileSync(stampFile(root), 'utf8'));
  } catch (_) {
    return false;
  }
  const same = Object.keys(stamp).every((key) => found[key] === stamp[key]);
  return same && (found.kind === 'all' || found.kind === kind);
}

// Install scripts stay off: every native package we use ships its binaries, and none needs a compiler.
async function npmCi(root, node, kind) {
  const options = { cwd: root, env: nodeFirst(node) };
  const version = await quietly('npm', ['--version'], options);
  if (version.code !== 0)
    throw new Trouble('npm does not run here; install Node 24 with npm, then try again.', version.lines);
  const major = Number.parseInt(version.lines[version.lines.length - 1], 10);
  if (major < OLDEST_NPM)
    throw new Trouble(
      `npm ${major} is too old to install hermod; install Node 24, which brings a newer one, then try again.`,
    );
  const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'].concat(NPM_FLAGS);
  const { code, lines } = await quietly('npm', kind === 'prod' ? args.concat('--omit=dev') : args, options);
  if (code === 0) return;
  if (offline(lines)) {
    throw new Trouble(
      'hermod could not install its packages: the npm registry cannot be reached. Connect to the network and try again.',
    );
  }
  throw new Trouble(
    'npm could not install the packages (its last lines are above). Mend what they name, then run the same command again.',
    lines,
  );
}
