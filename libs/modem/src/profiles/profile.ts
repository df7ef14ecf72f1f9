import type { CharacterSet } from '../commands/character-set.ts'
import type { MessageIndications } from '../commands/message-indications.ts'
import type { AcknowledgementForm } from '../commands/message-settings.ts'
import type { Memory } from '../commands/message-storage.ts'
import type { PinTries } from '../commands/pin-counter.ts'
import type { Query } from '../commands/query.ts'
import type { PinState } from '../commands/sim-pin.ts'
import type { UssdEncoding } from '../commands/ussd.ts'
import type { UnsolicitedForm } from '../unsolicited.ts'
import type { UsbRule } from './usb-port.ts'

/**
 * Everything that differs by vendor, as data and small pure functions. A profile is written as what differs from
 * `generic`; a new one is a file of its own and a line in the catalogue. What was seen of the modem is its test: a
 * transcript in `transcripts`, found by being there. A new USB vendor is also asked for in the udev rules of the agent.
 */
export interface Profile {
  readonly name: string
  /** Any of them that fits makes the profile a candidate; the best score of all candidates wins. */
  readonly fingerprints: readonly Fingerprint[]
  /** Models and firmware that differ from the rest of the family; all that fit are applied, in order. */
  readonly variants: readonly Variant[]
  /** Unsolicited codes beside the generic ones. */
  readonly unsolicited: readonly UnsolicitedForm[]
  /** Sent as soon as the vendor is known; whether they are supported makes no difference. */
  readonly calming: readonly string[]
  /** Never sent, whoever asks: they do harm. */
  readonly avoid: readonly string[]

  readonly pinState: Query<PinState>
  /** `asks-when-disabled`: says that it wants a PIN when the SIM wants none (Option). */
  readonly pinQuirk: 'none' | 'asks-when-disabled'
  readonly pinCounters: readonly Query<PinTries>[]
  readonly iccidCommands: readonly string[]

  readonly characterSet: CharacterSet
  /** Service of `+CSMS`; 128 is what M26 calls service 1. */
  readonly messageService: 0 | 1
  readonly acknowledgement: AcknowledgementForm
  /** Tried in order until one is taken. */
  readonly indications: readonly MessageIndications[]

  readonly storage: StorageTraits
  readonly submit: SubmitTraits
  /** The usual one first; the next is tried when the modem refuses. */
  readonly ussdEncodings: readonly UssdEncoding[]
  readonly radio: RadioTraits
  readonly usb: readonly UsbRule[]
  /** What somebody who runs this modem should know. */
  readonly advice: readonly string[]
}

export interface StorageTraits {
  /** Where messages are to arrive; the first that the modem offers. All memories are read whatever is chosen. */
  readonly receiveInto: readonly Memory[]
  /** Wavecom takes one memory in `+CPMS=`. */
  readonly selectTakes: 1 | 3
  readonly indexBase: 0 | 1
  /** The number of messages is behind for so long after an arrival. */
  readonly usageLagMs: number
  /** Firmware that hangs after hours of `+CMGL`: it is listed as seldom as can be. */
  readonly listingHangs: boolean
  /** Memories that can be read by index and not listed (`SR` of DWM-156). */
  readonly notListable: readonly Memory[]
  /** Deleting one part of a long message deletes the others: read them all first (SIM600). */
  readonly deletingDeletesSiblings: boolean
}

export interface SubmitTraits {
  readonly promptTimeoutMs: number
  readonly resultTimeoutMs: number
  /** Whether `+CMMS` may hold the link open in a burst. */
  readonly keepLinkOpen: boolean
  /** How long the modem holds it open behind the last result. */
  readonly linkOpenMs: number
}

export interface RadioTraits {
  /** Some need `+CFUN=1` before anything else works. */
  readonly switchOnAtStart: 'if-off' | 'always'
  /** OK to `+CFUN=1` comes early, and what follows at once may fail or crash it: `AT` until it answers, and so long. */
  readonly settleMs: number
  /** How long after its first answer it is good for nothing else yet. */
  readonly contactSettleMs: number
  readonly resetCommands: readonly string[]
}

/** Conditions that all must fit, as far as they are known. */
export interface Fingerprint {
  /** `12d1:1506`, or `12d1` for any product of the vendor. */
  readonly usb?: readonly string[]
  readonly manufacturer?: RegExp
  readonly model?: RegExp
  readonly firmware?: RegExp
}

export interface Variant {
  readonly fits: Fingerprint
  readonly changes: Partial<Omit<Profile, 'name' | 'fingerprints' | 'variants'>>
}

export interface FingerprintFacts {
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly firmware: string | undefined
  /** `12d1:1506` */
  readonly usb: string | undefined
}
