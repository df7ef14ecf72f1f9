import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { firstProblem } from '../first-problem.ts'
import { addressOf, listen } from '../host/tcp-host.ts'
import { allInstructions } from '../instructions/all-instructions.ts'
import { InstructionRefused } from '../instructions/instruction.ts'
import { DEEPEST_NESTING, isNestedTooDeeply } from '../nesting.ts'
import type { TcpAddress } from '../tcp-address.ts'
import { harmlessJson } from '../terminal-text.ts'
import { refuseForeignBody, refuseWebPages } from './own-requests.ts'
import { ControlProblem } from './problem.ts'
import { type Controlled, routes, STREAM } from './routes.ts'
import { streamTo } from './stream.ts'

/** The HTTP control interface: JSON in, JSON out, one clear error. No password: it belongs on loopback. */
export class ControlServer {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async listen(at: TcpAddress, controlled: Controlled): Promise<ControlServer> {
    const server = createServer((request, response) => void serve(request, response, controlled, at.host))
    return new ControlServer(await listen(server, at, 'control'))
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

/** `//modems` would be the host `modems`. */
function urlOf({ url = '/' }: IncomingMessage): URL {
  const parsed = url.startsWith('//') ? null : URL.parse(url, 'http://emulator')
  if (parsed === null) throw new ControlProblem(400, 'invalid_path', `"${url}" is not a path`)
  return parsed
}

function read(request: IncomingMessage, url: URL, controlled: Controlled): object {
  for (const route of routes) {
    const variable = match(route.path, url.pathname)
    if (variable === undefined) continue
    if (request.method !== 'GET')
      throw new ControlProblem(405, 'method_not_allowed', `${url.pathname} can only be read`)
    return route.answer(controlled, variable, url.searchParams)
  }
  throw new ControlProblem(404, 'not_found', `there is no ${request.method} ${url.pathname}; GET / lists what there is`)
}

/** The variable of `/modems/:name`, an empty text when the pattern has none, undefined when it does not fit. */
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
    throw new ControlProblem(400, 'invalid_path', `"${text}" is not a percent-encoded text`)
  }
}

async function act(request: IncomingMessage, path: string, controlled: Controlled): Promise<object> {
  const name = path.startsWith('/do/') ? path.slice('/do/'.length) : ''
  const instruction = Object.hasOwn(allInstructions, name) ? allInstructions[name] : undefined
  if (instruction === undefined) {
    request.resume()
    throw new ControlProblem(404, 'not_found', `there is no POST ${path}; GET / lists what there is`)
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
  // Not destroyed when refused: the refusal travels on the same socket.
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
