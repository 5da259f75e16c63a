import type { Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

const GENERATIONS: VerbTable = {
  'nixos-rebuild': { grammar: 'I: p|profile-name: flake: target-host: build-host:', verbs: ['switch|boot|test'] },
  'darwin-rebuild': { grammar: 'I: p: flake:', verbs: ['switch|activate'], arg: /^--(?:rollback|switch-generation)$/ },
  'home-manager': { grammar: 'I: f: flake: b:', verbs: ['switch|remove-generations|expire-generations|uninstall'] },
  nix: { grammar: 'f: I: profile:', verbs: ['profile wipe-history|rollback'] },
  'nix-store': { arg: /^(?:--delete|--gc)$/, unless: /^--print-(?:dead|live|roots)$/ },
  'nix-env': { arg: /^--(?:rollback|delete-generations|switch-generation)$|^-G$/ },
  guix: {
    grammar: 'L: p|profile:',
    verbs: [
      'system reconfigure|roll-back|switch-generation|delete-generations|init',
      'home reconfigure',
      'gc',
      'deploy',
    ],
    arg: /^--(?:delete-generations|roll-back|switch-generation)/,
    unless: /^--list-/,
  },
  'rpm-ostree': {
    grammar: 'os: stateroot:',
    verbs: ['rebase|rollback|deploy|reset|kargs|initramfs|uninstall|override|cleanup|apply-live|initramfs-etc'],
    arg: /^(?:-r|--reboot)$/,
  },
  bootc: { verbs: ['switch|rollback|install|edit', 'upgrade|update'], unless: /^--check$/ },
  ostree: {
    verbs: ['admin undeploy|deploy|upgrade|switch|cleanup|pin', 'refs', 'prune'],
    unless: /^--(?:list|no-prune)$/,
  },
  'transactional-update': { arg: /^(?:rollback|dup|reboot|cleanup|initrd|grub\.cfg|shell|bootloader)$/ },
  abroot: { verbs: ['rollback|upgrade|kargs'] },
  snapper: { grammar: 'c|config: t: r: root:', verbs: ['undochange|delete|remove|rollback|delete-config|cleanup'] },
  timeshift: { arg: /^--(?:restore|delete|delete-all)$/ },
  bectl: { verbs: ['destroy|activate|rename'] },
  beadm: { verbs: ['destroy|activate|rename'] },
  'kernel-install': { verbs: ['remove|add|add-all'] },
  sysupgrade: {},
  'freebsd-update': { grammar: 'b: d: f: k: r: s: t:', verbs: ['install|rollback|upgrade'] },
};

export const generationRules: readonly Rule[] = [
  {
    id: 'host.generation',
    grade: 'dangerous',
    programs: Object.keys(GENERATIONS),
    test: usedBy(GENERATIONS),
    why: 'switches the machine to another system, or deletes the ones to go back to',
    match: [
      'nixos-rebuild switch',
      'rpm-ostree rebase fedora:41',
      'bootc switch quay.io/x',
      'snapper -c root undochange 1..2',
      'timeshift --restore',
      'nix profile wipe-history',
    ],
    notMatch: [
      'nixos-rebuild build',
      'rpm-ostree status',
      'bootc status',
      'snapper list',
      'timeshift --list',
      'nix-store --gc --print-dead',
      'nix profile list',
      'guix describe',
    ],
  },
];
