import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { COMMAND, RESPONSE_BIT } from './protocol/command.ts'
import { encodePdu, PduStream } from './protocol/pdu.ts'

const TIMEOUT_MS = 10_000
const LARGEST_ANSWER = 1_024

export interface SmppAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/** Checks that an SMPP server answers, without a login. Returns the result. */
export async function checkSmppServer({ host, port, isTls }: SmppAddress): Promise<string> {
  const address = `${host}:${port}`
  const target = { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port }
  // Does not check the name in the certificate, which is the name of the public address.
  const socket = isTls ? connectTls({ ...target, rejectUnauthorized: false }) : connect(target)
  try {
    await answerTo(socket)
    return `answers at ${address}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return `not running, ${address} is free`
    throw error
  } finally {
    socket.destroy()
  }
}

async function answerTo(socket: Socket): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const closed = once(socket, 'close', { signal }).then(() => {
    throw new Error('another program uses the port, or SMPP_ALLOW_CIDRS excludes this machine')
  })
  const answered = (async () => {
    socket.write(encodePdu({ command: COMMAND.enquireLink, sequence: 1 }))
    const stream = new PduStream(LARGEST_ANSWER)
    for (;;) {
      const [chunk] = (await once(socket, 'data', { signal })) as [Buffer]
      stream.push(chunk)
      const pdu = stream.next()
      if (pdu?.command === COMMAND.enquireLink + RESPONSE_BIT) return
      if (pdu !== undefined) throw new Error('another program uses the port')
    }
  })()
  await Promise.race([answered, closed])
}
