/**
 * CHV1 and CHV2 of a card with their counters (11.11 §8, 31.101).
 *
 * - ready: no PIN is required, or it was entered.
 * - pin: the PIN is required, and each wrong PIN uses up one of three attempts.
 * - puk: no PIN attempt is left, and each wrong PUK uses up one of ten attempts.
 * - blocked: no PUK attempt is left, and the card cannot be used any more.
 */
export type PinGuardState = 'ready' | 'pin' | 'puk' | 'blocked'

export class PinGuard {
  readonly pin: SecretCode
  readonly pin2: SecretCode
  enabled: boolean
  #verified = false

  constructor(options: PinGuardOptions) {
    this.pin = new SecretCode(options.pin ?? '0000', options.puk ?? '12345678', options)
    this.pin2 = new SecretCode('1111', '87654321')
    this.enabled = options.pinEnabled ?? options.pin !== undefined
  }

  get state(): PinGuardState {
    if (this.pin.pukAttemptsLeft === 0) return 'blocked'
    if (this.pin.attemptsLeft === 0) return 'puk'
    return this.enabled && !this.#verified ? 'pin' : 'ready'
  }

  powerUp(): void {
    this.#verified = false
  }

  verify(pin: string): boolean {
    this.#verified = this.pin.verify(pin) || this.#verified
    return this.#verified
  }

  unblock(puk: string, newPin: string): boolean {
    const unblocked = this.pin.unblock(puk, newPin)
    if (unblocked) this.#verified = true
    return unblocked
  }

  /** Turns the PIN request on or off (CLCK). Returns false if the PIN was wrong. */
  setEnabled(enabled: boolean, pin: string): boolean {
    if (!this.pin.verify(pin)) return false
    this.enabled = enabled
    this.#verified = true
    return true
  }
}

export class SecretCode {
  attemptsLeft: number
  pukAttemptsLeft: number
  #code: string
  readonly #puk: string

  constructor(code: string, puk: string, counters: { pinAttemptsLeft?: number; pukAttemptsLeft?: number } = {}) {
    this.#code = code
    this.#puk = puk
    this.attemptsLeft = counters.pinAttemptsLeft ?? pinAttempts
    this.pukAttemptsLeft = counters.pukAttemptsLeft ?? pukAttempts
  }

  verify(code: string): boolean {
    if (this.attemptsLeft === 0) return false
    const right = code === this.#code
    this.attemptsLeft = right ? pinAttempts : this.attemptsLeft - 1
    return right
  }

  unblock(puk: string, newCode: string): boolean {
    if (this.pukAttemptsLeft === 0) return false
    const right = puk === this.#puk && isCode(newCode)
    this.pukAttemptsLeft = right ? pukAttempts : this.pukAttemptsLeft - 1
    if (right) {
      this.#code = newCode
      this.attemptsLeft = pinAttempts
    }
    return right
  }

  change(old: string, next: string): boolean {
    if (!isCode(next) || !this.verify(old)) return false
    this.#code = next
    return true
  }
}

const pinAttempts = 3
const pukAttempts = 10

function isCode(text: string): boolean {
  return /^\d{4,8}$/.test(text)
}

interface PinGuardOptions {
  readonly pin?: string
  readonly pinEnabled?: boolean
  readonly pinAttemptsLeft?: number
  readonly puk?: string
  readonly pukAttemptsLeft?: number
}
