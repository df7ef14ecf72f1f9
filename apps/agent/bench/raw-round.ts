import { hexFromOctets } from '@smsgw/sms/octets'
import type { OpenPort } from '../src/ports/open-port.ts'
import { message, type Round } from './round.ts'

/** The baseline: writes the bytes and waits for the expected answer, without checks, time limits or state. */
export async function rawRound(port: OpenPort, count: number): Promise<Round> {
  const loop = new RawLoop(port)
  await loop.exchange('\x1bAT\r', 'OK\r\n')
  for (const command of ['ATE0', 'AT+CMEE=1', 'AT+CMGF=0']) await loop.exchange(`${command}\r`, 'OK\r\n')
  const startMs = performance.now()
  for (let done = 0; done < count; done += 1) await loop.exchange('AT\r', 'OK\r\n')
  const betweenMs = performance.now()
  const command = `AT+CMGS=${message.tpduLength}\r`
  const pdu = `${hexFromOctets(message.octets)}\x1a`
  for (let done = 0; done < count; done += 1) {
    await loop.exchange(command, '> ')
    await loop.exchange(pdu, 'OK\r\n')
  }
  return { dialogue: betweenMs - startMs, submit: performance.now() - betweenMs }
}

class RawLoop {
  readonly #port: OpenPort
  #heard = ''
  #wanted = ''
  #resolve: () => void = () => undefined

  constructor(port: OpenPort) {
    this.#port = port
    port.onBytes((bytes) => {
      this.#heard += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
      if (this.#heard.endsWith(this.#wanted)) this.#resolve()
    })
  }

  exchange(sent: string, wanted: string): Promise<void> {
    this.#heard = ''
    this.#wanted = wanted
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#port.write(Buffer.from(sent, 'latin1'))
    })
  }
}
