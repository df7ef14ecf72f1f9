// Stable codes of the findings of an agent's diagnostics. A program that knows a code shows its own text with the
// values. Other programs show the English text that is sent with the code. The part before the dot is the name of the
// check.

/** The reasons why a modem cannot be used. The code is `modem.` followed by one of these reasons. */
const blockedModem = [
  'no-answer',
  'garbled',
  'port-lost',
  'fell-silent',
  'not-a-modem',
  'no-sim',
  'sim-failure',
  'sim-busy',
  'sim-state-unknown',
  'pin-required',
  'pin-malformed',
  'pin-tries-unknown',
  'pin-last-try',
  'pin-wrong',
  'pin-not-taken',
  'pin-not-kept',
  'puk-required',
  'modem-locked',
  'pdu-mode-refused',
  'login-required',
  'login-refused',
] as const

/** The limitations of a modem. The code is `limit.` followed by one of these limitations. */
const limits = [
  'no-indications',
  'no-delivery-reports',
  'no-readable-memory',
  'memory-not-selectable',
  'sim-state-unreadable',
  'registration-unreadable',
  'no-service-centre',
  'no-imei',
  'imei-malformed',
  'at-refused',
  'no-error-codes',
  'echo-stays-on',
  'web-interface',
  'indications-unverified',
] as const

/** Findings that need no action, with the values of each finding. */
const sound = {
  'agent.running': ['version'],
  'runtime.ok': ['version'],
  'serial.ok': [],
  'folder.private': ['path'],
  'disk.ok': ['path', 'freeMb'],
  'speed.ok': ['ms'],
  'power.ok': [],
  'clock.synchronised': ['zone'],
  'clock.kept': ['zone'],
  'modems.virtual': [],
  'usb.seen': ['devices'],
  'usb.nothing': [],
  'port.ok': ['port'],
  'port.hidden': ['port'],
  'port.second': ['port', 'second'],
  'manager.shares': ['ports'],
  'manager.ignores': [],
  'modem.ok': ['model', 'port'],
  'card.ok': [],
  'card.unread': [],
  'card.tries': ['tries'],
  'network.home': ['operator'],
  'network.roaming': ['operator'],
  'signal.ok': ['dbm'],
  'centre.ok': [],
  'centre.stick': [],
  'storage.ok': ['used', 'total'],
  'number.known': [],
  'model.note': ['note'],
  'link.online': [],
} as const

/** Findings with recommended action. */
const advised = {
  'runtime.old': ['version', 'wanted'],
  'serial.broken': ['reason'],
  'folder.missing': ['path'],
  'folder.forbidden': ['path'],
  'folder.open': ['files'],
  'disk.low': ['path', 'freeMb'],
  'disk.full': ['path', 'freeMb'],
  'speed.slow': ['ms'],
  'journal.failed': ['problem'],
  'power.low': [],
  'power.was-low': [],
  'clock.unsynchronised': ['zone'],
  'usb.adapter': ['device'],
  'usb.brovi': ['device'],
  'usb.storage-mode': ['device'],
  'usb.excluded': ['device'],
  'usb.unknown-ports': ['device'],
  'usb.data-only': ['device'],
  'usb.network-card': ['device'],
  'usb.no-driver': ['device'],
  'usb.other': ['problem'],
  'usb.suspends': ['device'],
  'switch.failed': ['device'],
  'switch.missing': ['device'],
  'modems.none': [],
  'port.missing': ['port'],
  'port.container': ['port'],
  'port.owner-only': ['port'],
  'port.login-again': ['port', 'user', 'group'],
  'port.forbidden': ['port', 'user', 'group'],
  'port.not-serial': ['port'],
  'port.manager': ['port'],
  'port.in-use': ['port', 'programs'],
  'port.gpio-off': ['port'],
  'port.bluetooth': ['port'],
  'port.debug': ['port'],
  'port.console': ['port'],
  'port.renamed': ['port', 'link'],
  'port.autobaud': ['port', 'rate'],
  'manager.takes': ['devices'],
  'modem.silent': ['port'],
  'modem.switched-off': ['port'],
  'card.wrong-pin': ['tries'],
  'network.denied': [],
  'network.none': [],
  'network.held': ['operator'],
  'time.ahead': ['minutes'],
  'time.behind': ['minutes'],
  'signal.weak': ['dbm'],
  'centre.unknown': [],
  'centre.none': [],
  'storage.full': ['used', 'total'],
  'number.unknown': ['setting'],
  'link.failed': ['problem'],
} as const

type Table<Prefix extends string, Names extends readonly string[]> = {
  readonly [Name in `${Prefix}.${Names[number]}`]: readonly []
}

/** The values of each finding, by its code. */
export const findingValues: typeof sound &
  typeof advised &
  Table<'modem', typeof blockedModem> &
  Table<'limit', typeof limits> = {
  ...sound,
  ...advised,
  ...tableOf('modem', blockedModem),
  ...tableOf('limit', limits),
}

/** True if a finding with this code has recommended action. */
export function isAdvised(code: FindingCode): boolean {
  return !(code in sound)
}

function tableOf<Prefix extends string, Names extends readonly string[]>(prefix: Prefix, names: Names) {
  return Object.fromEntries(names.map((name) => [`${prefix}.${name}`, []])) as unknown as Table<Prefix, Names>
}

export type FindingCode = keyof typeof findingValues

/** A code with its values. */
export type FindingMeaning = {
  readonly [Code in FindingCode]: (typeof findingValues)[Code] extends readonly []
    ? { readonly code: Code; readonly values?: undefined }
    : {
        readonly code: Code
        readonly values: { readonly [Name in (typeof findingValues)[Code][number]]: string | number }
      }
}[FindingCode]
