import type { CommandError } from '../dialogue/errors/command-error.ts'
import { TaskQueue } from '../task-queue.ts'
import { hilinkError, loginRequired } from './hilink-errors.ts'
import type { WebPort, WebReply } from './web-port.ts'
import { childNumber, childText, escapeXml, parseXml, type XmlElement } from './xml.ts'

export type WebAnswer =
  | { readonly kind: 'value'; readonly value: XmlElement }
  | { readonly kind: 'refused'; readonly error: CommandError }
  /** The stick has not executed the request. */
  | { readonly kind: 'not-sent'; readonly why: string }
  /** The stick may have executed the request. */
  | { readonly kind: 'no-answer'; readonly why: string }

/**
 * The content of a request: elements in the order in which they are written, because some firmware depends on the
 * order.
 */
export type RequestFields = readonly (readonly [name: string, value: string | number | RequestFields])[]

/**
 * The session with the web interface: a cookie, and a token that each POST uses up. Requests run one at a time, because
 * the token of a request comes with the reply to the previous request.
 *
 * `SesTokInfo` opens a session. The stick refuses the token after a restart, or after another program has opened a
 * session. A refused token means that the stick has not executed the request, so the request is repeated once with a
 * new session.
 */
export class WebSession {
  readonly #port: WebPort
  readonly #login: WebLogin | undefined
  readonly #tasks = new TaskQueue()
  #cookie: string | undefined
  #tokens: string[] = []
  /** The number of sessions so far. */
  #renewals = 0
  #refusals = 0
  #loginRefusal: CommandError | undefined

  constructor(port: WebPort, login?: WebLogin) {
    this.#port = port
    this.#login = login
  }

  get renewals(): number {
    return this.#renewals
  }

  /** The number of sessions that the stick has refused, because it has restarted or has closed the session. */
  get refusals(): number {
    return this.#refusals
  }

  /**
   * The reason why the stick refused the login. The login is not repeated, because the stick locks after a few wrong
   * logins.
   */
  get loginRefusal(): CommandError | undefined {
    return this.#loginRefusal
  }

  get(path: string): Promise<WebAnswer> {
    return this.#tasks.run(() => this.#request({ method: 'GET', path, body: undefined, timeoutMs: getTimeoutMs }))
  }

  /**
   * @param options.isStillValid called before the request is repeated with a new session; if it returns false, the
   * request is not repeated
   */
  post(path: string, fields: RequestFields, options: PostOptions = {}): Promise<WebAnswer> {
    const body = requestBody(fields)
    const { timeoutMs = postTimeoutMs } = options
    return this.#tasks.run(() => this.#request({ method: 'POST', path, body, timeoutMs }, options.isStillValid))
  }

  /** Discards the session, so that the next request opens a new session. */
  forget(): void {
    this.#cookie = undefined
    this.#tokens = []
  }

  async #request(request: Request, isStillValid?: PostOptions['isStillValid']): Promise<WebAnswer> {
    let hasLoggedIn = false
    for (let attempt = 1; ; attempt += 1) {
      const problem = await this.#open()
      if (problem !== undefined) return problem
      if (attempt > 1 && isStillValid !== undefined && !(await isStillValid((path) => this.#send(getRequest(path))))) {
        return { kind: 'not-sent', why: 'the modem or its SIM was replaced by another one' }
      }
      const answer = await this.#send(request)
      if (isLoginRequired(answer) && !hasLoggedIn && (await this.#logIn())) {
        hasLoggedIn = true
        continue
      }
      const isTokenRefused = answer.kind === 'refused' && tokenErrors.has(answer.error.code ?? 0)
      if (!isTokenRefused) return answer
      this.forget()
      this.#refusals += 1
      if (attempt > 1) return { kind: 'not-sent', why: `the stick refuses each new session (${answer.error.text})` }
    }
  }

  async #open(): Promise<WebAnswer | undefined> {
    if (this.#cookie !== undefined && this.#tokens.length > 0) return undefined
    const path = '/api/webserver/SesTokInfo'
    const reply = await this.#port.exchange({ method: 'GET', path, headers: {}, timeoutMs: getTimeoutMs })
    const answer = answerIn(reply)
    if (answer.kind !== 'value') return answer.kind === 'no-answer' ? { ...answer, kind: 'not-sent' } : answer
    const cookie = childText(answer.value, 'SesInfo')
    const token = childText(answer.value, 'TokInfo')
    if (cookie === undefined || token === undefined || !isHeaderText(cookie) || !isHeaderText(token)) {
      return { kind: 'not-sent', why: 'the stick opened no session' }
    }
    this.#cookie = cookie.startsWith('SessionID=') ? cookie : `SessionID=${cookie}`
    this.#tokens = [token]
    this.#renewals += 1
    return undefined
  }

  /** Returns whether requests are now allowed. */
  async #logIn(): Promise<boolean> {
    if (this.#login === undefined || this.#loginRefusal !== undefined) return false
    this.forget()
    if ((await this.#open()) !== undefined) return false
    const { user, password, hash } = this.#login
    const fields: RequestFields = [
      ['Username', user],
      ['Password', hash(user + hash(password) + (this.#tokens[0] ?? ''))],
      ['password_type', 4],
    ]
    const answer = await this.#send({
      method: 'POST',
      path: '/api/user/login',
      body: requestBody(fields),
      timeoutMs: postTimeoutMs,
    })
    if (answer.kind === 'refused') this.#loginRefusal = answer.error
    return answer.kind === 'value'
  }

  async #send({ method, path, body, timeoutMs }: Request): Promise<WebAnswer> {
    const [token = ''] = this.#tokens
    const reply = await this.#port.exchange({
      method,
      path,
      timeoutMs,
      headers: {
        cookie: this.#cookie ?? '',
        [tokenHeader]: token,
        ...(body !== undefined && { 'content-type': 'application/xml; charset=UTF-8' }),
      },
      ...(body !== undefined && { body }),
    })
    if (method === 'POST') this.#tokens.shift()
    if (reply.kind === 'answer') {
      this.#takeCookie(reply.headers['set-cookie'])
      this.#takeTokens(reply.headers)
    }
    return answerIn(reply)
  }

  /** A login opens another session. */
  #takeCookie(cookies = ''): void {
    const session = /(?:^|#|\s)(SessionID=[^;#\s]+)/.exec(cookies)?.[1]
    if (session !== undefined && isHeaderText(session)) this.#cookie = session
  }

  /** After a login, the reply contains several tokens, separated by `#` or in two headers. */
  #takeTokens(headers: Readonly<Record<string, string>>): void {
    const fresh = [headers[tokenHeader], headers[`${tokenHeader}one`], headers[`${tokenHeader}two`]]
      .flatMap((value) => value?.split('#') ?? [])
      .filter((token) => token !== '' && isHeaderText(token))
    if (fresh.length > 0) this.#tokens = fresh
  }
}

/** The username and the password of the stick's web page. */
export interface WebLogin {
  readonly user: string
  readonly password: string
  /** SHA-256 as hexadecimal digits, in Base64. */
  readonly hash: (text: string) => string
}

export interface PostOptions {
  readonly timeoutMs?: number
  readonly isStillValid?: (get: (path: string) => Promise<WebAnswer>) => Promise<boolean>
}

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string | undefined
  readonly timeoutMs: number
}

function getRequest(path: string): Request {
  return { method: 'GET', path, body: undefined, timeoutMs: getTimeoutMs }
}

function answerIn(reply: WebReply): WebAnswer {
  if (reply.kind !== 'answer') return reply
  const { status, body } = reply
  if (status < 200 || status > 299) return { kind: 'no-answer', why: `the web interface answered with HTTP ${status}` }
  const root = parseXml(body)
  if (root?.name === 'error') {
    const code = childNumber(root, 'code')
    if (code !== undefined) return { kind: 'refused', error: hilinkError(code, childText(root, 'message')) }
  }
  if (root?.name === 'response') return { kind: 'value', value: root }
  return { kind: 'no-answer', why: 'the web interface answered with something other than its XML' }
}

function requestBody(fields: RequestFields): string {
  return `<?xml version="1.0" encoding="UTF-8"?><request>${written(fields)}</request>`
}

function isLoginRequired(answer: WebAnswer): boolean {
  return answer.kind === 'refused' && answer.error.code === loginRequired
}

function written(fields: RequestFields): string {
  return fields
    .map(([name, value]) => `<${name}>${typeof value === 'object' ? written(value) : escapeXml(`${value}`)}</${name}>`)
    .join('')
}

/**
 * Returns true if the text is a valid header value. With an invalid value, a stick could add headers to later requests.
 */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]{1,1024}$/.test(text)
}

const tokenHeader = '__requestverificationtoken'

/** Errors that mean a wrong token or session. The web server checks both before it executes a request. */
const tokenErrors: ReadonlySet<number> = new Set([125_001, 125_002, 125_003])

const getTimeoutMs = 10_000
const postTimeoutMs = 30_000
