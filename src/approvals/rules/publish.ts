import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs } from '../shell/call.ts';
import { asksHelp, DRY, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

const NPM = [
  'publish',
  'unpublish',
  'deprecate',
  'dist-tag add|rm',
  'owner add|rm',
  'access *',
  'token create|revoke|delete',
  'team *',
];

/** Verbs that put something before the world, or take it away. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  npm: NPM,
  pnpm: ['publish', '-r publish', 'deprecate', 'unpublish'],
  yarn: ['publish', 'npm publish', 'npm tag add|remove', 'workspaces foreach * npm publish'],
  bun: ['publish'],
  deno: ['publish'],
  jsr: ['publish'],
  lerna: ['publish'],
  nx: ['release *'],
  changeset: ['publish'],
  'semantic-release': [],
  'release-it': [],
  np: [],
  cargo: ['publish', 'yank', 'owner', 'release'],
  twine: ['upload'],
  poetry: ['publish'],
  hatch: ['publish'],
  flit: ['publish'],
  pdm: ['publish'],
  uv: ['publish'],
  rye: ['publish'],
  maturin: ['publish', 'upload'],
  gem: ['push', 'yank', 'owner'],
  bundle: [],
  mvn: ['deploy', 'release:perform', 'deploy:deploy-file', 'nexus-staging:release'],
  mvnw: ['deploy', 'release:perform'],
  gradle: [
    'publish',
    'publishPlugins',
    'uploadArchives',
    'closeAndReleaseRepository',
    'publishToSonatype',
    'publishAllPublicationsToMavenCentral',
    'jreleaserRelease',
  ],
  gradlew: ['publish', 'publishPlugins', 'uploadArchives', 'closeAndReleaseRepository', 'publishToSonatype'],
  sbt: ['publish', 'publishSigned', 'sonatypeRelease', 'sonatypeBundleRelease'],
  lein: ['deploy'],
  dotnet: ['nuget push|delete'],
  nuget: ['push', 'delete'],
  pod: ['trunk push|delete|deprecate', 'repo push'],
  mix: ['hex.publish', 'hex.retire', 'hex.owner'],
  luarocks: ['upload'],
  conda: ['upload'],
  anaconda: ['upload', 'remove'],
  snapcraft: ['upload', 'release', 'push', 'close', 'promote'],
  vsce: ['publish', 'unpublish'],
  ovsx: ['publish'],
  dart: ['pub publish', 'pub lish'],
  flutter: ['pub publish'],
  pub: ['publish'],
  elm: ['publish'],
  cabal: ['upload'],
  stack: ['upload'],
  'ansible-galaxy': ['collection publish', 'role import|delete', 'publish'],
  goreleaser: ['release', 'publish'],
  docker: ['push', 'image push', 'compose push', 'manifest push', 'plugin push'],
  'docker-compose': ['push'],
  crane: ['push', 'copy', 'delete', 'tag'],
  skopeo: ['copy', 'delete', 'sync'],
  oras: ['push', 'copy', 'delete', 'manifest delete'],
  helm: ['push', 'cm-push'],
  gh: ['release create|upload|edit', 'gist create|edit'],
  glab: ['release create|upload'],
  'web-ext': ['sign'],
  eas: ['submit', 'update'],
  expo: ['publish'],
  hf: ['upload', 'upload-large-folder', 'repo create|delete'],
  'huggingface-cli': ['upload', 'upload-large-folder', 'repo create|delete'],
  modelscope: ['upload'],
  kaggle: ['datasets create|version', 'kernels push', 'models create'],
  jfrog: ['rt upload|u|delete|del'],
  jf: ['rt upload|u|delete|del'],
  cloudsmith: ['push', 'delete'],
  gemfury: ['push', 'yank'],
  fury: ['push', 'yank'],
  charmcraft: ['upload', 'release'],
  ko: ['build', 'publish', 'apply', 'resolve'],

  fastlane: ['deliver', 'supply', 'pilot', 'release', 'upload_to_app_store', 'upload_to_testflight', 'deploy', 'beta'],
  altool: ['--upload-app'],
  xcrun: ['altool'],
  cpan: [],
  'cpan-upload': ['*'],
  R: [],
  firebase: ['deploy'],
  flyctl: ['deploy', 'launch', 'apps move'],
  'gh-pages': [],
  surge: [],
};

function publishes(call: Call): Hit {
  if (
    asksHelp(call, true) ||
    hasArg(call, ...DRY, '--list', '--snapshot', '--no-publish', '--skip-publish', '-n') ||
    knownArgs(call).some((arg) => /^--skip=.*publish|^--dry-run/.test(arg))
  )
    return false;
  const words = operandsOf(
    call,
    'registry: w|workspace: C|cwd: access: tag: otp: manifest-path: p|package: F|features: r|repository: repository-url: u: prefix: filter: R|repo: title: notes: settings: f|file: P: D: target: notes-file: f: t: username: password:',
  );
  switch (call.program) {
    case 'python':
      return (
        /(?:^|\/)setup\.py$/.test(words[0] ?? '') && words.some((word) => word === 'upload' || word === 'register')
      );
    case 'semantic-release':
    case 'release-it':
    case 'np':
    case 'gh-pages':
      return true;
    case 'rake':
      return words.includes('release');
    case 'gradle':
    case 'gradlew':
    case 'mvn':
    case 'mvnw':
    case 'sbt': {
      const verbs = VERBS[call.program] as readonly string[];
      return words.some((word) => verbs.includes(word.replace(/^.*:(?=publish|upload)/, '')) || verbs.includes(word));
    }
    case 'gh':
      return (
        isVerb(words, VERBS['gh'] as readonly string[]) ||
        (isVerb(words, ['repo create|edit']) &&
          call.args.some(({ text }) => /^--(?:public|visibility=public)$/.test(text) || text === 'public'))
      );
    case 'vercel':
      return hasArg(call, '--prod', '--production') || isVerb(words, ['promote', 'rollback']);
    case 'netlify':
      return words[0] === 'deploy' && hasArg(call, '--prod', '-p', '--prod-if-unlocked');
    case 'wrangler':
      return isVerb(words, ['deploy', 'publish', 'pages deploy', 'secret put']);
    case 'docker':
      return isVerb(words, VERBS['docker'] as readonly string[]) || buildsAndPushes(call, words);
    case 'ko':
      return isVerb(words, VERBS['ko'] as readonly string[]) && !hasArg(call, '--local', '-L', '--push=false');
    case 'altool':
      return hasArg(call, '--upload-app');
    case 'skopeo':
    case 'crane':
      return (
        isVerb(words, VERBS[call.program] as readonly string[]) &&
        (words[0] !== 'copy' || /^(?:docker:|[\w.-]+\/)/.test(words.at(-1) ?? ''))
      );
    default:
      return (
        isVerb(words, VERBS[call.program] ?? []) ||
        (call.program === 'pnpm' && knownArgs(call).find((arg) => !arg.startsWith('-')) === 'publish')
      );
  }
}

/** `docker buildx build --push`, `-o type=registry`. */
function buildsAndPushes(call: Call, words: readonly string[]): boolean {
  const pushed = call.args.some(({ text }) => /^--push(?:=true)?$|\btype=registry\b|\bpush=true\b/.test(text));
  return pushed && isVerb(words, ['build', 'image build', 'builder build', 'buildx build|bake|b', 'compose build']);
}

export const publishRules: readonly Rule[] = [
  {
    id: 'publish.package',
    grade: 'dangerous',
    programs: [...Object.keys(VERBS), 'python', 'rake', 'vercel', 'netlify', 'wrangler'],
    test: publishes,
    why: 'publishes something, or takes back what was published',
    smart: true,
    match: [
      'npm publish',
      'cargo publish',
      'twine upload dist/*',
      'docker push a/b',
      'docker buildx build --push -t a/b .',
      'hf upload me/model .',
      'gem push x.gem',
      'npm unpublish x',
      'gh release create v1',
      'mvn clean deploy',
      'python setup.py sdist upload',
    ],
    notMatch: [
      'npm pack',
      'npm publish --dry-run',
      'cargo build',
      'npm run publish:dry',
      'twine check dist/*',
      'docker pull x',
      'goreleaser release --snapshot',
      'gh release list',
      'npm run build',
    ],
  },
];
