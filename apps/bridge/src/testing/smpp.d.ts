/** The parts of npm `smpp` that the tests use. The package has no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'

  export interface SmppPdu {
    readonly command: string
    readonly command_status: number
    readonly sequence_number: number
    readonly [field: string]: unknown
    response(fields?: object): SmppPdu
  }

  export interface SmppClient extends EventEmitter {
    send(pdu: SmppPdu, onResponse?: (answer: SmppPdu) => void): boolean
    close(): void
    destroy(): void
    readonly socket: import('node:net').Socket
  }

  const smpp: {
    readonly errors: Readonly<Record<string, number>>
    readonly PDU: new (command: string, fields?: object) => SmppPdu
    connect(options: object): SmppClient
  }
  export default smpp
}
