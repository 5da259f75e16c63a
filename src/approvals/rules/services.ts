import type { Call } from '../shell/call.ts';
import { hasArg, knownArgs, optionsOf } from '../shell/call.ts';
import { asksHelp, isVerb, operandsOf } from './matching.ts';
import type { Hit, Rule } from './rule.ts';

export const SYSTEMCTL =
  'H|host: M|machine: t|type: p|property: P|value: n|lines: o|output: s|signal: state: root: job-mode: kill-whom: kill-who: check-inhibitors: boot-loader-menu: boot-loader-entry: when: i|ignore-inhibitors f|force now no-block user system q|quiet no-pager no-reload a|all r l|full';

const SERVICE_VERBS = [
  'stop',
  'restart',
  'try-restart',
  'reload-or-restart',
  'try-reload-or-restart',
  'force-reload',
  'condrestart',
  'disable',
  'enable',
  'reenable',
  'mask',
  'unmask',
  'kill',
  'isolate',
  'start',
  'set-default',
  'set-property',
  'edit',
  'revert',
  'link',
  'preset',
  'preset-all',
  'daemon-reexec',
  'rescue',
  'emergency',
  'suspend',
  'hibernate',
  'hybrid-sleep',
  'suspend-then-hibernate',
  'default',
  'switch-root',
  'set-environment',
  'unset-environment',
  'import-environment',
  'clean',
  'freeze',
  'bind',
  'mount-image',
  'exit',
  'cancel',
  'add-wants',
  'add-requires',
];

const SERVICE_PROGRAMS = new Set([
  'systemctl',
  'service',
  'rc-service',
  'invoke-rc.d',
  'launchctl',
  'brew',
  'sc',
  'net',
  'supervisorctl',
  'pm2',
  'forever',
  'monit',
  'sv',
  's6-svc',
  'svc',
  's6-rc',
  'initctl',
  'runsvctl',
  'nssm',
  'svcadm',
  'herd',
  'rcctl',
  'rc-update',
  'update-rc.d',
  'chkconfig',
  'sysrc',
  'insserv',
  'sysv-rc-conf',
  'systemd-run',
  'snap',
  'loginctl',
  'machinectl',
  'stop-service',
  'restart-service',
  'set-service',
  'start-service',
  'remove-service',
  'suspend-service',
  'new-service',
  'apachectl',
  'apache2ctl',
  'nginx',
  'httpd',
  'rabbitmqctl',
]);

function changesService(call: Call): Hit {
  if (initScript(call)) return true;
  if (!SERVICE_PROGRAMS.has(call.program)) return false;
  if (asksHelp(call)) return false;
  const operands = operandsOf(call, 'n: c: t: H: M: p: s: u: name: config:');
  switch (call.program) {
    case 'systemctl':
      return !hasArg(call, '--dry-run') && SERVICE_VERBS.includes(operandsOf(call, SYSTEMCTL)[0] ?? '');
    case 'service':
    case 'rc-service':
    case 'invoke-rc.d':
      return operands.some(
        (word, i) =>
          i > 0 &&
          /^(?:(?:one|force|fast|quiet)?-?(?:stop|restart|start)|force-reload|try-restart|condrestart|kill|zap|reload-or-restart|enable|disable|delete)$/.test(
            word,
          ),
      );
    case 'launchctl':
      return isVerb(operands, [
        'unload',
        'bootout',
        'remove',
        'kickstart',
        'load',
        'bootstrap',
        'disable',
        'enable',
        'stop',
        'start',
        'kill',
        'submit',
        'setenv',
        'unsetenv',
        'reboot',
        'config',
        'limit *',
      ]);
    case 'brew':
      return isVerb(operands, ['services stop|restart|start|run|kill|cleanup']);
    case 'sc':
      return isVerb(operands, ['stop|delete|config|create|start|pause|failure', '* stop|delete|config|create|start']);
    case 'net':
      return isVerb(
        operands.map((word) => word.toLowerCase()),
        ['stop|start|pause *'],
      );
    case 'supervisorctl':
      return isVerb(operands, ['stop', 'restart', 'shutdown', 'reload', 'remove', 'start', 'update', 'clear']);
    case 'pm2':
    case 'forever':
      return isVerb(operands, [
        'stop',
        'delete',
        'del',
        'kill',
        'restart',
        'stopall',
        'restartall',
        'unstartup',
        'startup',
        'reset',
        'flush',
      ]);
    case 'monit':
      return isVerb(operands, ['stop', 'restart', 'unmonitor', 'quit', 'start']);
    case 'sv':
    case 's6-svc':
    case 's6-rc':
    case 'initctl':
    case 'runsvctl':
    case 'nssm':
    case 'svcadm':
    case 'herd':
    case 'rcctl':
      return (
        operands.some((word) =>
          /^(?:stop|down|restart|force-stop|force-restart|exit|kill|force-shutdown|start|up|disable|enable|remove|d|u|t|k)$/.test(
            word,
          ),
        ) || hasArg(call, '-d', '-k', '-x', '-t', '-wd')
      );
    case 'svc':
      return knownArgs(call).some((arg) => /^-[a-zA-Z]*[dxtkpih]/.test(arg));
    case 'rc-update':
      return isVerb(operands, ['add|del|delete']);
    case 'update-rc.d':
    case 'chkconfig':
    case 'insserv':
    case 'sysv-rc-conf':
      return operands.length > 1 || hasArg(call, '--del', '--add', '-r');
    case 'sysrc':
      return hasArg(call, '-x') || operandsOf(call, 'f: j: R: s:').some((word) => /[+-]?=/.test(word));
    case 'systemd-run':
      return (
        hasArg(call, '--on-calendar', '--on-boot', '--on-active') || knownArgs(call).some((arg) => /^--on-/.test(arg))
      );
    case 'snap':
      return isVerb(operands, ['stop', 'disable', 'restart', 'start', 'enable']);
    case 'loginctl':
      return isVerb(operands, [
        'terminate-session',
        'terminate-user',
        'kill-session',
        'kill-user',
        'terminate-seat',
        'suspend',
        'hibernate',
        'enable-linger',
        'disable-linger',
        'lock-sessions',
      ]);
    case 'machinectl':
      return isVerb(operands, ['terminate', 'poweroff', 'reboot', 'kill', 'remove', 'stop']);
    case 'stop-service':
    case 'restart-service':
    case 'set-service':
    case 'start-service':
    case 'remove-service':
    case 'suspend-service':
    case 'new-service':
      return true;
    case 'apachectl':
    case 'apache2ctl':
      return isVerb(operands, ['stop', 'restart', 'graceful-stop']) || hasArg(call, '-k');
    case 'nginx':
    case 'httpd':
      return (
        optionsOf(call, 's: c: g: p: t T v V q e:').value('s') !== undefined &&
        ['stop', 'quit'].includes(optionsOf(call, 's: c: g: p: t T v V q e:').value('s')?.text ?? '')
      );
    case 'rabbitmqctl':
      return isVerb(operands, [
        'stop',
        'stop_app',
        'reset',
        'force_reset',
        'shutdown',
        'delete_vhost',
        'delete_user',
        'delete_queue',
        'purge_queue',
        'forget_cluster_node',
        'close_all_connections',
      ]);
    default:
      return false;
  }
}

/** `/etc/init.d/nginx stop`. */
function initScript(call: Call): boolean {
  return (
    call.argv0.text.startsWith('/etc/') &&
    /^\/etc\/(?:init\.d|rc\.d)\//.test(call.argv0.text) &&
    call.args.some((arg) => /^(?:stop|restart|start|force-reload)$/.test(arg.text))
  );
}

export const serviceRules: readonly Rule[] = [
  {
    id: 'host.service',
    grade: 'dangerous',
    programs: [...SERVICE_PROGRAMS],
    oddName: true,
    test: changesService,
    why: 'changes or stops a service of the machine',
    smart: true,
    match: [
      'net stop spooler',
      'svc -d /service/x',
      'systemctl stop nginx',
      'service nginx restart',
      'launchctl bootout system/x',
      'brew services stop redis',
      'pm2 delete app',
      '/etc/init.d/ssh stop',
      '/etc/init.d/nginx restart',
      'sysrc sshd_enable=NO',
      'service sshd onestop',
    ],
    notMatch: [
      'sysrc -n hostname',
      'service sshd onestatus',
      'net start',
      'svc -u /service/x',
      'systemctl status nginx',
      'systemctl list-units',
      'service --status-all',
      'launchctl list',
      'systemctl is-active x',
      'pm2 list',
      'service nginx status',
      '/etc/init.d/nginx status',
    ],
  },
];
