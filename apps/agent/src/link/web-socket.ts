import { maxFrameBytes, subprotocol } from '@smsgw/contract/link/frame'
import { WebSocket } from 'ws'
import type { LinkSocket, OpenSocket, SocketListener } from './link-socket.ts'

/** Opens WebSockets to a relay. */
export function webSocketTo(url: string): OpenSocket {
  return (listener) => open(url, listener)
}

function open(url: string, listener: SocketListener): LinkSocket {
  const socket = new WebSocket(url, [subprotocol], {
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    handshakeTimeout: handshakeMs,
    followRedirects: false,
  })
  let problem = ''
  let isOver = false
  const end = (code: number, reason: string) => {
    if (isOver) return
    isOver = true
    listener.onClosed(code, reason)
  }
  socket.on('open', listener.onOpened)
  socket.on('message', (data, isBinary) => {
    if (isBinary) socket.close(unsupportedData, 'text frames only')
    else listener.onText(data.toString())
  })
  socket.on('error', (error) => {
    problem = explain(error)
  })
  socket.on('close', (code, reason) => end(code, reason.toString() || problem))
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close(code, reason) {
      socket.close(code, cut(reason))
      setTimeout(() => socket.terminate(), closeMs).unref()
    },
  }
}

/** In one line, with what to do. */
function explain(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  if (code === 'ECONNREFUSED') return 'nothing listens there: is the relay running, and is RELAY_URL right?'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name is not known: check RELAY_URL and the network'
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/i.test(code)) {
    return `the certificate is not trusted (${code}): for one of your own set NODE_EXTRA_CA_CERTS to its file`
  }
  if (/wrong version number|EPROTO/i.test(`${code} ${message}`)) return 'it does not speak TLS: is it ws:// after all?'
  const status = /Unexpected server response: (\d{3})/.exec(message)?.[1]
  if (status !== undefined) return `it answered with HTTP ${status}: is RELAY_URL the address of a relay?`
  return message
}

/** RFC 6455: a reason has 123 octets at most. */
function cut(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 120)
    .toString()
    .replace(/\uFFFD$/, '')
}

const handshakeMs = 15_000
const closeMs = 3_000
const unsupportedData = 1003
