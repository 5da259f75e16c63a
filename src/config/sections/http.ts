import { choice, flag, key, pattern, section, text, texts, whole } from '../fields.ts';

const basePath = pattern(/^\/(?:[\w.~-]+(?:\/[\w.~-]+)*)?$/, 'a path such as / or /hermod, without a slash at its end');

export const http = section({
  host: key(text, '127.0.0.1', 'address the page and API listen on'),
  port: key(whole(0, 65_535), 8790, 'port; 0: any free one'),
  base_path: key(basePath, '/', 'path in front of every route, behind a proxy'),
  hosts: key(texts, [], 'further Host names that are answered'),
  trust_proxy: key(texts, [], 'proxies whose X-Forwarded headers count'),
  page: key(flag, true, 'serve the control page'),
  rate_per_min: key(whole(1, 100_000), 240, 'requests a minute of one credential'),
  session_idle_h: key(whole(1, 8760), 12, 'hours after which an idle page session ends'),
  session_max_d: key(whole(1, 365), 30, 'days after which every page session ends'),
});

export const log = section({
  level: key(choice('debug', 'info', 'warn', 'error'), 'info', 'least level that is written'),
  content: key(flag, false, 'write message texts and commands too'),
  file: key(flag, true, 'write logs/hermod.jsonl in the home'),
  file_mb: key(whole(1, 10_000), 10, 'size at which that file is set aside'),
  files: key(whole(1, 100), 5, 'files kept'),
});
