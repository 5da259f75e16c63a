/** Libraries of platforms, by the platform whose failure theirs is. */
const LIBRARIES: readonly (readonly [RegExp, string])[] = [
  [/[\\/]node_modules[\\/](?:@discordjs[\\/]|discord\.js[\\/]|discord-api-types[\\/])/, 'discord'],
  [/[\\/]node_modules[\\/](?:@grammyjs[\\/]|grammy[\\/])/, 'telegram'],
];

/**
 * The platform whose library threw an error nobody caught; undefined: it is hermod's own. Only the innermost frame counts: an
 * error of ours that a library happened to call is ours. Pure.
 */
export function culprit(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const innermost = frames.find((line) => !/\(?node:|<anonymous>/.test(line)) ?? '';
  return LIBRARIES.find(([pattern]) => pattern.test(innermost))?.[1];
}
