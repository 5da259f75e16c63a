import { choice, flag, key, maybe, pattern, section, text, webUrl, whole } from '../fields.ts';

const path = pattern(/^\/[\w./-]*$/, 'a path such as /webhooks/telegram');

export const telegram = section({
  enabled: maybe(flag, 'connect to Telegram', 'true if TELEGRAM_BOT_TOKEN is set'),
  mode: key(choice('polling', 'webhook'), 'polling', 'how updates arrive'),
  webhook: section({
    url: maybe(webUrl, 'public address Telegram sends to'),
    path: key(path, '/webhooks/telegram', 'where it is served'),
    max_connections: key(whole(1, 100), 1, 'connections Telegram may open'),
  }),
  api_root: key(webUrl, 'https://api.telegram.org', 'the Bot API server'),
  local_files_dir: maybe(text, 'folder of a local Bot API server'),
  poll_timeout_s: key(whole(1, 50), 25, 'length of one poll'),
  drafts: key(flag, false, 'preview answers as drafts in private chats'),
  edit_interval_private_ms: key(whole(1000, 600_000), 1200, 'least time between edits in a private chat'),
  edit_interval_group_ms: key(whole(3000, 600_000), 3500, 'least time between edits in a group'),
  reactions: key(flag, false, 'mark messages with a reaction while working'),
  hear_reactions: key(flag, false, 'receive the reactions of people'),
  link_previews: key(flag, false, 'previews of links in answers'),
  menu: key(flag, true, 'keep the command menu in step'),
  max_download_mb: key(whole(1, 2000), 20, 'size of a file that is fetched'),
  max_parts: key(whole(1, 50), 8, 'messages an answer may take before it becomes a file'),
});
