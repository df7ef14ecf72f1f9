import { textFromAddress } from '@smsgw/sms/fields/address'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import type { ModemsAlone } from '../doctor/modems-alone.ts'
import { outcomeText, pdusOfText } from '../modem-tool/send.ts'
import { numbersMatch } from '../sending/doubt/numbers-match.ts'
import type { TestMessages } from './test-messages.ts'

interface Reply {
  readonly from: string
  readonly text: string
}

/** Sends the test message with the modem itself. The reply stays on the SIM for the agent. */
export class TestByModem implements TestMessages {
  readonly #modems: ModemsAlone
  readonly #port: string
  readonly #arrived: Reply[] = []
  #onArrived: () => void = () => undefined

  constructor(modems: ModemsAlone, port: string) {
    this.#modems = modems
    this.#port = port
  }

  async send(to: string, text: string): Promise<string | undefined> {
    const modem = this.#modems.actorAt(this.#port)?.modem
    if (modem === undefined) return 'the modem is no longer connected'
    // Reads the stored messages before the test message is sent, because messages that are already on the SIM are not
    // replies.
    await modem.sweep()
    this.#listen()
    const messages = modem.sends === 'text' ? [{ text, destination: to }] : pdusOfText(to, text, false, false)
    for (const message of messages) {
      const outcome = await modem.submit(message, { id: 'setup', beforePdu: async () => 'go' })
      if (outcome.kind !== 'accepted') return outcomeText(outcome)
    }
    return undefined
  }

  async awaitReply(from: string, limitMs: number): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined
    const find = () => this.#arrived.find((reply) => numbersMatch(reply.from, from))?.text
    const found = await new Promise<string | undefined>((resolve) => {
      timer = setTimeout(() => resolve(find()), limitMs)
      this.#onArrived = () => {
        const text = find()
        if (text !== undefined) resolve(text)
      }
      this.#onArrived()
    })
    clearTimeout(timer)
    return found
  }

  #listen(): void {
    this.#modems.onIncoming = (incoming) => {
      if (incoming.kind !== 'message') return
      const { originator, userData } = incoming.deliver
      this.#arrived.push({ from: textFromAddress(originator), text: textOfUserData(userData) ?? '' })
      this.#onArrived()
    }
  }
}
