/** One entry a schema version, applied in order, each in its own transaction. An entry that has landed never changes again. */
export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE boots (
  id TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ready_at INTEGER,
  settled_at INTEGER,
  heartbeat_at INTEGER,
  plan TEXT CHECK (plan IN ('stop', 'restart')),
  plan_by TEXT,
  signal TEXT,
  executing TEXT,
  stop_began_at INTEGER,
  ended_at INTEGER,
  how TEXT,
  interrupted INTEGER NOT NULL DEFAULT 0,
  resumed_to_an_end INTEGER NOT NULL DEFAULT 0,
  audit_head TEXT
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  address TEXT NOT NULL,
  direct INTEGER NOT NULL,
  title TEXT,
  cwd TEXT,
  yolo_until INTEGER,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sessions_open ON sessions (key) WHERE ended_at IS NULL;
CREATE INDEX sessions_direct ON sessions (owner, created_at) WHERE direct = 1;

CREATE TABLE inbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  event_key TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('message', 'command', 'press', 'form', 'stopped', 'edited', 'internal')),
  session TEXT REFERENCES sessions (id),
  body TEXT NOT NULL,
  join_key TEXT,
  ready_at INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('new', 'claimed', 'answered', 'merged', 'refused', 'dropped', 'expired')),
  turn TEXT,
  reason TEXT,
  done_at INTEGER,
  UNIQUE (platform, bot, event_key)
) STRICT;
CREATE INDEX inbox_open ON inbox (state) WHERE state IN ('new', 'claimed');
CREATE INDEX inbox_waiting ON inbox (session, seq) WHERE state = 'new';
CREATE INDEX inbox_by_turn ON inbox (turn) WHERE turn IS NOT NULL;
CREATE INDEX inbox_by_message ON inbox (json_extract(body, '$.messageId')) WHERE kind = 'message';

CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL REFERENCES sessions (id),
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  direct INTEGER NOT NULL,
  reply_to TEXT,
  state TEXT NOT NULL CHECK (state IN ('running', 'parked', 'held', 'answered', 'failed', 'stopped', 'abandoned', 'superseded')),
  rule TEXT,
  interrupted_at INTEGER,
  created_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX turns_open ON turns (session) WHERE ended_at IS NULL;

CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  turn TEXT NOT NULL REFERENCES turns (id),
  session TEXT NOT NULL,
  boot TEXT NOT NULL REFERENCES boots (id),
  kind TEXT NOT NULL CHECK (kind IN ('first', 'resume', 'continue', 'approval')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT CHECK (outcome IN ('ended', 'parked', 'interrupted'))
) STRICT;
CREATE INDEX attempts_open ON attempts (boot) WHERE outcome IS NULL;
CREATE INDEX attempts_by_turn ON attempts (turn);

CREATE TABLE transcript (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL REFERENCES sessions (id),
  turn TEXT NOT NULL,
  step INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  content TEXT NOT NULL,
  mark TEXT,
  model TEXT,
  keep TEXT,
  hidden INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX transcript_by_session ON transcript (session, seq);
CREATE INDEX transcript_by_turn ON transcript (turn, seq);

CREATE TABLE calls (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  turn TEXT NOT NULL,
  message INTEGER NOT NULL REFERENCES transcript (seq),
  position INTEGER NOT NULL,
  provider_id TEXT NOT NULL,
  name TEXT NOT NULL,
  raw TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('planned', 'asked', 'begun', 'done', 'failed', 'refused', 'skipped', 'unknown')),
  digest TEXT,
  flagged INTEGER NOT NULL DEFAULT 0,
  result TEXT,
  untrusted TEXT,
  boot TEXT,
  created_at INTEGER NOT NULL,
  begun_at INTEGER,
  ended_at INTEGER,
  UNIQUE (message, position)
) STRICT;
CREATE INDEX calls_by_turn ON calls (turn);
CREATE INDEX calls_begun ON calls (state) WHERE state = 'begun';

CREATE TABLE outbox (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('final', 'card', 'notice', 'job', 'preview', 'progress')),
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  chat TEXT NOT NULL,
  address TEXT NOT NULL,
  direct INTEGER NOT NULL,
  turn TEXT,
  base INTEGER,
  part INTEGER,
  parts INTEGER,
  body TEXT NOT NULL,
  edits TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'ambiguous', 'held', 'dead', 'superseded', 'cancelled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  expires_at INTEGER,
  error TEXT,
  message_id TEXT,
  sent_to TEXT,
  created_at INTEGER NOT NULL,
  sent_at INTEGER
) STRICT;
CREATE INDEX outbox_waiting ON outbox (platform, bot, chat) WHERE state IN ('pending', 'ambiguous', 'sending');
CREATE INDEX outbox_by_edits ON outbox (edits) WHERE edits IS NOT NULL;
CREATE INDEX outbox_by_turn ON outbox (turn) WHERE turn IS NOT NULL;
CREATE INDEX outbox_by_message ON outbox (message_id) WHERE message_id IS NOT NULL;

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('call', 'question', 'offer')),
  run TEXT NOT NULL,
  root_run TEXT NOT NULL,
  run_kind TEXT NOT NULL,
  depth INTEGER NOT NULL,
  turn TEXT,
  call TEXT,
  session TEXT NOT NULL,
  address TEXT NOT NULL,
  direct INTEGER NOT NULL,
  requester TEXT NOT NULL,
  guard TEXT NOT NULL,
  tool TEXT NOT NULL,
  command TEXT,
  input TEXT,
  cwd TEXT NOT NULL,
  backend TEXT NOT NULL,
  digest TEXT NOT NULL,
  script_hash TEXT,
  findings TEXT NOT NULL,
  choices TEXT NOT NULL,
  details TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'denied', 'expired', 'cancelled')),
  choice TEXT,
  decided_by TEXT,
  surface TEXT,
  reason TEXT,
  boot TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  begun_at INTEGER
) STRICT;
CREATE INDEX approvals_pending ON approvals (session) WHERE state = 'pending';
CREATE INDEX approvals_by_call ON approvals (call) WHERE call IS NOT NULL;
CREATE TRIGGER approvals_forget_text AFTER UPDATE OF ended_at ON calls WHEN NEW.ended_at IS NOT NULL BEGIN
  UPDATE approvals SET command = NULL, input = NULL WHERE call = NEW.id;
END;

CREATE TABLE approval_cards (
  approval TEXT NOT NULL REFERENCES approvals (id),
  nonce TEXT NOT NULL,
  address TEXT NOT NULL,
  outbox_key TEXT NOT NULL UNIQUE,
  PRIMARY KEY (approval, nonce)
) STRICT;

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('session', 'timed', 'always', 'job')),
  rule TEXT NOT NULL,
  argv TEXT NOT NULL,
  shape TEXT NOT NULL CHECK (shape IN ('exact', 'prefix')),
  cwd TEXT NOT NULL,
  backend TEXT NOT NULL,
  wrappers TEXT NOT NULL,
  assignments TEXT NOT NULL,
  digest TEXT,
  session TEXT,
  job TEXT,
  jobs INTEGER NOT NULL DEFAULT 0,
  actor TEXT NOT NULL,
  approval TEXT,
  uses INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX grants_live ON grants (rule) WHERE revoked_at IS NULL;

CREATE TABLE approval_event (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  prev TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER approval_event_no_update BEFORE UPDATE ON approval_event BEGIN SELECT RAISE(ABORT, 'approval_event is append-only'); END;
CREATE TRIGGER approval_event_no_delete BEFORE DELETE ON approval_event BEGIN SELECT RAISE(ABORT, 'approval_event is append-only'); END;

CREATE TABLE platform_state (
  platform TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (platform, key)
) STRICT;

CREATE TABLE web_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL,
  side TEXT NOT NULL CHECK (side IN ('person', 'hermod')),
  text TEXT NOT NULL,
  buttons TEXT NOT NULL,
  card INTEGER NOT NULL,
  drawn_as TEXT CHECK (drawn_as IN ('draft', 'progress')),
  key TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  edited_at INTEGER,
  taken_at INTEGER
) STRICT;
CREATE INDEX web_messages_by_conversation ON web_messages (conversation, id);
CREATE INDEX web_messages_untaken ON web_messages (id) WHERE side = 'person' AND taken_at IS NULL;

CREATE TABLE web_files (
  message INTEGER NOT NULL REFERENCES web_messages (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (message, position)
) STRICT;

CREATE TABLE page_sessions (
  hash TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT;
`,
  `
CREATE INDEX attempts_by_session ON attempts (session);
CREATE INDEX attempts_by_boot ON attempts (boot, kind);
CREATE INDEX approvals_by_turn ON approvals (turn) WHERE turn IS NOT NULL;
CREATE INDEX inbox_by_session ON inbox (session, received_at) WHERE kind = 'message';

CREATE TABLE restart_notices (
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  chat TEXT NOT NULL,
  address TEXT NOT NULL,
  direct INTEGER NOT NULL,
  key TEXT NOT NULL,
  down INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (platform, bot, chat)
) STRICT;
CREATE INDEX restart_notices_down ON restart_notices (down) WHERE down = 1;
`,
  `
ALTER TABLE outbox ADD COLUMN person TEXT;
ALTER TABLE outbox ADD COLUMN smaller INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN told_at INTEGER;
CREATE INDEX outbox_dead ON outbox (person, seq) WHERE state = 'dead';
CREATE INDEX outbox_held ON outbox (platform, bot, chat) WHERE state = 'held';
CREATE INDEX turns_by_session ON turns (session, created_at);

CREATE TABLE fetched_files (
  session TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (session, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE penalties (
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  chat TEXT NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (platform, bot, chat)
) STRICT;

CREATE TABLE unreachable (
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  chat TEXT NOT NULL,
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (platform, bot, chat)
) STRICT;

CREATE TABLE moves (
  platform TEXT NOT NULL,
  from_chat TEXT NOT NULL,
  to_chat TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (platform, from_chat)
) STRICT;
CREATE INDEX moves_by_new ON moves (platform, to_chat);

CREATE TABLE homes (
  platform TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  direct INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  set_at INTEGER NOT NULL
) STRICT;
`,
  `
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  owner_key TEXT NOT NULL,
  origin TEXT NOT NULL,
  origin_key TEXT NOT NULL,
  direct INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('at', 'every', 'cron', 'after')),
  at INTEGER,
  period TEXT,
  anchor_at INTEGER,
  expr TEXT,
  upstream TEXT,
  tz TEXT NOT NULL,
  tz_source TEXT NOT NULL,
  text TEXT NOT NULL,
  grammar_version INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  prompt_hash TEXT NOT NULL,
  deliver TEXT NOT NULL,
  tools TEXT,
  model TEXT,
  workdir TEXT,
  script TEXT,
  script_sha256 TEXT,
  agent INTEGER NOT NULL,
  context_from TEXT NOT NULL,
  continuity INTEGER NOT NULL,
  approval_mode TEXT CHECK (approval_mode IN ('deny', 'allowlist', 'ask', 'approve')),
  misfire TEXT CHECK (misfire IN ('once', 'skip', 'run', 'drop')),
  max_firings INTEGER,
  firings_claimed INTEGER NOT NULL DEFAULT 0,
  next_run_at INTEGER,
  accounted_to INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('scheduled', 'paused', 'missed', 'completed', 'exhausted', 'error', 'deleted')),
  paused_by TEXT,
  paused_reason TEXT,
  fail_streak INTEGER NOT NULL DEFAULT 0,
  blocked_streak INTEGER NOT NULL DEFAULT 0,
  busy_streak INTEGER NOT NULL DEFAULT 0,
  failures TEXT NOT NULL DEFAULT '{}',
  not_before INTEGER,
  hold_reason TEXT,
  rev INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  CHECK ((next_run_at IS NOT NULL) = (state = 'scheduled' AND kind <> 'after'))
) STRICT;
CREATE INDEX jobs_due ON jobs (next_run_at, id) WHERE state = 'scheduled';
CREATE INDEX jobs_by_owner ON jobs (owner_key, created_at);
CREATE INDEX jobs_by_origin ON jobs (origin_key);
CREATE INDEX jobs_by_name ON jobs (name);
CREATE INDEX jobs_by_upstream ON jobs (upstream) WHERE upstream IS NOT NULL;

CREATE TABLE job_revs (
  job TEXT NOT NULL REFERENCES jobs (id),
  rev INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER,
  period TEXT,
  anchor_at INTEGER,
  expr TEXT,
  tz TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  PRIMARY KEY (job, rev)
) STRICT;

CREATE TABLE firings (
  id TEXT PRIMARY KEY,
  job TEXT NOT NULL REFERENCES jobs (id),
  job_rev INTEGER NOT NULL,
  slot_at INTEGER,
  trigger TEXT NOT NULL CHECK (trigger IN ('schedule', 'catch_up', 'manual', 'after')),
  cause_firing TEXT,
  by TEXT,
  extra TEXT,
  attempt INTEGER NOT NULL DEFAULT 1,
  claimed_at INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  begun_at INTEGER,
  ended_at INTEGER,
  boot_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('claimed', 'running', 'ok', 'error', 'timeout', 'cancelled', 'skipped', 'unknown')),
  reason TEXT,
  detail TEXT,
  lateness_ms INTEGER NOT NULL DEFAULT 0,
  session TEXT,
  model TEXT,
  tokens INTEGER NOT NULL DEFAULT 0,
  model_calls INTEGER NOT NULL DEFAULT 0,
  tool_calls INTEGER NOT NULL DEFAULT 0,
  blocked_n INTEGER NOT NULL DEFAULT 0,
  silent INTEGER NOT NULL DEFAULT 0,
  output_path TEXT,
  output_sha256 TEXT,
  UNIQUE (job, slot_at),
  UNIQUE (job, cause_firing)
) STRICT;
CREATE INDEX firings_open ON firings (job) WHERE state IN ('claimed', 'running');
CREATE INDEX firings_waiting ON firings (not_before, id) WHERE state = 'claimed';
CREATE INDEX firings_by_job ON firings (job, claimed_at);

CREATE TABLE firing_gaps (
  job TEXT NOT NULL REFERENCES jobs (id),
  first_slot_at INTEGER NOT NULL,
  last_slot_at INTEGER NOT NULL,
  count INTEGER,
  reason TEXT NOT NULL CHECK (reason IN ('collapsed', 'missed', 'busy', 'backoff', 'held', 'paused', 'edited')),
  PRIMARY KEY (job, first_slot_at)
) STRICT;

CREATE TABLE firing_deliveries (
  outbox_key TEXT PRIMARY KEY,
  firing TEXT NOT NULL REFERENCES firings (id),
  address TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'ambiguous', 'suppressed'))
) STRICT;
CREATE INDEX firing_deliveries_by_firing ON firing_deliveries (firing);
CREATE TRIGGER firing_deliveries_follow AFTER UPDATE OF state ON outbox WHEN NEW.kind = 'job' BEGIN
  UPDATE firing_deliveries SET state = CASE
      WHEN state = 'failed' OR NEW.state IN ('dead', 'cancelled') THEN 'failed'
      WHEN NEW.state = 'ambiguous' OR (NEW.state = 'sent' AND coalesce(NEW.message_id, '') = '') THEN 'ambiguous'
      WHEN NEW.state = 'sent' THEN 'delivered'
      WHEN NEW.state IN ('pending', 'sending', 'held') AND state <> 'delivered' THEN 'pending'
      ELSE state END
    WHERE outbox_key = CASE instr(NEW.key, '#') WHEN 0 THEN NEW.key ELSE substr(NEW.key, 1, instr(NEW.key, '#') - 1) END;
END;

CREATE TABLE schedule_owner (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  boot_id TEXT NOT NULL,
  taken_at INTEGER NOT NULL,
  last_tick_at INTEGER,
  last_ok_at INTEGER
) STRICT;

CREATE TABLE time_zones (
  scope TEXT PRIMARY KEY,
  tz TEXT NOT NULL
) STRICT;
`,
  `
ALTER TABLE inbox ADD COLUMN steer INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN asked TEXT;
CREATE INDEX inbox_asked ON inbox (session, asked) WHERE asked IS NOT NULL;

CREATE TABLE chat_settings (
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  chat TEXT NOT NULL,
  progress TEXT CHECK (progress IN ('off', 'tools', 'all')),
  busy TEXT CHECK (busy IN ('queue', 'steer', 'interrupt')),
  PRIMARY KEY (platform, bot, chat)
) STRICT;
`,
  `
ALTER TABLE sessions ADD COLUMN model TEXT;
CREATE INDEX sessions_by_owner ON sessions (owner, created_at);
CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX inbox_done ON inbox (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);
CREATE INDEX approvals_by_session ON approvals (session);

CREATE TABLE usage (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  run TEXT NOT NULL,
  run_kind TEXT NOT NULL,
  depth INTEGER NOT NULL,
  session TEXT NOT NULL,
  owner TEXT NOT NULL,
  job TEXT,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  cost REAL,
  first_output_ms INTEGER,
  total_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  estimated INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_by_session ON usage (session);
CREATE INDEX usage_by_owner ON usage (owner, at);
CREATE INDEX usage_by_time ON usage (at);

CREATE VIRTUAL TABLE transcript_words USING fts5(content, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
INSERT INTO transcript_words (rowid, content) SELECT seq, content FROM transcript WHERE hidden = 0 AND content <> '';
CREATE TRIGGER transcript_words_in AFTER INSERT ON transcript WHEN NEW.hidden = 0 AND NEW.content <> '' BEGIN
  INSERT INTO transcript_words (rowid, content) VALUES (NEW.seq, NEW.content);
END;
CREATE TRIGGER transcript_words_out AFTER DELETE ON transcript BEGIN
  DELETE FROM transcript_words WHERE rowid = OLD.seq;
END;
`,
  `
CREATE TABLE pairings (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL,
  platform TEXT NOT NULL,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  salt TEXT NOT NULL,
  hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused', 'replaced')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_by TEXT,
  decided_at INTEGER
) STRICT;
CREATE INDEX pairings_by_person ON pairings (person, created_at);
CREATE INDEX pairings_pending ON pairings (platform, expires_at) WHERE state = 'pending';

CREATE TABLE people (
  person TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
  address TEXT NOT NULL,
  approved_by TEXT NOT NULL,
  approved_at INTEGER NOT NULL
) STRICT;

CREATE TABLE pairing_tries (
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX pairing_tries_by_time ON pairing_tries (at);
`,
  `
ALTER TABLE firings ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN default_model TEXT;
ALTER TABLE inbox ADD COLUMN boot TEXT;
ALTER TABLE sessions ADD COLUMN reasoning TEXT CHECK (reasoning IN ('on', 'off'));

CREATE TABLE lost_threads (
  platform TEXT NOT NULL,
  bot TEXT NOT NULL,
  chat TEXT NOT NULL,
  thread TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (platform, bot, chat, thread)
) STRICT;
`,
];
