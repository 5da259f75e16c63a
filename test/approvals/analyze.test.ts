import { describe, expect, it } from 'vitest';
import type { Analysis, Facts } from '../../src/approvals/analysis.ts';
import { analyze, scanCode } from '../../src/approvals/analyze.ts';
import { FACTS } from './facts.ts';

const judge = (command: string, facts: Partial<Facts> = {}): Analysis => analyze(command, { ...FACTS, ...facts });
const rules = (command: string, facts: Partial<Facts> = {}) => judge(command, facts).findings.map(({ rule }) => rule);
const marked = (command: string) => judge(command).findings.map(({ span }) => command.slice(span[0], span[1]));

describe('what cannot be read', () => {
  it('is asked of a person only, never safe', () => {
    for (const text of ['echo "', 'if true; then', '$(', 'for x', "bash -c 'echo \"'", 'echo $(if)', 'cat <(']) {
      const analysis = judge(text);
      expect([text, analysis.readable, analysis.grade]).toEqual([text, false, 'dangerous']);
      expect(analysis.findings[0]).toMatchObject({ rule: 'shell.unreadable', personOnly: true, smart: false });
      expect(analysis.grantBar).not.toBeNull();
    }
  });

  it('is a text past a limit', () => {
    expect(judge(`echo ${'x'.repeat(65_536)}`).readable).toBe(false);
    expect(judge('a;'.repeat(2_001)).readable).toBe(false);
    expect(judge(`echo ${'a '.repeat(10_000)}`).readable).toBe(false);
    expect(judge(`${'('.repeat(41)}ls${')'.repeat(41)}`).readable).toBe(false);
    expect(judge(`${'sudo '.repeat(41)}ls`).readable).toBe(false);
    expect(judge(`echo '${'a = 1;'.repeat(500)}' > m.py;${'python3 m.py;'.repeat(30)}`).readable).toBe(false);
  });

  it('does not begin before the limit', () => {
    expect(judge(`echo ${'x'.repeat(60_000)}`).grade).toBe('safe');
    expect(judge('ls;'.repeat(1_999)).grade).toBe('safe');
    expect(judge(`echo ${'a '.repeat(9_990)}`).grade).toBe('safe');
    expect(judge(`${'('.repeat(12)}ls${')'.repeat(12)}`).grade).toBe('safe');
    expect(judge(`echo '${'a = 1;'.repeat(500)}' > m.py;${'python3 m.py;'.repeat(20)}`).grade).toBe('safe');
    expect(judge(`python3 -c '${'a = 1;'.repeat(10_000)}'`).grade).toBe('safe');
  });

  it('is what stands behind more choices, names or folders than are looked at', () => {
    const many = (count: number, one: (i: number) => string, by: string) =>
      Array.from({ length: count }, (_, i) => one(i)).join(by);
    const written = 'echo "import os; os.remove(\'/srv/x\')" > m.py; ';
    for (const text of [
      `pkill -f '(${many(33, (i) => `x${i}z`, '|')}|her[lm]od)'`,
      `${written}python3 -c '#${'#'.repeat(20_000)}\nimport m'`,
      `${written}python3 -c 'import ${many(400, (i) => `a${i}`, ',')},m'`,
      `echo 'rm -rf src' > d/zz; PATH=${many(70, (i) => `/p${i}`, ':')}:d zz`,
    ])
      expect([text, judge(text).grade]).toEqual([text, 'dangerous']);
  });

  it('keeps what was found beside it', () => {
    expect(judge("rm -rf /; sh -c 'if'")).toMatchObject({ grade: 'hardline', readable: false });
  });
});

describe('hidden characters', () => {
  it('are asked about, and the text is also judged as it looks', () => {
    expect(rules('echo hi\u200b')).toEqual(['shell.hidden-text']);
    expect(judge('r\u200bm -rf /').grade).toBe('hardline');
    expect(judge('r\u0000m -rf /').grade).toBe('hardline');
    expect(judge('\u001b[31mrm\u001b[0m -rf /').grade).toBe('hardline');
    expect(judge('echo \u202eabc').findings[0]).toMatchObject({ span: [5, 6] });
  });

  it('are looked through to the end: what looks like a folder or a value is taken on', () => {
    for (const text of [
      'ls\nx=/e\u200btc\necho a\nrm -rf $x\nls',
      'ls\ncd /u\u00adsr\nls\nrm -rf *',
      'f\u200b() { rm -rf /; }\nls\nf',
      'if true; t\u200bhen ls; fi; rm -rf /',
      'echo rm -rf / > a\u200b.sh\nls\nsh a.sh',
      'cat <<E | sh\nrm -rf /e\u200btc\nE\nls',
      'cat <<E | sh; ls\nrm -rf /e\u200btc\nE\nls',
      'exec 3> a\u200b.sh\necho rm -rf / >&3\nsh a.sh',
      "ls\nt\u200brap 'rm -rf $d' EXIT\nls\nd=/",
      'alias l\u200b="rm -rf /"\nls\nl',
    ])
      expect([text, judge(text).grade]).toEqual([text, 'hardline']);
  });

  it('count once where both readings are the same', () => {
    const names = judge('ls\nrm -rf a\ne\u200bcho\nreboot').commands.map(({ program }) => program);
    expect(names).toEqual(['ls', 'rm', 'e\u200bcho', 'reboot', 'echo']);
  });

  it('are none in emoji, accents, other scripts, tabs and newlines', () => {
    for (const text of ['echo 👩‍💻 ❤️ 🏳️‍🌈', 'echo naïve Привет 日本語', 'echo a\tb\nls'])
      expect([text, judge(text).grade]).toEqual([text, 'safe']);
  });

  it('stand for nothing when they are our own marks', () => {
    expect(judge('rm a\uE000b \uE001').grade).not.toBe('hardline');
    expect(judge('echo \uE000').grade).toBe('safe');
  });
});

describe('where findings point', () => {
  it('at the word that decided', () => {
    expect(marked('ls && rm -rf /etc tmp')).toContain('/etc');
    expect(marked("bash -c 'cd x; rm -rf /usr'")).toContain('/usr');
    expect(marked('echo "a $(reboot) b"')).toEqual(['reboot']);
    expect(marked('cat x > /dev/sda')).toContain('/dev/sda');
    expect(marked('python3 -c "import os; os.remove(\'a\')"')).toEqual(["os.remove('a')"]);
  });

  it('strictest first', () => {
    expect(judge('rm -rf x; reboot; rm -rf y').findings.map(({ grade }) => grade)).toEqual([
      'hardline',
      'dangerous',
      'dangerous',
    ]);
  });

  it('never outside the text', () => {
    for (const text of [
      'eval "$(echo rm -rf x)"',
      'f() { rm -rf "$1"; }; f a',
      'alias a="rm -rf"; a b',
      'cat <<E | sh\nrm -rf x\nE',
      '`echo \\`rm -rf x\\``',
    ]) {
      for (const { span } of judge(text).findings) {
        expect(span[0]).toBeGreaterThanOrEqual(0);
        expect(span[1]).toBeLessThanOrEqual(text.length);
        expect(span[1]).toBeGreaterThanOrEqual(span[0]);
      }
    }
  });
});

describe('the commands a text runs', () => {
  const commands = (text: string) =>
    judge(text).commands.map(({ argv, wrappers, cwd }) => ({
      argv,
      wrappers: wrappers.map((one) => one.identity ?? one.program),
      cwd,
    }));

  it('are the inner ones, with what wraps them and who they run as', () => {
    expect(commands('sudo -u bob nice -n 5 timeout 3 rm -rf build')).toEqual([
      { argv: ['rm', '-rf', 'build'], wrappers: ['sudo:bob', 'nice', 'timeout'], cwd: FACTS.cwd },
    ]);
    expect(commands('doas ls')[0]?.wrappers).toEqual(['doas:root']);
    expect(commands("su -c 'ls' bob")[0]?.wrappers).toEqual(['su:bob']);
    expect(commands('chroot /mnt ls')[0]?.wrappers).toEqual(['chroot:/mnt']);
    expect(commands("sh -c 'ls; pwd'").map(({ argv }) => argv)).toEqual([['ls'], ['pwd']]);
  });

  it('follow the folder', () => {
    expect(commands('cd src && ls; (cd /tmp; ls); ls').map(({ cwd }) => cwd)).toEqual([
      FACTS.cwd,
      `${FACTS.cwd}/src`,
      `${FACTS.cwd}/src`,
      '/tmp',
      `${FACTS.cwd}/src`,
    ]);
    expect(commands('cd "$X"; ls').at(-1)?.cwd).toBeNull();
    expect(commands('pushd /a; popd; ls').at(-1)?.cwd).toBe(FACTS.cwd);
    expect(commands('cd ~/x/../y; ls').at(-1)?.cwd).toBe('/home/user/y');
    expect(commands('env -C /srv ls')[0]?.cwd).toBe('/srv');
  });

  it('have null for a word only running would tell', () => {
    expect(commands('rm "$X" *.log a')[0]?.argv).toEqual(['rm', null, null, 'a']);
    expect(commands('X=a; rm $X').at(-1)?.argv).toEqual(['rm', 'a']);
  });

  it('have their assignments', () => {
    expect(judge('A=1 B=$X env C=3 make').commands[0]?.assignments).toEqual([
      ['A', '1'],
      ['B', null],
      ['C', '3'],
    ]);
  });
});

describe('what bars a standing grant', () => {
  const bar = (text: string) => judge(text).grantBar;

  it('is nothing for one literal simple command, neutral wrappers included', () => {
    for (const text of [
      'rm -rf build',
      'nice rm -rf build',
      'sudo -u bob rm -rf build',
      'timeout 5 rm -rf build',
      'env A=1 rm -rf build',
      'rm -rf build > /dev/null 2>&1',
      "rm -rf 'a b'",
      'rm -rf ~/x',
      'git push -f origin main',
    ]) {
      expect([text, bar(text)]).toEqual([text, null]);
    }
  });

  it('is everything else', () => {
    const barred = [
      'rm -rf a; ls',
      'rm -rf a && ls',
      'rm -rf a | cat',
      'rm -rf $(pwd)/a',
      'rm -rf "$X"',
      'rm -rf *',
      'rm -rf a > log',
      'rm -rf a < list',
      'rm -rf a &',
      "sh -c 'rm -rf a'",
      'eval rm -rf a',
      'echo a | xargs rm -rf',
      'find . -exec rm -rf {} +',
      'ssh h rm -rf a',
      'docker exec c rm -rf a',
      'python3 -c \'import os; os.remove("a")\'',
      'sudo --what rm -rf a',
      'PATH=/x rm -rf a',
      'LD_PRELOAD=x rm -rf a',
      'GIT_DIR=x git push -f',
      'f() { rm -rf a; }',
      'if true; then rm -rf a; fi',
      '(rm -rf a; ls)',
      'rm -rf {a,b}',
      "$'rm' -rf a",
      'trap "rm -rf a" EXIT',
      'rm -rf a\u200b',
      'cat <<E | sh\nrm -rf a\nE',
    ];
    for (const text of barred) expect([text, bar(text)]).toEqual([text, expect.any(String)]);
  });
});

describe('sudo and passwords', () => {
  it('sees a password read from stdin in every spelling', () => {
    for (const text of [
      'sudo -S id',
      'sudo -kS id',
      'sudo --stdin id',
      'sudo --stdi id',
      'sudo -u root -S id',
      'x=1 sudo -n -S id',
      "sh -c 'sudo -S id'",
    ])
      expect([text, judge(text).sudoStdin]).toEqual([text, true]);
    for (const text of ['sudo id -S', 'sudo -s', 'sudo --set-home id', 'sort -S 1M x', 'echo sudo -S'])
      expect([text, judge(text).sudoStdin]).toEqual([text, false]);
  });
});

describe('facts of the place', () => {
  it('lets the session signal the processes it started', () => {
    expect(judge('kill -9 777', { childPids: [777] }).grade).toBe('safe');
    expect(judge('kill -9 777').grade).toBe('dangerous');
  });

  it('knows files this session fetched', () => {
    const file = `${FACTS.cwd}/i.sh`;
    expect(rules('bash i.sh', { fetched: [file] })).toContain('code.remote');
    expect(rules('./i.sh', { fetched: [file] })).toContain('code.remote');
    expect(judge('cat i.sh', { fetched: [file] }).grade).toBe('safe');
    expect(judge('bash i.sh').grade).toBe('safe');
  });

  it('protects what the operator names', () => {
    expect(rules('echo x > data/a', { protectPaths: [`${FACTS.cwd}/data`] })).toEqual(['fs.protected']);
    expect(rules('echo x > ~/keep/a', { protectPaths: ['~/keep'] })).toEqual(['fs.protected']);
  });

  it('counts further work roots', () => {
    expect(judge('rm /srv/app/a.txt', { roots: [...FACTS.roots, '/srv/app'] }).grade).toBe('safe');
    expect(judge('rm /srv/app/a.txt').grade).toBe('dangerous');
  });

  it('takes a Mac as it is', () => {
    const mac = {
      os: 'darwin',
      home: '/Users/ann',
      user: 'ann',
      roots: ['/Users/ann/w'],
      cwd: '/Users/ann/w',
    } as const;
    for (const text of [
      'rm -rf /ETC',
      'rm -rf ~',
      'rm -rf /users/bob',
      'rm -rf /System',
      'rm -rf /var/root',
      'rm -rf ~bob',
    ]) {
      expect([text, judge(text, mac).grade]).toEqual([text, 'hardline']);
    }
    expect(judge('rm -rf /Users/Shared', mac).grade).toBe('dangerous');
    expect(judge('rm a', mac).grade).toBe('safe');
  });

  it('takes a home that lies elsewhere', () => {
    expect(judge('rm -rf ~', { home: '/data/people/ann' }).grade).toBe('hardline');
    expect(judge('rm -rf /data/people/ann/x', { home: '/data/people/ann' }).grade).toBe('dangerous');
  });
});

describe('containers', () => {
  it('take the edge off what never runs, unless a mount leads back out', () => {
    expect(judge('docker run --rm alpine rm -rf /').grade).toBe('dangerous');
    expect(judge('docker exec c reboot').grade).toBe('dangerous');
    expect(judge('docker run -v /:/host alpine rm -rf /host/etc').grade).toBe('hardline');
    expect(judge('docker run -v "$PWD":/w alpine rm -rf /').grade).toBe('dangerous');
  });
});

describe('files written and run in one text', () => {
  it('are judged as what was written', () => {
    expect(judge("cat > a.sh <<'E'\nrm -rf /\nE\nbash a.sh").grade).toBe('hardline');
    expect(judge("cat > a.sh <<'E'\necho hi\nE\nbash a.sh").grade).toBe('safe');
    expect(judge('echo \'import os; os.system("reboot")\' > a.py; python3 a.py').grade).toBe('hardline');
    expect(judge('printf "ls\\n" > b; cp b c; sh c').grade).toBe('safe');
  });
});

describe('a whole script of another language', () => {
  it('is judged by its tokens', () => {
    expect(scanCode('python', 'print(1)', FACTS).grade).toBe('safe');
    expect(scanCode('python', 'import shutil\nshutil.rmtree("/")', FACTS).grade).toBe('hardline');
    expect(scanCode('js', "require('fs').rmSync('dist', { recursive: true })", FACTS).findings[0]).toMatchObject({
      rule: 'fs.delete',
      span: [0, 49],
    });
    expect(scanCode('bash', 'rm -rf /', FACTS).grade).toBe('hardline');
    expect(scanCode('cobol', 'STOP RUN.', FACTS).findings[0]?.rule).toBe('code.unread');
    expect(scanCode('python', 'print("', FACTS).findings[0]?.rule).toBe('code.unread');
    expect(scanCode('python', 'a\nb', FACTS)).toMatchObject({ code: ['a', 'b'], grantBar: 'it runs code' });
  });

  it('gives deny rules the lines of inline code', () => {
    expect(judge("python3 -c 'import x\nx.go()'").code).toEqual(['import x', 'x.go()']);
  });
});
