/** The parts of npm `smpp` that are used here. The package has no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'

  export interface SmppPdu {
    readonly command: string
    readonly command_status: number
    readonly [field: string]: unknown
    response(fields?: object): SmppPdu
  }

  export interface SmppConnection extends EventEmitter {
    send(pdu: SmppPdu, onResponse?: (answer: SmppPdu) => void): boolean
    destroy(): void
  }

  const smpp: {
    readonly PDU: new (command: string, fields?: object) => SmppPdu
    connect(options: object): SmppConnection
  }
  export default smpp
}
