import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { gradePaths } from '../../src/approvals/path-rules.ts';
import { FACTS } from './facts.ts';

const write = (path: string) => gradePaths([{ path, use: 'write' }], FACTS).map(({ rule }) => rule);
const read = (path: string) => gradePaths([{ path, use: 'read' }], FACTS).map(({ rule }) => rule);

describe("paths of tools meet the rules of the shell's commands", () => {
  it('writing system, start-up and credential files, devices and hermod itself', () => {
    for (const path of [
      '/etc/hosts',
      '~/.bashrc',
      '/home/user/.ssh/config',
      '.env',
      'app/.env.local',
      '.git/hooks/pre-push',
      'config.yaml',
      '~/.local/bin/sudo',
      '.venv/lib/python3.12/site-packages/a.pth',
    ]) {
      expect([path, write(path)]).toEqual([path, ['fs.protected']]);
    }
    expect(write('/dev/sda')).toEqual(['disk.write']);
    expect(write('../config.yaml')).toEqual(['self.files', 'fs.protected']);
    expect(write('~/.hermod/hermod.db')).toEqual(['self.files']);
  });

  it('reading keys, credentials and what hermod keeps to itself', () => {
    expect(read('~/.ssh/id_ed25519')).toEqual(['secret.read']);
    expect(read('/etc/shadow')).toEqual(['secret.read']);
    expect(read('~/.hermod/.env')).toEqual(['self.files']);
    expect(read('/dev/sda1')).toEqual(['disk.image']);
  });

  it('nothing else', () => {
    for (const path of [
      'a.txt',
      'src/x.ts',
      '.env.example',
      '/tmp/x',
      'config.yaml.bak',
      '~/.local/share/a',
      'bin/sudo',
      'model.pth',
    ])
      expect([path, write(path)]).toEqual([path, []]);
    for (const path of ['/etc/hosts', '.env', '~/.ssh/id_rsa.pub', '~/.hermes/config.yaml', '~/.bashrc'])
      expect([path, read(path)]).toEqual([path, []]);
  });

  it('a file read by a tool is judged as by cat, and written as by tee', () => {
    const rulesOf = (command: string) => [...new Set(analyze(command, FACTS).findings.map(({ rule }) => rule))].sort();
    const paths = [
      ...['../config.yaml', '../.env', '../run/daemon.json', '../hermod.db', '../memory/a.md', '../hermod.lock'],
      ...['../config.yaml.bak-1', '../skills/a.md', '../logs/hermod.jsonl', '../AGENTS.md', 'config.yaml', 'a.txt'],
      ...['~/.ssh/id_rsa', '~/.ssh/config', '~/.aws/credentials', '~/.aws/config', '/etc/shadow', '/etc/hosts', '.env'],
      ...['/opt/hermod/src/main.ts', '/proc/1234/environ', '/proc/1234/mem', '/proc/self/status', '~/.bashrc', 'x.pem'],
    ];
    for (const path of paths) {
      const shell = rulesOf(`cat ${path}`).filter((rule) => rule !== 'self.secrets');
      expect([path, [...read(path)].sort()]).toEqual([path, shell]);
      const written = rulesOf(`tee ${path}`).filter((rule) => rule !== 'self.secrets');
      expect([path, [...write(path)].sort()]).toEqual([path, written]);
    }
  });

  it('names fold where the file system folds them', () => {
    const home = '/Users/Ann';
    const mac = {
      ...{ ...FACTS, os: 'darwin' as const, home, hermodHome: `${home}/.hermod`, installation: '/opt/Hermod' },
      ...{ cwd: `${home}/.hermod/workspace`, roots: [`${home}/.hermod/workspace`] },
    };
    const found = (path: string, use: 'read' | 'write') => gradePaths([{ path, use }], mac).map(({ rule }) => rule);
    expect(found('../.ENV', 'read')).toEqual(['self.files']);
    expect(found('/users/ann/.Hermod/Config.yaml', 'read')).toEqual(['self.files']);
    expect(found('~/.SSH/ID_RSA', 'read')).toEqual(['secret.read']);
    expect(found('~/.BASHRC', 'write')).toEqual(['fs.protected']);
    expect(found('/OPT/hermod/src/main.ts', 'write')).toEqual(['self.files']);
    expect(found('../Workspace/a', 'write')).toEqual([]);
    expect(read('../.ENV')).toEqual([]);
  });

  it('strictest first, each with its span and sentence', () => {
    const found = gradePaths(
      [
        { path: '.env', use: 'write' },
        { path: '/dev/sda', use: 'write' },
      ],
      FACTS,
    );
    expect(found.map(({ grade }) => grade)).toEqual(['hardline', 'dangerous']);
    expect(found[1]).toMatchObject({ span: [0, 4], why: 'changes the environment file .env' });
    expect(gradePaths([{ path: '../.env', use: 'read' }], FACTS)[0]).toMatchObject({ personOnly: true });
  });
});
