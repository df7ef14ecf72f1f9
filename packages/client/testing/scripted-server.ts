import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface ScriptedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type ScriptedAnswer = (response: ServerResponse, request: ScriptedRequest) => void

/**
 * Starts an HTTP server that answers the requests with the given answers in order, and then repeats the last answer.
 */
export async function scriptedServer(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]) {
  const requests: ScriptedRequest[] = []
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body: await text(incoming) }
    requests.push(request)
    const answer = answers[Math.min(requests.length, answers.length) - 1]
    answer?.(response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): ScriptedAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

export function problemAnswer(
  code: number,
  message: string,
  headers: Record<string, string> = {},
  more: object = {},
): ScriptedAnswer {
  return json(code, { code, message, requestId: 'r1', ...more }, headers)
}

/** Ends the connection without an answer. */
export const dropConnection: ScriptedAnswer = (response) => {
  response.destroy()
}

/** Never answers. */
export const silent: ScriptedAnswer = () => undefined
