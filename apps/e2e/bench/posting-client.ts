// Posts messages over persistent connections. Needs little CPU time, because it shares the machine with the measured
// gateway: `fetch` takes more than ten times as much CPU time for a request.
import { connect } from 'node:net'

interface PostingOptions {
  readonly url: string
  readonly user: { readonly username: string; readonly password: string }
  /** The number of connections. Each sends a request when it has the answer to the previous one. */
  readonly connections: number
  readonly count: number
  /** Returns the message with this number, counted from 0. */
  readonly message: (at: number) => object
}

/** Resolves when all messages are accepted. Rejects if one is not. */
export async function postMessages({ url, user, connections, count, message }: PostingOptions): Promise<void> {
  const { hostname, port } = new URL(url)
  const credentials = Buffer.from(`${user.username}:${user.password}`).toString('base64')
  const head =
    `POST /3rdparty/v1/messages HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Basic ${credentials}\r\n` +
    'content-type: application/json\r\n'
  let next = 0
  const takeRequest = () => {
    if (next >= count) return undefined
    const body = JSON.stringify(message(next++))
    return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }
  await Promise.all(Array.from({ length: connections }, () => postOverOne(hostname, Number(port), takeRequest)))
}

function postOverOne(host: string, port: number, takeRequest: () => string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    let received = ''
    const sendNext = () => {
      const request = takeRequest()
      if (request === undefined) socket.end(resolve)
      else socket.write(request)
    }
    socket.setEncoding('latin1')
    socket.on('connect', sendNext)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the gateway closed a connection before it answered')))
    socket.on('data', (text: string) => {
      received += text
      const end = received.indexOf('\r\n\r\n')
      const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1]
      if (end < 0 || received.length < end + 4 + Number(length)) return
      if (!received.startsWith('HTTP/1.1 202')) reject(new Error(`POST /messages: ${received.slice(0, 500)}`))
      received = ''
      sendNext()
    })
  })
}
