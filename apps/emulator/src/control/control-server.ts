import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { addressOf, listenTcp } from '../host/tcp-host.ts'
import { allInstructions } from '../instructions/all-instructions.ts'
import { InstructionRefused } from '../instructions/instruction.ts'
import { DEEPEST_NESTING, firstProblem, isNestedTooDeeply } from '../options/check-input.ts'
import type { TcpAddress } from '../options/tcp-address.ts'
import { harmlessJson } from '../output/terminal-text.ts'
import { refuseForeignBody, refuseWebPages } from './own-requests.ts'
import { ControlProblem } from './problem.ts'
import { type Controlled, controlRoutes, modemOf, STREAM, trafficText } from './routes.ts'

/**
 * The HTTP control interface, with JSON bodies. The interface has no password, so it should listen on loopback only.
 */
export class ControlServer {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async listen(at: TcpAddress, controlled: Controlled): Promise<ControlServer> {
    const server = createServer((request, response) => void serve(request, response, controlled, at.host))
    return new ControlServer(await listenTcp(server, at, 'control'))
  }

  get address(): string {
    return `http://${addressOf(this.#server)}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  controlled: Controlled,
  boundTo: string,
): Promise<void> {
  try {
    refuseWebPages(request.headers, boundTo)
    const url = urlOf(request)
    if (request.method === 'GET' && url.pathname === STREAM) return streamTo(response, controlled, url.searchParams)
    const body =
      request.method === 'POST' ? await act(request, url.pathname, controlled) : read(request, url, controlled)
    reply(response, 200, body)
  } catch (error) {
    const { status, code, message, path } = problemOf(error)
    reply(response, status, { error: { code, message, ...(path && { path }) } })
  }
}

/** Returns the URL of a request. Refuses `//modems`, because URL.parse would read `modems` as a host name. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  const parsed = url.startsWith('//') ? null : URL.parse(url, 'http://emulator')
  if (parsed === null) throw new ControlProblem(400, 'invalid_path', `"${url}" is not a path`)
  return parsed
}

function read(request: IncomingMessage, url: URL, controlled: Controlled): object {
  for (const route of controlRoutes) {
    const variable = match(route.path, url.pathname)
    if (variable === undefined) continue
    if (request.method !== 'GET') throw new ControlProblem(405, 'method_not_allowed', `${url.pathname} allows GET only`)
    return route.answer(controlled, variable, url.searchParams)
  }
  throw new ControlProblem(
    404,
    'not_found',
    `${request.method} ${url.pathname} does not exist; GET / lists all requests`,
  )
}

/**
 * Returns the value of the variable in `/modems/:name`. Returns an empty text for a pattern without a variable, and
 * undefined if the path does not match.
 */
function match(pattern: string, path: string): string | undefined {
  const [fixed = '', variable] = pattern.split('/:')
  if (variable === undefined) return path === pattern ? '' : undefined
  const rest = path.startsWith(`${fixed}/`) ? path.slice(fixed.length + 1) : ''
  return rest !== '' && !rest.includes('/') ? decode(rest) : undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ControlProblem(400, 'invalid_path', `"${text}" is not valid percent-encoding`)
  }
}

async function act(request: IncomingMessage, path: string, controlled: Controlled): Promise<object> {
  const name = path.startsWith('/do/') ? path.slice('/do/'.length) : ''
  const instruction = Object.hasOwn(allInstructions, name) ? allInstructions[name] : undefined
  if (instruction === undefined) {
    request.resume()
    throw new ControlProblem(404, 'not_found', `POST ${path} does not exist; GET / lists all requests`)
  }
  refuseForeignBody(request.headers)
  const result = instruction.body.safeParse(await jsonOf(request))
  if (result.success) return instruction.run(controlled.world, result.data)
  const { path: where, problem } = firstProblem(result.error)
  throw new ControlProblem(400, 'invalid_body', `${where}${where && ': '}${problem}`, where)
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  // Does not destroy the request after an error, because the response uses the same socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > LARGEST_BODY_BYTES) throw new ControlProblem(413, 'body_too_large', 'the body is larger than 256 kB')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  const value = parsed(text === '' ? '{}' : text)
  if (isNestedTooDeeply(value))
    throw new ControlProblem(400, 'invalid_body', `the body is nested deeper than ${DEEPEST_NESTING} levels`)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ControlProblem(400, 'invalid_json', (error as Error).message)
  }
}

const LARGEST_BODY_BYTES = 262_144

function problemOf(error: unknown): ControlProblem {
  if (error instanceof ControlProblem) return error
  if (error instanceof InstructionRefused) {
    const status = error.code === 'not-possible' ? 409 : 404
    return new ControlProblem(status, error.code.replace('-', '_'), error.message)
  }
  return new ControlProblem(500, 'internal', (error as Error).message)
}

function reply(response: ServerResponse, status: number, body: object): void {
  const text = `${harmlessJson(body)}\n`
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** Sends server-sent events until the client disconnects. A client that does not read is disconnected. */
function streamTo(response: ServerResponse, { world, traffic, events }: Controlled, query: URLSearchParams): void {
  const modem = modemOf(world, query)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': listening\n\n')
  const send = (event: string, data: object) => {
    if (response.writableLength > MOST_UNREAD_BYTES) response.destroy()
    else response.write(`event: ${event}\ndata: ${harmlessJson(data)}\n\n`)
  }
  const removals = [
    traffic.listen((record) => {
      if (modem === null || record.modem === modem) send('traffic', trafficText(record))
    }),
    events.listen((record) => send('network', record)),
  ]
  response.on('close', () => {
    for (const remove of removals) remove()
  })
}

const MOST_UNREAD_BYTES = 0x40_0000
