import type { Rule } from './rule.ts';
import { usedBy, type VerbTable } from './verb-table.ts';

/** Firmware, chips and registers. */
const HARDWARE: VerbTable = Object.assign(
  {
    avrdude: { arg: /^(?:-U)?\w+:w:|^-e$/, unless: /^-[a-zA-Z]*n$/ },
    nvme: {
      verbs: [
        'fw-download|set-feature|reset|subsystem-reset|security-send|admin-passthru|io-passthru|attach-ns|detach-ns',
      ],
    },
    camcontrol: { verbs: ['fwdownload|standby|idle|sleep|stop|eject|reset|cmd|modepage|security|hpa|ama'] },
    nvmecontrol: { verbs: ['firmware|reset|power|ns|admin-passthru|io-passthru'] },
    wrmsr: {},
    devmem: { verbs: ['* * *'] },
    devmem2: { verbs: ['* * *'] },
    i2cset: {},
    i2ctransfer: { arg: /^w\d/ },
    heimdall: { verbs: ['flash|close-pc-screen'] },
    'arduino-cli': { verbs: ['upload|burn-bootloader'] },
    fwupdtool: { verbs: ['install|update|downgrade|reinstall|install-blob'] },
    racadm: { arg: /^(?:serveraction|racreset\w*|systemerase|clrsel|fwupdate|update)$/, unless: /^powerstatus$/ },
    redfishtool: { verbs: ['* reset'] },
    setpci: { arg: /=/ },
    'st-flash': { verbs: ['write|erase'] },
    'st-util': {},
    stm32flash: { arg: /^-[weoukj]/ },
    'dfu-util': { arg: /^(?:-D|--download)/ },
    'dfu-programmer': { verbs: ['* erase|flash|launch'] },
    picotool: { verbs: ['load|erase|otp'] },
    nrfjprog: { arg: /^(?:-e|--(?:eraseall|program|recover|erasepage))$/ },
    pyocd: { verbs: ['erase|flash|load|reset'] },
    openocd: { arg: /\b(?:program|flash (?:write|erase)|mass_erase)/ },
    'nvidia-smi': { arg: /^(?:-r|-pl|-pm|-e|-c|-lgc|-rgc|-mig|--gpu-reset|--power-limit.*|--persistence-mode.*)$/ },
    'rpi-eeprom-update': { arg: /^-[adfr]/ },
    ectool: { verbs: ['reboot_ec|flashwrite|flasherase|fanduty|batterycutoff'] },
    storcli: { arg: /^(?:del|delete|erase|init|start|flush|downgrade)$/ },
  } satisfies VerbTable,
  Object.fromEntries(
    ['esptool.py', 'esptool'].map((name) => [
      name,
      {
        grammar: 'p|port: b|baud: c|chip: before: after:',
        verbs: ['erase_flash|erase-flash|erase_region|erase-region|write_flash|write-flash|write_mem|write-mem'],
      },
    ]),
  ),
  Object.fromEntries(['espefuse.py', 'espefuse'].map((name) => [name, { arg: /^burn[_-]/ }])),
  Object.fromEntries(
    ['storcli64', 'perccli', 'perccli64'].map((name) => [name, { arg: /^(?:del|delete|erase|init)$/ }]),
  ),
  Object.fromEntries(['ssacli', 'hpssacli', 'arcconf'].map((name) => [name, { arg: /^(?:delete|modify|DELETE)$/ }])),
  Object.fromEntries(
    ['megacli', 'MegaCli', 'MegaCli64'].map((name) => [name, { arg: /^-(?:CfgLdDel|CfgClr|LDInit|PDOffline)/i }]),
  ),
);

/** Phones, simulators and emulators, from here or in their own shell. */
const DEVICES: VerbTable = {
  adb: {
    grammar: 's: t: H: P: L:',
    verbs: ['uninstall|reboot|reboot-bootloader|remount|disable-verity|sideload', 'shell cmd package uninstall|clear'],
  },
  pm: { verbs: ['uninstall|clear|disable-user|disable|hide|suspend|trim-caches'] },
  am: { arg: /\b(?:MASTER_CLEAR|FACTORY_RESET)\b/ },
  recovery: { arg: /^--wipe/ },
  xcrun: { grammar: 'sdk: toolchain:', verbs: ['simctl erase|delete|uninstall|keychain'] },
  simctl: { verbs: ['erase|delete|uninstall|keychain'] },
  avdmanager: { verbs: ['delete *'] },
};

export const hardwareRules: readonly Rule[] = [
  {
    id: 'host.hardware',
    grade: 'dangerous',
    programs: Object.keys(HARDWARE),
    test: usedBy(HARDWARE),
    why: 'writes firmware, chips or registers of hardware',
    smart: true,
    match: [
      'esptool.py --port /dev/ttyUSB0 erase_flash',
      'avrdude -c x -U flash:w:a.hex',
      'nvme fw-download /dev/nvme0 -f x',
      'devmem 0xfe000000 32 0',
      'setpci -s 00:1f.0 4.w=0',
      'camcontrol fwdownload ada0 -f fw.bin',
    ],
    notMatch: [
      'esptool.py chip_id',
      'avrdude -c x -U flash:r:a.hex',
      'nvme list',
      'devmem 0xfe000000',
      'setpci -s 0 4.w',
      'camcontrol identify ada0',
    ],
  },
  {
    id: 'host.device',
    grade: 'dangerous',
    programs: Object.keys(DEVICES),
    test: usedBy(DEVICES),
    why: 'removes apps or data from a phone, a simulator or an emulator, or restarts it',
    smart: true,
    match: [
      'adb -s X uninstall com.example.app',
      'adb shell pm clear com.example.app',
      'xcrun simctl erase all',
      'avdmanager delete avd -n x',
    ],
    notMatch: ['adb install -r app.apk', 'adb shell pm list packages', 'xcrun simctl list', 'avdmanager list avd'],
  },
];
