import type { CommandTable, Finished } from '../command.ts'
import type { MobileEquipment } from '../mobile-equipment.ts'
import type { Technology } from '../network/coverage.ts'
import type { Random } from '../random.ts'
import type { Cnmi, FactorySettings, RegistrationCommand } from '../settings.ts'
import type { Storage } from '../storages.ts'

/** A modem family: data and a few small functions. Another one is another object of this shape in the catalogue. */
export interface Personality {
  /** `quectel-ec25`; the name of its file too. */
  readonly name: string
  readonly title: string
  readonly identity: Identity
  readonly factory: FactorySettings
  readonly boot: Boot
  readonly messages: MessageTraits
  readonly registration: RegistrationTraits
  /** What a command nobody knows is answered. */
  readonly unknownCommand: Finished
  /** Commands of this family alone; they take the place of the general ones of the same name. */
  readonly commands: CommandTable
  /** General commands that this family does not have. */
  readonly lacks: readonly string[]
  /** CSCS=? */
  readonly characterSets: readonly string[]
  /** With CSCS "UCS2", telephone numbers in SMS commands are in hexadecimal too. */
  readonly numbersInCharacterSet: boolean
  readonly ussd: 'text' | 'packed'
  /** CLCK=? */
  readonly facilities: readonly string[]
  /** CPBS=? besides SM */
  readonly phonebooks: readonly string[]
  /** The port is a USB device's: it goes away while the modem is off or restarts. */
  readonly usb: boolean
  /** Longest command line; what is longer is an ERROR. */
  readonly longestLine: number
  /** One of the lines this family says all day long. */
  statusLine(random: Random): string
  /** What it says when the network tells the time. */
  timeLines(epochMs: number, zoneQuarters: number): readonly string[]
}

export interface Identity {
  readonly manufacturer: string
  readonly model: string
  readonly revision: string
  /** AT+CGMR and AT+GMR answer this instead of the bare revision. */
  readonly revisionLine?: string
  readonly modelLine?: string
  /** ATI */
  about(imei: string): readonly string[]
  /** AT+GCAP */
  readonly capabilities: string
}

/** Times from power on; what a real start takes. */
export interface Boot {
  /** From when commands are answered. */
  readonly answersAfterMs: number
  readonly simAfterMs: number
  /** From SIM ready on: how long until the message and phonebook services are there. */
  readonly smsAfterMs: number
  readonly registersAfterMs: number
  /** At power on, with a time each. */
  readonly lines: readonly { readonly afterMs: number; readonly line: string }[]
  /** When the SIM is ready, or says what it wants: `READY`, `SIM PIN`, `SIM PUK`; undefined: no SIM. */
  simLines(state: string | undefined): readonly string[]
  readonly smsLines: readonly string[]
  /** When it has registered for the first time. */
  readonly registeredLines: readonly string[]
}

export interface MessageTraits {
  readonly firstIndex: 0 | 1
  /** Slots of ME; 0: there is none. */
  readonly phoneCapacity: number
  /** Slots of SR; 0: there is none, and reports go where messages go. */
  readonly reportCapacity: number
  /** CPMS=?, its three lists. */
  readonly storageRanges: string
  /** `<alpha>` when the phonebook has no name. */
  readonly emptyAlpha: '' | '""'
  /** What CMGR says of an empty slot: an error, OK alone, or a message of no length. */
  readonly emptySlot: 'error' | 'ok' | 'zero'
  /** CNMI=? */
  readonly cnmiRanges: string
  acceptsCnmi(cnmi: Cnmi): boolean
  readonly cnmiRefusal: Finished
  /** CSMS=? and whether 1 can be set. */
  readonly services: string
  readonly acknowledges: boolean
  /** Reports that CNMI ds=2 should store vanish. */
  readonly losesStoredReports: boolean
  /** Milliseconds after which the modem itself gives up on a SUBMIT (CMS 332). */
  readonly submitWithinMs: number
  /** Said when a message was turned away. */
  memoryFullLines(storage: Storage): readonly string[]
}

export interface RegistrationTraits {
  /** Where the network has a better one, the modem uses this. */
  readonly bestTechnology: Technology
  /** CREG=2 and COPS? end with the access technology. */
  readonly showsTechnology: boolean
  /** Digits of the cell in CREG=2. */
  readonly cellDigits: 4 | 8
  readonly commands: readonly RegistrationCommand[]
  /** Extra lines when the signal or the network changes. */
  changeLines(modem: MobileEquipment): readonly string[]
}
