import { type IncomingMessage, request } from 'node:http'
import type { WebReply, WebRequest } from '@smsgw/modem/hilink/web-port'
import type { ClosableWebPort } from '@smsgw/modem/recovery/runner'
import { explainTcpError, PortError, refused } from './port-error.ts'
import { PortLoss } from './port-loss.ts'

export function isHilink(address: string): boolean {
  return address.startsWith('hilink://')
}

/** Opens the web interface of a HiLink stick: `hilink://192.168.8.1`, with `:port` if it is not 80. */
export async function openHilinkPort(address: string): Promise<ClosableWebPort> {
  const target = parse(address)
  const port = new HilinkPort(address, target)
  const reply = await port.exchange({
    method: 'GET',
    path: '/api/webserver/SesTokInfo',
    headers: {},
    timeoutMs: connectTimeoutMs,
  })
  if (reply.kind === 'answer') return port
  await port.close()
  throw (
    port.problem ??
    new PortError(address, {
      problem: 'absent',
      explanation: `no answer from the web interface of a stick (${reply.why})`,
    })
  )
}

/**
 * Each request has its own connection, as the web servers of these sticks expect. Redirects are not followed, because
 * they may lead to another host.
 */
class HilinkPort implements ClosableWebPort {
  /** Why the last attempt to connect failed. */
  problem: PortError | undefined
  readonly #address: string
  readonly #target: Target
  readonly #loss = new PortLoss()
  readonly #closing = new AbortController()

  constructor(address: string, target: Target) {
    this.#address = address
    this.#target = target
  }

  exchange({ method, path, headers, body, timeoutMs }: WebRequest): Promise<WebReply> {
    const closing = this.#closing.signal
    if (closing.aborted) return Promise.resolve({ kind: 'not-sent', why: 'closed by the agent' })
    return new Promise((resolve) => {
      let isConnected = false
      const end = (reply: WebReply) => {
        clearTimeout(connecting)
        clearTimeout(limit)
        closing.removeEventListener('abort', abandon)
        resolve(reply)
        sent.destroy()
      }
      const fail = (why: string) => end({ kind: isConnected ? 'no-answer' : 'not-sent', why })
      const abandon = () => fail('closed by the agent')
      const octets = body === undefined ? undefined : Buffer.from(body)
      const sent = request({
        ...this.#target,
        method,
        path,
        headers: { ...headers, connection: 'close', ...(octets && { 'content-length': octets.length }) },
        agent: false,
        maxHeaderSize: mostHeaderOctets,
      })
      const connecting = setTimeout(() => fail('the host does not answer'), Math.min(connectTimeoutMs, timeoutMs))
      const limit = setTimeout(() => fail('no reply in time'), timeoutMs)
      closing.addEventListener('abort', abandon)
      sent.on('socket', (socket) =>
        socket.once('connect', () => {
          isConnected = true
          clearTimeout(connecting)
        }),
      )
      sent.on('error', (error: NodeJS.ErrnoException) => {
        if (!isConnected) this.problem = new PortError(this.#address, explainTcpError(error), error)
        fail(isConnected ? error.message : explainTcpError(error).explanation)
      })
      sent.on('response', (response) => read(response, end))
      sent.end(octets)
    })
  }

  onClosed(listener: (reason: string) => void): void {
    this.#loss.onReport(listener)
  }

  async close(): Promise<void> {
    this.#loss.report(`${this.#address}: closed by the agent`)
    this.#closing.abort()
  }
}

function read(response: IncomingMessage, end: (reply: WebReply) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size > mostReplyOctets) end({ kind: 'no-answer', why: 'the reply is too large' })
  })
  response.on('error', (error) => end({ kind: 'no-answer', why: error.message }))
  response.on('end', () => {
    const headers = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join('#') : value]],
    )
    const body = Buffer.concat(chunks).toString('utf8')
    end({ kind: 'answer', status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body })
  })
}

interface Target {
  readonly host: string
  readonly port: number
}

function parse(address: string): Target {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isBare = url !== undefined && url.pathname.replace('/', '') === '' && url.search === '' && url.username === ''
  if (!url?.hostname || !isBare) {
    throw new PortError(address, refused('not a valid address: use hilink://192.168.8.1'))
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || 80 }
}

const connectTimeoutMs = 5_000
const mostHeaderOctets = 16 * 1024
/** The size of 50 messages with 255 parts each. */
const mostReplyOctets = 1024 * 1024
