import type { Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

/** Daemons with a program of their own to stop them or to throw away what they hold. */
const DAEMONS: VerbTable = {
  postfix: { grammar: 'c: D v', verbs: ['stop|abort|start|reload'] },
  postsuper: { arg: /^-[dhr]/ },
  exim: { arg: /^-M(?:rm|f|g|t|es|ar)$/ },
  exim4: { arg: /^-M(?:rm|f|g|t|es|ar)$/ },
  dovecot: { grammar: 'c:', verbs: ['stop|reload'] },
  doveadm: { grammar: 'c: o: u:', verbs: ['stop|reload|expunge|kick', 'mailbox delete', 'user delete'] },
  dinitctl: { grammar: 'p|socket-path:', verbs: ['stop|restart|shutdown|unload|enable|disable|start'] },
  caddy: { verbs: ['stop'] },
  varnishadm: { grammar: 'n: S: T: t:', verbs: ['stop', 'ban * *'] },
  squid: { arg: /^(?:-k)?(?:shutdown|kill|interrupt|restart)$/ },
  rndc: { grammar: 'c: k: s: p: y: b:', verbs: ['stop|halt|flush|delzone|freeze'] },
  'unbound-control': { grammar: 'c: s:', verbs: ['stop|flush_zone|local_zone_remove|forward_remove'] },
  pdns_control: { verbs: ['quit|purge|cycle'] },
  mongod: { arg: /^--(?:shutdown|repair)$/ },
  asterisk: { arg: /\b(?:stop|restart) (?:now|gracefully|when)/ },
  ejabberdctl: { verbs: ['stop|restart|unregister|delete_mnesia|stop_kindly'] },
  upsmon: { arg: /^(?:-c)?(?:fsd|stop)$/ },
  upscmd: { arg: /^(?:shutdown|load\.off)/ },
  'pm-suspend': {},
  'pm-hibernate': {},
  'pm-suspend-hybrid': {},
  zzz: {},
  rtcwake: { arg: /^(?:-[a-z]*m|--mode=?)?(?:mem|disk|off|freeze|standby)$/, unless: /^(?:-n|no|show)$/ },
  'systemd-tmpfiles': { arg: /^--(?:purge|remove|clean)$/ },
  cupsdisable: {},
  cupsreject: {},
  lpadmin: {},
};

export const daemonRules: readonly Rule[] = [
  {
    id: 'host.daemon',
    grade: 'dangerous',
    programs: Object.keys(DAEMONS),
    test: usedBy(DAEMONS),
    why: 'stops a daemon of the machine, or drops what it holds',
    smart: true,
    match: ['postfix stop', 'postsuper -d ALL', 'dinitctl stop x', 'caddy stop', 'upsmon -c fsd', 'pm-suspend'],
    notMatch: ['postfix status', 'postqueue -p', 'dinitctl list', 'caddy validate', 'upsc ups', 'rtcwake -m show'],
  },
];
