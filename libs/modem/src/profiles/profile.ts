import type { CharacterSet } from '../commands/character-set.ts'
import type { MessageIndications } from '../commands/messages/message-indications.ts'
import type { AcknowledgementForm } from '../commands/messages/message-settings.ts'
import type { Memory } from '../commands/messages/message-storage.ts'
import type { Query } from '../commands/query.ts'
import type { PinTries } from '../commands/sim/pin-counter.ts'
import type { PinState } from '../commands/sim/sim-pin.ts'
import type { UssdEncoding } from '../commands/ussd/ussd-text.ts'
import type { ProbeTraits } from '../send/result-probe.ts'
import type { ToolkitCode } from '../toolkit/toolkit-code.ts'
import type { UnsolicitedForm } from '../wire/unsolicited.ts'
import type { UsbRule } from './usb-port.ts'

/**
 * Everything that differs by vendor, as data and small pure functions. A profile lists its differences from `generic`;
 * a new profile needs only a file and a line in the catalogue. Recorded dialogues in `transcripts` are its tests.
 */
export interface Profile {
  readonly name: string
  /** Any matching entry makes the profile a candidate. The candidate with the best score is used. */
  readonly fingerprints: readonly Fingerprint[]
  /** Models and firmware that differ from the rest of the family. All matching variants are applied, in order. */
  readonly variants: readonly Variant[]
  /** Unsolicited codes in addition to the generic codes. */
  readonly unsolicited: readonly UnsolicitedForm[]
  /** Sent as soon as the vendor is known; a refusal is ignored. */
  readonly calming: readonly string[]
  /** Commands that are never sent because they are harmful. */
  readonly avoid: readonly string[]

  readonly pinState: Query<PinState>
  /** `asks-when-disabled`: the modem reports that it requires a PIN although the PIN is disabled (Option). */
  readonly pinQuirk: 'none' | 'asks-when-disabled'
  readonly pinCounters: readonly Query<PinTries>[]
  readonly iccidCommands: readonly string[]

  readonly characterSet: CharacterSet
  /** The service for `+CSMS`. On the M26, 128 means service 1. */
  readonly messageService: 0 | 1
  readonly acknowledgement: AcknowledgementForm
  /** Settings to try in this order, until one is accepted. */
  readonly indications: readonly MessageIndications[]

  readonly storage: StorageTraits
  readonly submit: SubmitTraits
  /** The codes with which a program on the SIM (SIM toolkit) sends requests to the host. */
  readonly toolkit: readonly ToolkitCode[]
  /** The forms of a USSD text, the most usual first. After a refusal, the next form is tried. */
  readonly ussdEncodings: readonly UssdEncoding[]
  readonly radio: RadioTraits
  readonly usb: readonly UsbRule[]
  /** Advice for the owner of this modem. */
  readonly advice: readonly string[]
}

export interface StorageTraits {
  /**
   * The first of these memories that the modem offers is used for received messages. All memories are read in any case.
   */
  readonly receiveInto: readonly Memory[]
  /** Wavecom accepts one memory in `+CPMS=`. */
  readonly selectTakes: 1 | 3
  readonly indexBase: 0 | 1
  /** After a message has arrived, the modem may still report the old number of messages for this time. */
  readonly usageLagMs: number
  /**
   * True if the firmware hangs after hours of repeated `+CMGL`. In this case, the memories are listed as rarely as
   * possible.
   */
  readonly listingHangs: boolean
  /** Memories that can be read by index but not listed (`SR` of DWM-156). */
  readonly notListable: readonly Memory[]
  /**
   * True if deleting one part of a long message also deletes its other parts, so that all parts must be read first
   * (SIM600).
   */
  readonly deletingDeletesSiblings: boolean
}

export interface SubmitTraits {
  readonly promptTimeoutMs: number
  readonly resultTimeoutMs: number
  /** When to ask the modem about a missing result. */
  readonly probe: ProbeTraits
  /** True if `+CMMS` may keep the link open between consecutive messages. */
  readonly keepLinkOpen: boolean
  /** How long the modem keeps the link open after the last result. */
  readonly linkOpenMs: number
}

export interface RadioTraits {
  /** Some modems need `+CFUN=1` before any other command. */
  readonly switchOnAtStart: 'if-off' | 'always'
  /**
   * The pause after the OK to `+CFUN=1`. After this pause, the driver sends `AT` until the modem answers. Some modems
   * answer OK too early, and the next command may fail or crash the modem.
   */
  readonly settleMs: number
  /** The pause after the modem's first answer. The modem cannot be used earlier. */
  readonly contactSettleMs: number
  readonly resetCommands: readonly string[]
}

/** All properties that are known must match. */
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
