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
  'access grant|revoke|set|public|restricted|edit|2fa-required|2fa-not-required',
  'token create|revoke|delete',
  'team create|destroy|add|rm',
  'org set|rm',
  'stage publish',
];

/** Verbs that put something before the world, or take it away. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  npm: NPM,
  pnpm: ['publish', '-r publish', 'deprecate', 'unpublish'],
  yarn: [
    'publish',
    'npm publish',
    'npm tag add|remove',
    'workspaces foreach npm publish',
    'workspaces foreach * npm publish',
    'workspace * npm publish',
    'workspace * publish',
  ],
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
  sbt: ['ci-release', 'publish', 'publishSigned', 'sonatypeRelease', 'sonatypeBundleRelease'],
  lein: ['deploy'],
  dotnet: ['nuget push|delete'],
  nuget: ['push', 'delete'],
  pod: ['trunk push|delete|deprecate', 'repo push'],
  buildah: ['push', 'manifest push'],
  regctl: ['tag|manifest|repo delete|rm', 'image copy'],
  rebar3: ['hex publish|retire'],
  swift: ['package-registry publish'],
  opam: ['publish'],
  vagrant: ['cloud publish|delete'],
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
    'registry: w|workspace: C|cwd: access: tag: otp: manifest-path: p|package: F|features: r|repository: repository-url: u: prefix: filter: R|repo: title: notes: settings: f|file: P: D: target: notes-file: f: t: username: password: config: dir: project: directory: Z:',
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
      return words.some(
        (word) =>
          verbs.includes(word.replace(/^.*:(?=publish|upload)/, '')) || verbs.includes(word) || PUBLISHES_TO.test(word),
      );
    }
    case 'npm':
      return isVerb([wholeVerb(words[0] ?? ''), ...words.slice(1)], NPM);
    case 'cargo':
      return isVerb(words[0]?.startsWith('+') ? words.slice(1) : words, VERBS['cargo'] as readonly string[]);
    case 'ruby':
      return hasArg(call, '-S') && words[0] === 'gem' && isVerb(words.slice(1), VERBS['gem'] as readonly string[]);
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

/** A task of Gradle that is named after where it publishes; the local repository is no publication. */
const PUBLISHES_TO = /^(?:.*:)?publish\w*To(?!MavenLocal$)\w+$/;

/** npm takes the beginning of a verb for the verb. */
function wholeVerb(word: string): string {
  return word.length > 2 ? (['publish', 'unpublish', 'deprecate'].find((verb) => verb.startsWith(word)) ?? word) : word;
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
    programs: [...Object.keys(VERBS), 'python', 'rake', 'ruby', 'vercel', 'netlify', 'wrangler'],
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
      'npm pub',
      'cargo +nightly publish',
      'yarn workspace a npm publish',
      './gradlew publishToMavenCentral',
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
      'npm access list packages',
      'npm team ls a:b',
      'cargo +nightly build',
      './gradlew publishToMavenLocal',
    ],
  },
];
