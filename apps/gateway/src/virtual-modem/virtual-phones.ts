import type { VirtualPhone, VirtualPhoneMessage } from '@smsgw/relay/virtual-phone/virtual-phone'
import type { LeftMessage, Network } from '@smsgw/virtual-modem/network/network'
import { testNumbers } from '@smsgw/virtual-modem/network/test-numbers'
import { WholeMessages } from '@smsgw/virtual-modem/network/whole-messages'

export interface VirtualPhonesOptions {
  readonly network: Pick<Network, 'sendText'>
  /** The number of the SIM in the virtual modem. */
  readonly gatewayNumber: string
  readonly epochMs: () => number
}

/**
 * The phones that exchange messages with the virtual modem: one phone for each number that the modem sends to or
 * receives from. The phones show complete messages, and keep only the latest messages.
 */
export class VirtualPhones implements VirtualPhone {
  readonly #options: VirtualPhonesOptions
  readonly #messages: VirtualPhoneMessage[] = []
  readonly #wholeMessages = new WholeMessages()
  #count = 0

  constructor(options: VirtualPhonesOptions) {
    this.#options = options
  }

  look(): ReturnType<VirtualPhone['look']> {
    const messages = this.#messages.toReversed()
    const phones = new Set(messages.map(({ from, to, direction }) => (direction === 'to-phone' ? to : from)))
    return {
      gatewayNumber: this.#options.gatewayNumber,
      phones: [...phones],
      messages,
      testNumbers: testNumbers.map(({ number, effect }) => ({ number, effect })),
    }
  }

  write({ from, text }: { readonly from: string; readonly text: string }): void {
    const to = this.#options.gatewayNumber
    this.#options.network.sendText(from, to, text)
    this.#keep({ from, to, text, direction: 'to-gateway' })
  }

  /** Receives a message for a number without a modem. */
  receive(message: LeftMessage): void {
    const { from, to, data, part } = message
    const text = this.#wholeMessages.take(to, message.text ?? `(data: ${data ?? ''})`, part)
    if (text !== undefined) this.#keep({ from, to, text, direction: 'to-phone' })
  }

  /** Records the reply of a test number. */
  replied(message: { readonly from: string; readonly to: string; readonly text: string }): void {
    const { from, to, text } = message
    this.#keep({ from, to, text, direction: 'to-gateway' })
  }

  #keep(message: Pick<VirtualPhoneMessage, 'from' | 'to' | 'text' | 'direction'>): void {
    const epochMs = this.#options.epochMs()
    this.#count += 1
    this.#messages.push({ id: `${epochMs}-${this.#count}`, at: new Date(epochMs).toISOString(), ...message })
    if (this.#messages.length > maxMessages) this.#messages.shift()
  }
}

const maxMessages = 200
