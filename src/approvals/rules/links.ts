import type { Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

/** What lies under the network: bridges, tunnels, connection tables, filters, and the modules that carry them. */
const LINKS: VerbTable = {
  networkctl: { verbs: ['up|down|delete|reconfigure|reload|renew|forcerenew|mask|edit'] },
  brctl: { verbs: ['addbr|delbr|addif|delif|stp|setageing|setfd'] },
  bridge: { grammar: 'n|netns:', verbs: ['* add|del|delete|set|append|replace|flush'] },
  'ovs-vsctl': {
    grammar: 't: db:',
    verbs: ['add-br|del-br|add-port|del-port|set|clear|destroy|remove|emer-reset|del-controller'],
  },
  'ovs-ofctl': { verbs: ['add-flow|del-flows|mod-flows|add-flows|replace-flows'] },
  wg: { verbs: ['set|setconf|addconf|syncconf'] },
  ipsec: { verbs: ['stop|restart|down|reload|purge|start'] },
  swanctl: { arg: /^(?:-t|--terminate|-[fq]|--flush-certs|--load-\w+)$/ },
  conntrack: { arg: /^(?:-[FDIU]|--flush|--delete|--create|--update)$/ },
  ipfw: {
    grammar: 'p:',
    verbs: ['flush|delete|add|zero|resetlog|enable|disable|set|nat|table'],
    unless: /^(?:-n|list|show)$/,
  },
  npfctl: { verbs: ['stop|start|flush|reload|rule|table'] },
  ipvsadm: { arg: /^(?:-[ACEDRadeZ]|--(?:add|edit|delete|clear|restore|zero)\S*)$/ },
  vtysh: { arg: /^(?:conf|configure|clear|reload|write)\b/ },
  wpa_cli: {
    grammar: 'i: p:',
    verbs: ['disconnect|remove_network|terminate|disable_network|reconfigure|interface_remove'],
  },
  iwctl: { verbs: ['station * disconnect|connect', 'known-networks * forget', 'device * set-property'] },
  'zerotier-cli': { verbs: ['leave|join|set'] },
  mullvad: { verbs: ['disconnect|connect', 'account logout', 'lockdown-mode set'] },
  'warp-cli': { verbs: ['disconnect|connect|delete', 'registration delete'] },
  bpftool: { verbs: ['map delete|update', 'net detach|attach', 'prog detach|load|loadall|attach', 'link detach'] },
  ss: { arg: /^(?:-[a-zA-Z]*K|--kill)$/ },
  tcpkill: {},
  wondershaper: {},
  resolvconf: { arg: /^-[adu]$/ },
  dhcpcd: { arg: /^(?:-[kxn]|--(?:release|exit|rebind))$/ },
  kldload: {},
  kldunload: {},
  kmod: { verbs: ['load|unload|insert|remove'] },
};

export const linkRules: readonly Rule[] = [
  {
    id: 'host.link',
    grade: 'dangerous',
    programs: Object.keys(LINKS),
    test: usedBy(LINKS),
    why: "changes the machine's bridges, tunnels, connections or kernel modules",
    match: [
      'networkctl down eth0',
      'brctl delbr br0',
      'wg set wg0 peer x remove',
      'conntrack -F',
      'ipfw -q flush',
      'kldload x',
    ],
    notMatch: [
      'networkctl list',
      'brctl show',
      'ss -tlnp',
      'wg show',
      'conntrack -L',
      'ipfw list',
      'kldstat',
      'bpftool prog show',
    ],
  },
];
