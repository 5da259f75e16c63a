import type { Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

const PRINCIPALS =
  /(?:^|\s)(?:del|delete|add|anks?|addprinc|delprinc|delpol|addpol|modpol|modprinc|cpw|change_password|renprinc|purgekeys|ktadd|xst|delete_principal|add_principal|modify_principal)(?:\s|$)/;

/** Directories of accounts and groups for a whole network. */
const DIRECTORIES: VerbTable = {
  'samba-tool': {
    grammar: 'H|URL: U|username: s|configfile: p|password:',
    verbs: [
      'user delete|disable|enable|create|add|setpassword|setexpiry|rename|move|edit|password',
      'group delete|add|create|addmembers|removemembers|move|edit',
      'computer|ou|contact|gpo|sites delete|del|create|add|remove|rename',
      'dns delete|add|update|zonedelete|zonecreate',
      'domain demote|join|provision|passwordsettings|exportkeytab|trust|level',
      'fsmo transfer|seize',
      'spn add|delete',
    ],
  },
  ipa: {
    arg: /^(?:[a-z]+-(?:del|add|mod|disable|enable|unlock|undel|stage|archive|import|retrieve)|[a-z]+-(?:add|remove)-\w+|passwd)$/,
  },
  ldapdelete: { unless: /^-[a-zA-Z]*n/ },
  ldapmodify: { unless: /^-[a-zA-Z]*n/ },
  ldapadd: { unless: /^-[a-zA-Z]*n/ },
  ldapmodrdn: { unless: /^-[a-zA-Z]*n/ },
  ldappasswd: { unless: /^-[a-zA-Z]*n/ },
  slapadd: {},
  kadmin: { arg: PRINCIPALS },
  'kadmin.local': { arg: PRINCIPALS },
  kdb5_util: { grammar: 'r: d: k: M: sf:', verbs: ['destroy|load|create|stash|update_princ_encryption|purge_mkeys'] },
  groupmems: { arg: /^(?:-[adp]|--add|--delete|--purge)$/ },
  pdbedit: { arg: /^(?:-[a-zA-Z]*[xam]|--delete|--create|--modify)/, unless: /^(?:-[a-zA-Z]*L|--list)/ },
  adcli: {
    verbs: [
      'create-user|delete-user|create-group|delete-group|add-member|remove-member|delete-computer|join|passwd-user',
    ],
  },
  dsadd: {},
  dsmod: {},
  dsrm: {},
};

export const directoryRules: readonly Rule[] = [
  {
    id: 'host.directory',
    grade: 'dangerous',
    programs: Object.keys(DIRECTORIES),
    test: usedBy(DIRECTORIES),
    why: 'changes accounts or groups of a directory',
    match: [
      'samba-tool user delete bob',
      'ipa user-del bob',
      'ldapdelete -x -D cn=admin x',
      "kadmin.local -q 'delprinc bob'",
      'groupmems -a eve -g wheel',
    ],
    notMatch: [
      'samba-tool user list',
      'ipa user-show bob',
      'ldapdelete -n x',
      'kadmin.local -q listprincs',
      'groupmems -l -g wheel',
    ],
  },
];
