import { MessageMemory } from '../messaging/message-memory.ts'
import { Phonebook, type PhonebookEntry } from './phonebook.ts'
import { PinGuard, type PinGuardState } from './pin-guard.ts'

/**
 * A SIM card. Messages, phonebook, counters and the last TP-MR survive a power loss of the modem; only the PIN must be
 * entered again (`powerUp`).
 */
export class Sim {
  /** The number of the SIM in the network, with a leading `+`. */
  readonly msisdn: string
  readonly iccid: string
  readonly imsi: string
  readonly guard: PinGuard
  readonly messages: MessageMemory
  readonly phonebook: Phonebook
  readonly ownNumbers: Phonebook
  readonly fixedDialling: Phonebook
  readonly serviceProviderName: string
  /** EF_SMSP: the service centre for SUBMITs that contain none. */
  serviceCentre: string
  /** EF_SMSS: the last used TP-MR (31.102 §4.2.9). */
  lastMessageReference: number
  /** EF_SMSS: true if a message was refused because the memory was full. */
  memoryExceeded = false
  /** EF_CBMI, written by CSCB. */
  broadcastIdentifiers: readonly number[] = []

  constructor(options: SimOptions) {
    this.msisdn = options.msisdn
    this.iccid = options.iccid
    this.imsi = options.imsi
    this.serviceCentre = options.serviceCentre ?? ''
    this.serviceProviderName = options.serviceProviderName ?? ''
    this.lastMessageReference = options.lastMessageReference ?? 0xff
    this.guard = new PinGuard(options)
    this.messages = new MessageMemory(options.messageCapacity ?? 30)
    this.phonebook = new Phonebook(options.phonebookCapacity ?? 250, options.phonebook)
    this.ownNumbers = new Phonebook(4, options.ownNumberStored === false ? [] : [{ name: '', number: options.msisdn }])
    this.fixedDialling = new Phonebook(10)
  }

  /** Resets the card at power-on of the modem. */
  powerUp(): void {
    this.guard.powerUp()
  }

  nextMessageReference(): number {
    this.lastMessageReference = (this.lastMessageReference + 1) & 0xff
    return this.lastMessageReference
  }

  snapshot(): SimSnapshot {
    return {
      msisdn: this.msisdn,
      iccid: this.iccid,
      imsi: this.imsi,
      pin: this.guard.state,
      pinAttemptsLeft: this.guard.pin.attemptsLeft,
      pukAttemptsLeft: this.guard.pin.pukAttemptsLeft,
      serviceCentre: this.serviceCentre,
      lastMessageReference: this.lastMessageReference,
      messages: this.messages.used,
      messageCapacity: this.messages.capacity,
      contacts: this.phonebook.used,
    }
  }
}

export interface SimOptions {
  readonly msisdn: string
  /** 19 or 20 digits. */
  readonly iccid: string
  /** 15 digits. */
  readonly imsi: string
  readonly pin?: string
  /** True if the card requires its PIN at power-on. Default: only if `pin` is set. */
  readonly pinEnabled?: boolean
  readonly pinAttemptsLeft?: number
  readonly puk?: string
  readonly pukAttemptsLeft?: number
  readonly serviceCentre?: string
  readonly serviceProviderName?: string
  readonly messageCapacity?: number
  readonly phonebookCapacity?: number
  readonly phonebook?: readonly PhonebookEntry[]
  /** False if EF_MSISDN is empty, as with many operators, so that CNUM returns no number. Default true. */
  readonly ownNumberStored?: boolean
  readonly lastMessageReference?: number
}

export interface SimSnapshot {
  readonly msisdn: string
  readonly iccid: string
  readonly imsi: string
  readonly pin: PinGuardState
  readonly pinAttemptsLeft: number
  readonly pukAttemptsLeft: number
  readonly serviceCentre: string
  readonly lastMessageReference: number
  readonly messages: number
  readonly messageCapacity: number
  readonly contacts: number
}
