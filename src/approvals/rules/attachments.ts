import type { Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

/** Block devices that are put in, taken away or put to sleep while something may be using them. */
const ATTACHMENTS: VerbTable = {
  'qemu-nbd': { arg: /^(?:-[a-zA-Z]*[cd]|--(?:connect|disconnect)\S*)$/ },
  'nbd-client': {},
  vdo: { arg: /^(?:remove|stop|deactivate|create|disable\w*)$/ },
  iscsiadm: { arg: /^(?:-[a-zA-Z]*u|--logout|--logoutall\S*)$/ },
  sg_start: { arg: /^(?:-[SelL0]|--(?:stop|eject|load)|0)$/ },
  hdparm: { arg: /^-[yYf]$|^-W\s?[01]$/ },
  smartctl: { arg: /^(?:off|--smart=off|--set=\S+)$/ },
  veracrypt: { arg: /^(?:-[dcC]|--(?:dismount|create|change))\S*$/ },
  exportfs: { arg: /^-[a-zA-Z]*u/ },
};

export const attachmentRules: readonly Rule[] = [
  {
    id: 'disk.attach',
    grade: 'dangerous',
    programs: Object.keys(ATTACHMENTS),
    test: usedBy(ATTACHMENTS),
    why: 'attaches, detaches or stops a disk or an exported folder',
    match: [
      'qemu-nbd -d /dev/nbd0',
      'vdo remove --name x',
      'iscsiadm -m node -u',
      'hdparm -Y /dev/sda',
      'exportfs -ua',
    ],
    notMatch: ['vdo status', 'iscsiadm -m session', 'hdparm -I /dev/sda', 'smartctl -a /dev/sda', 'exportfs -v'],
  },
];
