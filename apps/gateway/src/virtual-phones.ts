import type { VirtualPhone, VirtualPhoneMessage } from '@smsgw/relay/virtual-phone/virtual-phone'
import type { LeftMessage, Network } from '@smsgw/virtual-modem/network'

export interface VirtualPhonesOptions {
  readonly network: Pick<Network, 'sendText'>
  /** Of the SIM in the virtual modem. */
  readonly gatewayNumber: string
  readonly epochMs: () => number
}

/**
 * All the phones that the virtual modem can reach: each number that it writes to is one, and each that writes to it. They
 * show whole messages, and forget the oldest.
 */
export class VirtualPhones implements VirtualPhone {
  readonly #options: VirtualPhonesOptions
  readonly #messages: VirtualPhoneMessage[] = []
  /** Of long messages: the text of each part that has come. */
  readonly #parts = new Map<string, Map<number, string>>()
  #count = 0

  constructor(options: VirtualPhonesOptions) {
    this.#options = options
  }

  look(): ReturnType<VirtualPhone['look']> {
    const messages = this.#messages.toReversed()
    const phones = new Set(messages.map(({ from, to, direction }) => (direction === 'to-phone' ? to : from)))
    return { gatewayNumber: this.#options.gatewayNumber, phones: [...phones], messages }
  }

  write({ from, text }: { readonly from: string; readonly text: string }): void {
    const to = this.#options.gatewayNumber
    this.#options.network.sendText(from, to, text)
    this.#keep({ from, to, text, direction: 'to-gateway' })
  }

  /** What the network takes out to a number that is no modem's. */
  receive(message: LeftMessage): void {
    const text = this.#whole(message)
    if (text !== undefined) this.#keep({ from: message.from, to: message.to, text, direction: 'to-phone' })
  }

  #whole(message: LeftMessage): string | undefined {
    const { to, part } = message
    const shown = message.text ?? `(data: ${message.data ?? ''})`
    if (part === undefined) return shown
    const key = `${to} ${part.reference} ${part.total}`
    const parts = this.#parts.get(key) ?? new Map<number, string>()
    this.#parts.set(key, parts.set(part.sequence, shown))
    if (parts.size < part.total) {
      const [oldest] = this.#parts.keys()
      if (this.#parts.size > mostIncomplete && oldest !== undefined) this.#parts.delete(oldest)
      return undefined
    }
    this.#parts.delete(key)
    return [...parts]
      .sort(([one], [other]) => one - other)
      .map(([, text]) => text)
      .join('')
  }

  #keep(message: Pick<VirtualPhoneMessage, 'from' | 'to' | 'text' | 'direction'>): void {
    const epochMs = this.#options.epochMs()
    this.#count += 1
    this.#messages.push({ id: `${epochMs}-${this.#count}`, at: new Date(epochMs).toISOString(), ...message })
    if (this.#messages.length > mostKept) this.#messages.shift()
  }
}

const mostKept = 200
const mostIncomplete = 50
