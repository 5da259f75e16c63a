import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

function look(command: string): { readonly grade: string; readonly rules: readonly string[] } {
  const { grade, findings } = analyze(command, FACTS);
  return { grade, rules: findings.map(({ rule }) => rule) };
}

describe('what a configuration manager runs elsewhere', () => {
  it.each([
    ["ansible all -m shell -a 'df -h'", 'safe'],
    ["ansible web -a 'systemctl status nginx'", 'safe'],
    ["ansible web -m command -a 'chdir=/srv ls'", 'safe'],
    ["ansible web -m raw -a 'rm -rf /srv/x'", 'dangerous'],
    [`ansible web -m shell -a "cmd='rm -rf /srv' chdir=/"`, 'dangerous'],
    ["salt '*' cmd.run uptime", 'safe'],
    ["salt -G 'os:Debian' cmd.run 'systemctl stop nginx'", 'dangerous'],
    ["salt-ssh web -r 'rm -rf /srv/x'", 'dangerous'],
    ["salt-call --local cmd.run 'rm -rf dist'", 'dangerous'],
    ["knife ssh 'role:web' uptime", 'safe'],
    ["knife ssh 'role:web' 'rm -rf /srv/x'", 'dangerous'],
    ['pdsh -w web[1-3] uptime', 'safe'],
    ['clush -w web[1-3] rm -rf /srv/x', 'dangerous'],
  ])('%s: %s', (command, grade) => {
    expect(look(command).grade).toBe(grade);
  });
});

describe('kubectl inside a distribution', () => {
  it.each(['k3s kubectl', 'k0s kubectl', 'microk8s kubectl', 'microk8s.kubectl', 'minikube -p a kubectl --'])(
    '%s is kubectl',
    (program) => {
      expect(look(`${program} get pods`).grade).toBe('safe');
      expect(look(`${program} delete ns x`).rules).toContain('infra.cluster');
    },
  );

  it('leaves the other verbs to the distribution', () => {
    expect(look('minikube ssh uptime').grade).toBe('safe');
    expect(look("minikube ssh 'rm -rf /srv/x'").rules).toContain('fs.delete');
    expect(look('microk8s status').grade).toBe('safe');
  });
});
