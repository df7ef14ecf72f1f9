import { setTimeout as sleep } from 'node:timers/promises'
import { numbersMatch } from '@smsgw/agent/sending/doubt/numbers-match'
import type { TestMessages } from '@smsgw/agent/setup/test-messages'
import { SmsGateway } from '@smsgw/client'
import { SmsGatewayError } from '@smsgw/client/errors'
import { readAccount } from '../smsgw/client/account.ts'

/**
 * Sends the test message of a setup through the API of the running gateway, so that the message and its reply are on
 * record.
 */
export class TestByApi implements TestMessages {
  readonly #environment: NodeJS.ProcessEnv
  readonly #simNumber: number | undefined
  #sms: SmsGateway | undefined
  #knownBefore: ReadonlySet<string> = new Set()

  constructor(environment: NodeJS.ProcessEnv, simNumber: number | undefined) {
    this.#environment = environment
    this.#simNumber = simNumber
  }

  async send(to: string, text: string): Promise<string | undefined> {
    try {
      this.#knownBefore = new Set((await this.#latest()).map(({ id }) => id))
      const simNumber = this.#simNumber
      const sms = await this.#gateway()
      const message = { to, text, ...(simNumber !== undefined && { simNumber }) }
      const { id } = await sms.messages.send(message, { allowShortCodes: true })
      const { recipients } = await sms.messages.waitFor(id, { until: 'sent' })
      const failed = recipients.find(({ state }) => state === 'Failed' || state === 'Cancelled')
      return failed === undefined ? undefined : (failed.error ?? failed.state)
    } catch (error) {
      if (error instanceof SmsGatewayError) return error.message
      throw error
    }
  }

  async awaitReply(from: string, limitMs: number): Promise<string | undefined> {
    const until = performance.now() + limitMs
    while (performance.now() < until) {
      const found = (await this.#latest()).find(
        ({ id, sender }) => !this.#knownBefore.has(id) && numbersMatch(sender, from),
      )
      if (found !== undefined) return found.contentPreview
      await sleep(pollMs)
    }
    return undefined
  }

  async #latest() {
    const sms = await this.#gateway()
    const { items } = await sms.inbox.list({ limit: 50, cursor: 'start' }).page()
    return items
  }

  async #gateway(): Promise<SmsGateway> {
    this.#sms ??= new SmsGateway(await readAccount({ url: localUrl(this.#environment) }, this.#environment))
    return this.#sms
  }
}

const pollMs = 1_000

/** Returns the address of the gateway with these settings, for programs on the same machine. */
function localUrl(environment: NodeJS.ProcessEnv): string {
  const { SMSGW_URL: url, PORT: port, HOST: host, TLS_CERT: certificate } = environment
  if (url) return url
  const name = !host || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${certificate ? 'https' : 'http'}://${name}:${port || 3000}`
}
