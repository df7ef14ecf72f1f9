import type { Technology } from '../network/coverage.ts'
import type { Random } from '../random.ts'
import type { ResultCode } from '../wire/result-code.ts'
import type { Cnmi, FactorySettings, RegistrationCommand, Settings } from './settings.ts'

/** The properties of a modem family that the equipment and the commands read. */
export interface PersonalityTraits {
  readonly identity: Identity
  readonly factory: FactorySettings
  readonly boot: Boot
  readonly messages: MessageTraits
  readonly registration: RegistrationTraits
  /** The result of a command that the family does not have. */
  readonly unknownCommand: ResultCode
  /** CSCS=? */
  readonly characterSets: readonly string[]
  /** With CSCS "UCS2", phone numbers in SMS commands are in hexadecimal too. */
  readonly numbersInCharacterSet: boolean
  readonly ussd: 'text' | 'packed'
  /** CLCK=? */
  readonly facilities: readonly string[]
  /** CPBS=?, in addition to SM. */
  readonly phonebooks: readonly string[]
  /** The port belongs to a USB device, so it disappears while the modem is off or restarts. */
  readonly usb: boolean
  /** Longest command line in characters; a longer line gets ERROR. */
  readonly longestLine: number
  /** One of the status lines that the family sends during normal operation. */
  statusLine(random: Random): string
  /** The lines that the family sends when the network reports the time. */
  timeLines(epochMs: number, zoneQuarters: number): readonly string[]
}

export interface Identity {
  readonly manufacturer: string
  readonly model: string
  readonly revision: string
  /** Answer to AT+CGMR and AT+GMR; default: the revision alone. */
  readonly revisionLine?: string
  /** ATI */
  about(imei: string): readonly string[]
  /** AT+GCAP */
  readonly capabilities: string
}

/** Times of a boot, from power-on, as on real hardware. */
export interface Boot {
  /** When commands are answered. */
  readonly answersAfterMs: number
  readonly simAfterMs: number
  /** From SIM ready until the message and phonebook services are ready. */
  readonly smsAfterMs: number
  readonly registersAfterMs: number
  /** Boot messages with their times. */
  readonly lines: readonly { readonly afterMs: number; readonly line: string }[]
  /** Lines for the SIM state: `READY`, `SIM PIN`, `SIM PUK`; undefined: no SIM. */
  simLines(state: string | undefined): readonly string[]
  readonly smsLines: readonly string[]
  /** Lines after the first registration. */
  readonly registeredLines: readonly string[]
}

export interface MessageTraits {
  readonly firstIndex: 0 | 1
  /** Slots of ME; 0: no ME. */
  readonly phoneCapacity: number
  /** Slots of SR; 0: no SR, so reports are stored with messages. */
  readonly reportCapacity: number
  /** CPMS=?, its three lists. */
  readonly storageRanges: string
  /** `<alpha>` for a number without a phonebook name. */
  readonly emptyAlpha: '' | '""'
  /** CMGR of an empty slot: an error, OK alone, or a message of length 0. */
  readonly emptySlot: 'error' | 'ok' | 'zero'
  /** CNMI=? */
  readonly cnmiRanges: string
  acceptsCnmi(cnmi: Cnmi): boolean
  readonly cnmiRefusal: ResultCode
  /** CSMS=? */
  readonly services: string
  readonly acknowledges: boolean
  /** Whether the modem loses the reports that it should store with CNMI ds=2. */
  readonly losesStoredReports: boolean
  /** Time after which the modem ends a SUBMIT with CMS 332. */
  readonly submitWithinMs: number
  /** Lines after a message was refused for lack of memory. */
  memoryFullLines(storage: { readonly name: string }): readonly string[]
}

export interface RegistrationTraits {
  /** The best technology that the modem supports. */
  readonly bestTechnology: Technology
  /** CREG=2 and COPS? end with the access technology. */
  readonly showsTechnology: boolean
  /** Digits of the cell in CREG=2. */
  readonly cellDigits: 4 | 8
  readonly commands: readonly RegistrationCommand[]
  /** Extra lines when the signal or the network changes. */
  changeLines(modem: RegistrationReadings): readonly string[]
}

/** The values in the extra lines for a change of the signal or the network. */
export interface RegistrationReadings {
  readonly radio: {
    readonly signalQuality: number
    readonly signalDbm: number | undefined
    readonly registered: boolean
  }
  readonly settings: Settings
}
