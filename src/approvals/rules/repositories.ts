import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

function repositoryLosses(call: Call): Hit {
  if (asksHelp(call, true)) return false;
  const words = operandsOf(
    call,
    'R|repo: b|body: t|title: F: X|method: H|header: f|field: F|raw-field: q|jq: input: hostname:',
  );
  if (
    isVerb(words, [
      'repo delete|archive|rename',
      'release delete|delete-asset',
      'secret|variable delete|remove',
      'issue delete|transfer',
      'label delete',
      'gist delete',
      'ssh-key delete|add',
      'gpg-key delete|add',
      'cache delete',
      'codespace|cs delete|stop',
      'workflow disable',
      'run cancel|delete',
      'project delete',
      'ruleset delete',
      'auth logout',
      'extension remove',
      'deploy-key delete|add',
      'repo deploy-key delete|add',
      'mr delete',
      'pipeline delete',
      'ci delete',
    ])
  )
    return true;
  if (words[0] === 'pr' && (words[1] === 'merge' || words[1] === 'close'))
    return hasArg(call, '--admin', '-d', '--delete-branch');
  if (words[0] === 'repo' && words[1] === 'edit') return hasArg(call, '--visibility');
  const method = optionsOf(call, 'X|method: f|field: F|raw-field: H|header: q|jq: t: input:')
    .value('X')
    ?.text.toUpperCase();
  return words[0] === 'api' && method === 'DELETE';
}

export const repositoryRules: readonly Rule[] = [
  {
    id: 'infra.repository',
    grade: 'dangerous',
    programs: ['gh', 'glab', 'hub', 'tea'],
    test: repositoryLosses,
    why: 'deletes or gives away parts of a hosted repository',
    smart: true,
    match: [
      'gh repo delete a/b --yes',
      'gh release delete v1',
      'gh api -X DELETE repos/a/b',
      'gh secret delete X',
      'glab repo delete a/b',
    ],
    notMatch: [
      'gh repo view',
      'gh pr list',
      'gh api repos/a/b',
      'gh issue create --title "delete"',
      'gh release list',
      'gh pr create --title x',
    ],
  },
];
