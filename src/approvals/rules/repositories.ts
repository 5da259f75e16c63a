import type { Call } from '../shell/call.ts';
import { hasArg, optionsOf } from '../shell/call.ts';
import { CURL_OPTIONS } from '../shell/file-effects.ts';
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
      'secret|variable delete|remove|set|update|create|import',
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
      'repo transfer',
    ])
  )
    return true;
  if (call.program === 'hub' && words[0] === 'delete') return true;
  if (call.program === 'tea') return isVerb(words, ['* delete|rm', 'logout *']);
  if (isVerb(words, ['repo sync'])) return hasArg(call, '--force');
  if (isVerb(words, ['alias set'])) return hasArg(call, '--shell', '-s') || (words[3] ?? '').startsWith('!');
  if (words[0] === 'pr' && (words[1] === 'merge' || words[1] === 'close'))
    return hasArg(call, '--admin', '-d', '--delete-branch');
  if (words[0] === 'repo' && words[1] === 'edit')
    return call.args.some(({ text }) => /^--(?:visibility|default-branch)(?:=|$)/.test(text));
  return words[0] === 'api' && apiLosses(call, words[1] ?? '');
}

const API = 'X|method: f|raw-field: F|field: H|header: q|jq: t|template: input: hostname: p|preview: cache:';

/** `gh api path`: fields make it a POST. */
function apiLosses(call: Call, path: string): boolean {
  const options = optionsOf(call, API);
  const sent = [...options.values('f'), ...options.values('F')].map(({ text }) => text);
  const method = options.value('X')?.text.toUpperCase() ?? (sent.length > 0 || options.has('input') ? 'POST' : 'GET');
  if (path === 'graphql')
    return sent.some((text) => MUTATION.test(text) && GRAPH_LOSS.test(text.replace(/"[^"]*"/g, '""')));
  return forgeLoss(method, path, options.has('input') ? null : sent.join('\n'));
}

/** A mutation whose name says that it takes away, gives away or unprotects. */
const MUTATION = /^query=\s*mutation\b/;
const GRAPH_LOSS =
  /\b(?:delete|remove|transfer|archive|unarchive|update(?:Branch|Repository\b|RepositoryRuleset|Enterprise|Organization)|create(?:Branch|RepositoryRuleset|Migration)|add(?:Collaborator|Enterprise)|disable|revoke)\w*\s*[({]/;

/** Parts of a forge's address behind which stand people, keys, guards and secrets. */
const GUARDED =
  /(?:^|\/)(?:collaborators|memberships|members|invitations|teams|keys|gpg_keys|ssh_signing_keys|deploy_keys|hooks|rulesets|protection|protected_branches|protected_tags|secrets|variables|permissions|access_tokens|personal_access_tokens|runners|environments|transfer|interaction-limits|outside_collaborators|installation|share)(?:\/|\?|$)/;
/** A repository or organisation itself. */
const WHOLE = /^\/?(?:repos\/[^/?]+\/[^/?]+|orgs\/[^/?]+|projects\/[^/?]+|groups\/[^/?]+)\/?$/;
const WHOLE_FIELD =
  /\b(?:visibility|private|archived|default_branch|security_and_analysis|name|path|members_\w+|default_repository_permission)\b/;

/** What a request to a forge would change; `sent` is null where that is in a file. */
function forgeLoss(method: string, path: string, sent: string | null): boolean {
  if (method === 'DELETE') return true;
  if (!/^(?:POST|PUT|PATCH)$/.test(method)) return false;
  if (GUARDED.test(path)) return true;
  if (/(?:^|\/)git\/refs\//.test(path)) return sent === null || /\bforce"?\s*[=:]\s*"?true/.test(sent);
  return method !== 'POST' && WHOLE.test(path) && (sent === null || WHOLE_FIELD.test(sent));
}

const FORGE = /^https:\/\/(?:api\.github\.com|[\w.-]+\/api\/v[34])\/(.*)$/;

/** The same requests by curl. */
function curlLosses(call: Call): Hit {
  const options = optionsOf(call, CURL_OPTIONS);
  for (const field of [...options.operands, ...options.values('url')]) {
    const path = FORGE.exec(field.text)?.[1];
    if (path === undefined) continue;
    const sent = ['d', 'data-raw', 'data-binary', 'json']
      .flatMap((name) => options.values(name))
      .map(({ text }) => text);
    const method = options.value('X')?.text.toUpperCase() ?? (sent.length > 0 ? 'POST' : 'GET');
    if (forgeLoss(method, path, sent.some((text) => text.startsWith('@')) ? null : sent.join('\n')))
      return { span: field.span };
  }
  return false;
}

export const repositoryRules: readonly Rule[] = [
  {
    id: 'infra.repository',
    grade: 'dangerous',
    programs: ['gh', 'glab', 'hub', 'tea', 'curl'],
    test: (call) => (call.program === 'curl' ? curlLosses(call) : repositoryLosses(call)),
    why: 'deletes or gives away parts of a hosted repository',
    smart: true,
    match: [
      'gh repo delete a/b --yes',
      'gh release delete v1',
      'gh api -X DELETE repos/a/b',
      'gh secret delete X',
      'glab repo delete a/b',
      'gh api --method PUT repos/a/b/collaborators/x',
      'gh api -X PATCH repos/a/b -f visibility=public',
      'glab variable set KEY x',
      'curl -X PATCH https://api.github.com/repos/a/b -d \'{"private":false}\'',
    ],
    notMatch: [
      'gh repo view',
      'gh pr list',
      'gh api repos/a/b',
      'gh issue create --title "delete"',
      'gh release list',
      'gh pr create --title x',
      'gh api repos/a/b/issues -f title=x',
      'gh api repos/a/b/collaborators',
      'gh api graphql -f query="query{viewer{login}}"',
      'curl https://api.github.com/repos/a/b/collaborators',
    ],
  },
];
