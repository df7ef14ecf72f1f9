import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dice } from './dice.ts'

const HEAD = 'POST /3rdparty/v1/messages HTTP/1.1\r\nHost: x\r\n'

/** Requests that no client library would send. */
const ATTACKS: readonly ((dice: Dice) => string | Buffer)[] = [
  (dice) => Buffer.from(Array.from({ length: dice.between(1, 400) }, () => dice.below(256))),
  () => 'GET / HTTP/9.9\r\n\r\n',
  () => '\r\n\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  () => `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
  () => `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  () => `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  () => `${HEAD}Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  () => `${HEAD}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  () => `${HEAD}Content-Length: -1\r\n\r\n`,
  () => `${HEAD}Content-Length: 99999999999999999999\r\n\r\n`,
  () => `${HEAD}Content-Type: application/json\r\n Folded: x\r\n\r\n`,
  () => `${HEAD}X: a\0b\r\n\r\n`,
  () => `${HEAD}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
  () => `${HEAD}Expect: something-else\r\nConnection: close\r\n\r\n`,
  () => `${HEAD}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  () => `${HEAD}${'X-Flood: x\r\n'.repeat(3000)}\r\n`,
  () => `${HEAD}X: ${'x'.repeat(100_000)}\r\n\r\n`,
  () => `GET /${'a'.repeat(50_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  () => 'GET http://127.0.0.1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  () => 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => 'GET /3rdparty/v1/messages/\xff\xfe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  () => 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200),
]

/** Sends one attack over its own socket. Returns the data received until the server closes the socket or is silent. */
export async function attack(port: number, dice: Dice): Promise<{ readonly sent: string; readonly answer: string }> {
  const bytes = dice.pick(ATTACKS)(dice)
  const whole = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
  const sent = dice.once(4) ? whole.subarray(0, dice.below(whole.length)) : whole
  return { sent: sent.toString('latin1').slice(0, 200), answer: await exchange(port, sent) }
}

const PATIENCE_MS = 300

function exchange(port: number, sent: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    const end = () => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    // A connection reset counts as an answer.
    socket.on('close', end).on('error', end).setTimeout(PATIENCE_MS, end)
    socket.end(sent)
  })
}

/** Opens connections that send single octets slowly during the whole run. They must not delay other requests. */
export function slowBodies(port: number, count: number): { end(): void } {
  const sockets = Array.from({ length: count }, () => slowBody(port))
  return {
    end() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

function slowBody(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write(`${HEAD}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n`)
  void drip(socket)
  return socket
}

async function drip(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write('[')
    await sleep(500)
  }
}
