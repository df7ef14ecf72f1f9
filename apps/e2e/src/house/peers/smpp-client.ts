import { once } from 'node:events'
import smpp, { type SmppConnection, type SmppPdu } from 'smpp'

/** A bound SMPP client, which is npm `smpp`. */
export class SmppClient {
  readonly #connection: SmppConnection
  readonly closed: Promise<void>
  isClosed = false

  private constructor(connection: SmppConnection, onDelivery: (pdu: SmppPdu) => void) {
    this.#connection = connection
    connection.setMaxListeners(0)
    connection.on('error', () => connection.destroy())
    this.closed = new Promise((resolve) => {
      connection.once('close', () => {
        this.isClosed = true
        resolve()
      })
    })
    connection.on('pdu', (pdu: SmppPdu) => {
      if (pdu.command === 'deliver_sm') onDelivery(pdu)
      if (['deliver_sm', 'enquire_link', 'unbind'].includes(pdu.command)) connection.send(pdu.response())
    })
  }

  /** Binds as transceiver. Rejects if the server refuses it. */
  static async bind(
    port: number,
    login: { readonly system_id: string; readonly password: string },
    onDelivery: (pdu: SmppPdu) => void,
  ): Promise<SmppClient> {
    const connection = smpp.connect({ host: '127.0.0.1', port })
    const client = new SmppClient(connection, onDelivery)
    await Promise.race([
      once(connection, 'connect'),
      client.closed.then(() => {
        throw new Error('the connection ended')
      }),
    ])
    const { command_status: status } = await client.ask('bind_transceiver', login)
    if (status !== 0) throw new Error(`bind_transceiver: status ${status}`)
    return client
  }

  /** Sends a request and returns the answer. Rejects if the connection ends earlier. */
  ask(command: string, fields: object = {}): Promise<SmppPdu> {
    return new Promise((resolve, reject) => {
      void this.closed.then(() => reject(new Error('the connection ended')))
      if (!this.#connection.send(new smpp.PDU(command, fields), resolve)) reject(new Error('the connection ended'))
    })
  }

  destroy(): void {
    this.#connection.destroy()
  }
}
