import { flag, key, maybe, pattern, section, texts, webUrl, whole } from '../fields.ts';

const scope = pattern(/^(?:global|guild:\d{17,20})$/, 'global or guild:<id>');

export const discord = section({
  enabled: maybe(flag, 'connect to Discord', 'true if DISCORD_BOT_TOKEN is set'),
  command_scope: key(scope, 'global', 'where slash commands are offered'),
  edit_interval_ms: key(whole(1000, 600_000), 1200, 'least time between edits'),
  auto_thread: key(flag, false, 'a mention in a channel opens a thread'),
  link_previews: key(flag, false, 'previews of links in answers'),
  reactions: key(flag, false, 'mark messages with a reaction while working'),
  hear_reactions: key(flag, false, 'receive the reactions of people'),
  catch_up: section({
    max_age_s: key(whole(0, 604_800), 86_400, 'age of a message that is answered after an outage, 0 off'),
    max_per_channel: key(whole(1, 1000), 50, 'messages of a channel that are answered after an outage'),
  }),
  max_rate_wait_s: key(whole(1, 600), 30, 'longest wait for a rate limit inside one call'),
  max_download_mb: key(whole(1, 2000), 25, 'size of a file that is fetched'),
  max_parts: key(whole(1, 50), 8, 'messages an answer may take before it becomes a file'),
  rest_api: key(webUrl, 'https://discord.com/api', "Discord's REST API, another one for tests only"),
  media_hosts: maybe(texts, 'hosts attachments are fetched from, for tests only', "Discord's"),
});
