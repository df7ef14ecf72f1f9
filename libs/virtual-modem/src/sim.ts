import { MessageMemory } from './message-memory.ts'
import { Phonebook, type PhonebookEntry } from './sim/phonebook.ts'
import { PinGuard, type PinState } from './sim/pin-guard.ts'

/**
 * A SIM card. It outlives the modem it sits in: messages, phonebook, counters and the last TP-MR stay when the modem
 * loses power; only the PIN must then be given again (`powerUp`).
 */
export class Sim {
  /** Own number as the network knows it, with a leading `+`. */
  readonly msisdn: string
  readonly iccid: string
  readonly imsi: string
  readonly guard: PinGuard
  readonly messages: MessageMemory
  readonly phonebook: Phonebook
  readonly ownNumbers: Phonebook
  readonly fixedDialling: Phonebook
  readonly serviceProviderName: string
  /** EF_SMSP: where SUBMITs go that name no service centre. */
  serviceCentre: string
  /** EF_SMSS: the TP-MR used last (31.102 §4.2.9). */
  lastMessageReference: number
  /** EF_SMSS: set when a message was turned away because no memory was free. */
  memoryExceeded = false
  /** EF_CBMI, as CSCB keeps it. */
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

  /** What happens to a card whose modem loses power or resets. */
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
  /** The card asks for its PIN at power-up. Default: only when a `pin` is given. */
  readonly pinEnabled?: boolean
  readonly pinAttemptsLeft?: number
  readonly puk?: string
  readonly pukAttemptsLeft?: number
  readonly pin2?: string
  readonly puk2?: string
  readonly serviceCentre?: string
  readonly serviceProviderName?: string
  readonly messageCapacity?: number
  readonly phonebookCapacity?: number
  readonly phonebook?: readonly PhonebookEntry[]
  /** Many operators leave EF_MSISDN empty: CNUM then answers nothing. Default true. */
  readonly ownNumberStored?: boolean
  readonly lastMessageReference?: number
}

export interface SimSnapshot {
  readonly msisdn: string
  readonly iccid: string
  readonly imsi: string
  readonly pin: PinState
  readonly pinAttemptsLeft: number
  readonly pukAttemptsLeft: number
  readonly serviceCentre: string
  readonly lastMessageReference: number
  readonly messages: number
  readonly messageCapacity: number
  readonly contacts: number
}
