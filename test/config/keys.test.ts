import { describe, expect, it } from 'vitest';
import { listKeys } from '../../src/config/key-list.ts';
import { configSchema } from '../../src/config/schema.ts';

/** Every key with its default, as people were promised them; text after `=` is JSON, after `~` what an absent key means. */
const PROMISED = `
access.admins=[]
access.allow=[]
access.deny=[]
access.groups=[]
access.roles=[]
access.open=[]
access.open_confirmed=false
access.pairing=true
access.bots="none"
groups.mention="required"
groups.free=[]
groups.observe=false
home.<platform>~unset
approvals.mode="manual"
approvals.cron_mode="deny"
approvals.unattended_mode="deny"
approvals.subagent_mode="deny"
approvals.timeout_s=1800
approvals.cron_ask_timeout_s=600
approvals.who="requester_or_approver"
approvals.approvers=[]
approvals.card_to="origin"
approvals.deny=[]
approvals.two_person=[]
approvals.job_allow=[]
approvals.execute_code="ask"
approvals.allow_permanent=true
approvals.timed_grant_minutes=60
approvals.yolo_minutes=60
approvals.max_pending=8
approvals.denial_breaker_threshold=3
approvals.plain_words=true
approvals.words.approve~unset
approvals.words.session~unset
approvals.words.always~unset
approvals.words.deny~unset
approvals.preview=true
approvals.guardian.model~none: smart is manual
approvals.guardian.policy~none
approvals.protect_paths=[]
approvals.redact_patterns=[]
approvals.audit_safe=false
breaker.session_limit=3
breaker.global_limit=5
breaker.settle_s=60
resume.enabled=true
resume.max_age_s=3600
resume.max_attempts=5
resume.parallel=2
resume.first_batch_s=10
resume.hold_days=7
stop.turns_s=10
stop.flush_s=5
stop.adapters_s=3
stop.total_s=45
restart.wait_s=300
process.bad_config_wait_s=30
process.memory_soft_mb~75 % of the cgroup limit, else 1024
health.proof_s=90
health.attention_s=600
health.loop_stall_s=60
platforms.connect_s=30
inbox.age_label_s=120
inbox.ask_age_s=21600
inbox.fold_s=2
inbox.max_waiting=20
inbox.max_waiting_kb=256
control.max_age_s=120
lanes.max_turns=64
busy.mode="queue"
display.progress="tools"
outbox.max_age_s=86400
turns.note_s=180
turns.idle_s=600
turns.total_s=7200
sessions.group_per_actor=true
sessions.thread_per_actor=false
sessions.retention_days=90
sessions.memory_mb=64
cron.enabled=true
cron.timezone~unset
cron.min_interval_s=60
cron.horizon_years=10
cron.max_parallel=3
cron.stagger_s=59
cron.idle_timeout_s=600
cron.total_timeout_s=3600
cron.script_timeout_s=300
cron.abort_grace_s=60
cron.misfire="once"
cron.one_shot_grace_s=600
cron.catch_up_parallel=2
cron.catch_up_spacing_s=30
cron.drain_s=30
cron.auto_pause_after=10
cron.unreachable_pause_days=7
cron.provider_hold_s=21600
cron.max_jobs_per_owner=50
cron.max_creations_per_hour=10
cron.max_model_calls_per_day=500
cron.keep_firings=200
cron.keep_outputs=50
cron.keep_days=30
cron.model~the model of chats
cron.tools~all that jobs are offered
model.primary~unset: the practice model
model.fallback=[]
model.small~model.primary
model.max_output_tokens=8192
model.reasoning~the provider's
model.show_reasoning=false
model.first_output_s~90; 300 with reasoning low or more
model.idle_s~60; 120 with reasoning low or more
model.step_deadline_s~300; 900 with reasoning low or more
model.attempts=3
model.fallback_on_filter=false
providers.<name>.kind~preset
providers.<name>.base_url~preset
providers.<name>.api_key_env~preset
providers.<name>.headers~none
providers.<name>.max_parallel~1 for a local server, else 16
providers.<name>.script~unset
providers.<name>.record~unset
providers.<name>.models.<id>.context_tokens~asked or guessed
providers.<name>.models.<id>.max_output_tokens~model.max_output_tokens
providers.<name>.models.<id>.vision~asked or guessed
providers.<name>.models.<id>.tools~asked or guessed
providers.<name>.models.<id>.price.input~unset
providers.<name>.models.<id>.price.output~unset
providers.<name>.models.<id>.price.cache_read~input
providers.<name>.models.<id>.price.cache_write~input
agent.max_steps=50
agent.cron_max_steps=30
agent.result_bytes=51200
agent.compact_at=0.75
agent.workspace="workspace"
agent.tools_off=[]
shell.timeout_s=120
shell.env_pass=[]
files.roots=[]
files.read_outside=false
telegram.enabled~true if TELEGRAM_BOT_TOKEN is set
telegram.mode="polling"
telegram.webhook.url~unset
telegram.webhook.path="/webhooks/telegram"
telegram.webhook.max_connections=1
telegram.api_root="https://api.telegram.org"
telegram.local_files_dir~unset
telegram.poll_timeout_s=25
telegram.drafts=false
telegram.edit_interval_private_ms=1200
telegram.edit_interval_group_ms=3500
telegram.reactions=false
telegram.hear_reactions=false
telegram.link_previews=false
telegram.menu=true
telegram.max_download_mb=20
telegram.max_parts=8
discord.enabled~true if DISCORD_BOT_TOKEN is set
discord.command_scope="global"
discord.edit_interval_ms=1200
discord.auto_thread=false
discord.link_previews=false
discord.reactions=false
discord.hear_reactions=false
discord.catch_up.max_age_s=86400
discord.catch_up.max_per_channel=50
discord.max_rate_wait_s=30
discord.max_download_mb=25
discord.max_parts=8
discord.rest_api="https://discord.com/api"
discord.media_hosts~Discord's
http.host="127.0.0.1"
http.port=8790
http.base_path="/"
http.hosts=[]
http.trust_proxy=[]
http.page=true
http.rate_per_min=240
http.session_idle_h=12
http.session_max_d=30
log.level="info"
log.content=false
log.file=true
log.file_mb=10
log.files=5
`;

describe('keys', () => {
  const rows = listKeys(configSchema);

  it('are those promised, with the promised defaults (gateway 36)', () => {
    const written = rows.map(({ path, fallback, instead }) => {
      return path.join('.') + (fallback === undefined ? `~${instead ?? 'unset'}` : `=${JSON.stringify(fallback)}`);
    });
    expect(written).toEqual(PROMISED.trim().split('\n'));
  });

  it('each say what they mean, without a dot at the end', () => {
    expect(rows.filter(({ meaning }) => meaning === '' || meaning.endsWith('.'))).toEqual([]);
  });

  it('hold defaults that pass their own rules', () => {
    expect(configSchema.safeParse(configSchema.parse({})).success).toBe(true);
  });
});
