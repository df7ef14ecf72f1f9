import type { RadioTechnology } from '../network/coverage.ts'
import type { SeededRandom } from '../random.ts'
import type { ResultCode } from '../wire/result-code.ts'
import type { Cnmi, EquipmentSettings, FactorySettings, RegistrationCommand } from './settings.ts'

/** The properties of a modem family that the equipment and the commands read. */
export interface PersonalityTraits {
  readonly identity: PersonalityIdentity
  readonly factory: FactorySettings
  readonly boot: Boot
  readonly messages: MessageTraits
  readonly registration: RegistrationTraits
  /** The result code for a command that the family does not have. */
  readonly unknownCommand: ResultCode
  /** CSCS=? */
  readonly characterSets: readonly string[]
  /** True if, with CSCS "UCS2", not only texts but also phone numbers in SMS commands are in hexadecimal. */
  readonly numbersInCharacterSet: boolean
  readonly ussd: 'text' | 'packed'
  /** Undefined if the family does not pass commands of the SIM toolkit to the host. */
  readonly toolkit?: SimToolkitTraits
  /** CLCK=? */
  readonly facilities: readonly string[]
  /** The answer to CPBS=?, in addition to SM. */
  readonly phonebooks: readonly string[]
  /** True if the port belongs to a USB device, so that it disappears while the modem is off or restarts. */
  readonly usb: boolean
  /** The longest command line in characters; a longer line gets ERROR. */
  readonly longestLine: number
  /** One of the status lines that the family sends during normal operation. */
  statusLine(random: SeededRandom): string
  /** The lines that the family sends when the network reports the time. */
  timeLines(epochMs: number, zoneQuarters: number): readonly string[]
}

export interface SimToolkitTraits {
  /** The line for a command of this type (ETSI TS 102 223 §9.4). */
  asks(type: number): string
  /** The line at the end of the session. */
  readonly ended?: string
}

export interface PersonalityIdentity {
  readonly manufacturer: string
  readonly model: string
  readonly revision: string
  /** The answer to AT+CGMR and AT+GMR. Default: only the revision. */
  readonly revisionLine?: string
  /** ATI */
  about(imei: string): readonly string[]
  /** AT+GCAP */
  readonly capabilities: string
}

/** The times of a boot from power-on, as on real hardware. */
export interface Boot {
  /** The time from which commands are answered. */
  readonly answersAfterMs: number
  readonly simAfterMs: number
  /** The time from a ready SIM until the message and phonebook services are ready. */
  readonly smsAfterMs: number
  readonly registersAfterMs: number
  /** The boot messages with their times. */
  readonly lines: readonly { readonly afterMs: number; readonly line: string }[]
  /** The lines for a SIM state: `READY`, `SIM PIN`, `SIM PUK`, or undefined for no SIM. */
  simLines(state: string | undefined): readonly string[]
  readonly smsLines: readonly string[]
  /** The lines after the first registration. */
  readonly registeredLines: readonly string[]
}

export interface MessageTraits {
  readonly firstIndex: 0 | 1
  /** The number of slots of ME; 0 if the family has no ME. */
  readonly phoneCapacity: number
  /** The number of slots of SR; 0 if the family has no SR and stores reports with messages. */
  readonly reportCapacity: number
  /** The three lists of the answer to CPMS=?. */
  readonly storageRanges: string
  /** The `<alpha>` of a number without a phonebook name. */
  readonly emptyAlpha: '' | '""'
  /** The answer to CMGR of an empty slot: an error, only OK, or a message of length 0. */
  readonly emptySlot: 'error' | 'ok' | 'zero'
  /** CNMI=? */
  readonly cnmiRanges: string
  acceptsCnmi(cnmi: Cnmi): boolean
  readonly cnmiRefusal: ResultCode
  /** CSMS=? */
  readonly services: string
  readonly acknowledges: boolean
  /** True if the modem loses the reports that it should store with CNMI ds=2. */
  readonly losesStoredReports: boolean
  /** The time after which the modem ends a SUBMIT with CMS 332. */
  readonly submitWithinMs: number
  /** The lines after the modem refused a message because its memory was full. */
  memoryFullLines(storage: { readonly name: string }): readonly string[]
}

export interface RegistrationTraits {
  /** The best technology that the modem supports. */
  readonly bestTechnology: RadioTechnology
  /** True if the answers to CREG=2 and COPS? end with the access technology. */
  readonly showsTechnology: boolean
  /** The number of digits of the cell in CREG=2. */
  readonly cellDigits: 4 | 8
  readonly commands: readonly RegistrationCommand[]
  /** The extra lines when the signal or the network changes. */
  changeLines(modem: RegistrationReadings): readonly string[]
}

/** The values in the extra lines for a change of the signal or the network. */
export interface RegistrationReadings {
  readonly radio: {
    readonly signalQuality: number
    readonly signalDbm: number | undefined
    readonly registered: boolean
  }
  readonly settings: EquipmentSettings
}
