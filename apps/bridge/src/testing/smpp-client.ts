import { once } from 'node:events'
import smpp, { type SmppClient, type SmppPdu } from 'smpp'

/** A client that shares no code with the bridge: npm `smpp`. */
export class TestSmppClient {
  readonly received: SmppPdu[] = []
  readonly #client: SmppClient
  answersUnbind = true
  /** Returns the fields of the answer to a deliver_sm; undefined means no answer. */
  answerTo: (pdu: SmppPdu) => object | undefined = () => ({})

  private constructor(client: SmppClient) {
    this.#client = client
    client.on('error', () => undefined)
    client.setMaxListeners(0)
    client.on('pdu', (pdu: SmppPdu) => {
      if (pdu.command === 'enquire_link' || (pdu.command === 'unbind' && this.answersUnbind))
        client.send(pdu.response())
      if (pdu.command !== 'deliver_sm') return
      this.received.push(pdu)
      const answer = this.answerTo(pdu)
      if (answer !== undefined) client.send(pdu.response(answer))
    })
  }

  static async connect(port: number, { tls = false } = {}): Promise<TestSmppClient> {
    const client = smpp.connect({ host: '127.0.0.1', port, tls, rejectUnauthorized: false })
    const connected = new TestSmppClient(client)
    await once(client, 'connect')
    return connected
  }

  /** Sends a request and returns the answer. Rejects if the connection ends earlier. */
  ask(command: string, fields: object = {}): Promise<SmppPdu> {
    return new Promise((resolve, reject) => {
      this.#client.once('close', () => reject(new Error('the connection ended')))
      this.#client.send(new smpp.PDU(command, fields), resolve)
    })
  }

  /** Sends a request. Returns the name of the status. */
  async statusOf(command: string, fields: object = {}): Promise<string> {
    const { command_status: status } = await this.ask(command, fields)
    return Object.entries(smpp.errors).find(([, value]) => value === status)?.[0] ?? String(status)
  }

  get closed(): Promise<unknown> {
    return this.#client.socket.closed ? Promise.resolve() : once(this.#client.socket, 'close')
  }

  /** Ends the connection without an unbind. */
  destroy(): void {
    this.#client.destroy()
  }
}
