/** All values that AT commands set. A restart restores the factory values. */
export interface EquipmentSettings {
  echo: boolean
  quiet: boolean
  verbose: boolean
  /** The S registers that can be read but have no other effect. */
  readonly registers: Map<number, number>
  /** S3, S4, S5: line end, line feed in answers, backspace. */
  lineEnd: number
  lineFeed: number
  backspace: number
  errorReports: 0 | 1 | 2
  /** CMGF */
  messageFormat: 0 | 1
  csmp: { firstOctet: number; validityPeriod: string; protocolIdentifier: number; dataCodingScheme: number }
  /** CSDH: text mode shows all header fields. */
  showHeaders: boolean
  characterSet: string
  cnmi: Cnmi
  /** CSMS: with 1, the host must acknowledge routed messages with CNMA. */
  messageService: number
  /** CMMS */
  moreMessages: number
  /** CSCB */
  broadcast: { mode: 0 | 1; identifiers: string; codings: string }
  /** CPMS: read and delete, write and send, receive. */
  memories: readonly [string, string, string]
  /** CREG, CGREG, CEREG, C5GREG: 0 to 2. */
  registrationReports: Record<RegistrationCommand, number>
  /** CUSD */
  ussdReports: number
  /** CTZR: 0 off, 1 +CTZV, 2 +CTZE. */
  timeZoneReports: number
  timeZoneUpdates: number
  callerIdentification: boolean
  operatorFormat: 0 | 1 | 2
  operatorMode: number
  phonebook: string
  /** CFUN: 0 minimum, 1 full, 4 radio off. */
  functionality: number
  /** Settings without effect, stored as written. */
  readonly remembered: Map<string, string>
}

/** 27.005 §3.4.1 */
export interface Cnmi {
  readonly mode: number
  readonly mt: number
  readonly bm: number
  readonly ds: number
  readonly bfr: number
}

export type RegistrationCommand = '+CREG' | '+CGREG' | '+CEREG' | '+C5GREG'

export interface FactorySettings {
  readonly characterSet: string
  readonly cnmi: Cnmi
  readonly memories: readonly [string, string, string]
  readonly errorReports: 0 | 1 | 2
}

export function factorySettings(factory: FactorySettings): EquipmentSettings {
  return {
    echo: true,
    quiet: false,
    verbose: true,
    registers: new Map([
      [0, 0],
      [6, 2],
      [7, 60],
      [8, 2],
      [10, 15],
    ]),
    lineEnd: 13,
    lineFeed: 10,
    backspace: 8,
    errorReports: factory.errorReports,
    messageFormat: 0,
    csmp: { firstOctet: 17, validityPeriod: '167', protocolIdentifier: 0, dataCodingScheme: 0 },
    showHeaders: false,
    characterSet: factory.characterSet,
    cnmi: factory.cnmi,
    messageService: 0,
    moreMessages: 0,
    broadcast: { mode: 0, identifiers: '', codings: '' },
    memories: factory.memories,
    registrationReports: { '+CREG': 0, '+CGREG': 0, '+CEREG': 0, '+C5GREG': 0 },
    ussdReports: 0,
    timeZoneReports: 0,
    timeZoneUpdates: 1,
    callerIdentification: false,
    operatorFormat: 0,
    operatorMode: 0,
    phonebook: 'SM',
    functionality: 1,
    remembered: new Map(),
  }
}
