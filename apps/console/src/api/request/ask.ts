import type { Problem } from '@smsgw/contract/fields/problem'
import { t } from '../../words/text.ts'
import { problemText, requestProblemText } from './problem-texts.ts'

const base = '/3rdparty/v1'
/** The time limit, which is longer than any operation of a device, such as diagnostics or a USSD code. */
const patienceMs = 240_000

export interface FetchedAnswer<T> {
  readonly body: T
  /** Cursor of the next page of a list, if there is one. */
  readonly nextCursor: string | undefined
  /** Cursor of the page with newer items, if the list was not opened at its newest item. */
  readonly prevCursor?: string | undefined
  /**
   * The number of items in all pages, if the first page was requested without a cursor. If there are more than the
   * relay counts one by one, this is the least possible number.
   */
  readonly total?: number | undefined
  /** False if there may be more items than `total`. */
  readonly isTotalExact?: boolean | undefined
  /** Set if a search was limited: messages before this time were not searched. */
  readonly searchedSince?: string | undefined
}

/** Sends a request with the cookie of the session. Throws an {@link ApiFailure} unless it succeeds. */
export function ask<T>(
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
  headers?: Readonly<Record<string, string>>,
): Promise<FetchedAnswer<T>> {
  const signals = [session.signal, ...(signal === undefined ? [] : [signal])]
  return request(method, path, signals, body, headers)
}

/** Signs the user out. Unlike other requests, this one is not aborted when a page notices the end of the session. */
export async function askToSignOut(): Promise<void> {
  await request('DELETE', '/session', [])
}

async function request<T>(
  method: string,
  path: string,
  signals: readonly AbortSignal[],
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<FetchedAnswer<T>> {
  const response = await reach(`${base}${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(patienceMs), ...signals]),
  })
  return answerOf(response)
}

let session = new AbortController()

/**
 * Aborts all requests of the session that has ended, so that no late answer reaches the next user of the browser.
 */
export function abortRequests(reason: SessionEnded): void {
  session.abort(reason)
  session = new AbortController()
}

/** The error of a request whose session ended before the answer arrived. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded'
  /** True if the user signed out. After any other end, the user may sign in again and continue. */
  readonly isSignOut: boolean

  constructor(isSignOut: boolean) {
    super()
    this.isSignOut = isSignOut
  }
}

export async function answerOf<T>(response: Response): Promise<FetchedAnswer<T>> {
  const text = await response.text()
  const total = response.headers.get('x-total-count')
  if (!response.ok) throw new ApiFailure(response.status, problemIn(text))
  return {
    body: (text === '' ? undefined : JSON.parse(text)) as T,
    nextCursor: cursorIn(response.headers.get('link'), 'next'),
    prevCursor: cursorIn(response.headers.get('link'), 'prev'),
    total: total === null ? undefined : Number(total),
    isTotalExact: total === null ? undefined : response.headers.get('x-total-count-exact') !== 'false',
    searchedSince: response.headers.get('x-searched-since') ?? undefined,
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask<T>('GET', path, undefined, signal)).body
}

/** A failed request with a message for the user. `status` is 0 if there was no answer. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly problem: Partial<Problem>
  /** The English message of the API, if the text of the failure only describes the status. */
  readonly detail: string | undefined

  constructor(status: number, problem: Partial<Problem>, words = wordsOf(status, problem)) {
    super(words.text)
    this.status = status
    this.problem = problem
    this.detail = words.detail
  }

  /** The problem of one member of the request. */
  about(path: string): string | undefined {
    const problem = this.problem.errors?.find((error) => error.path === path || error.path.startsWith(`${path}[`))
    return problem && problemText(problem)
  }

  /** The problems of all members of the request. */
  problems(): readonly string[] {
    return (this.problem.errors ?? []).map(problemText)
  }

  /** True if each problem concerns one of these members, so that a form can show the problems beside its fields. */
  isOnlyAbout(paths: readonly string[]): boolean {
    const problems = this.problem.errors ?? []
    return (
      problems.length > 0 &&
      problems.every((problem) => paths.some((path) => problem.path === path || problem.path.startsWith(`${path}[`)))
    )
  }
}

interface FailureWords {
  readonly text: string
  readonly detail?: string
}

function wordsOf(status: number, { message, ...problem }: Partial<Problem>): FailureWords {
  return message === undefined
    ? { text: t('problem.noReason', { status }) }
    : requestProblemText({ ...problem, status, message })
}

export function queryString(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if (error instanceof SessionEnded || (error instanceof DOMException && error.name === 'AbortError')) throw error
    throw new ApiFailure(0, {}, { text: t('problem.unreachable') })
  }
}

function problemIn(text: string): Partial<Problem> {
  try {
    const problem: unknown = JSON.parse(text)
    return typeof problem === 'object' && problem !== null ? problem : {}
  } catch {
    return {}
  }
}

function cursorIn(link: string | null, rel: 'next' | 'prev'): string | undefined {
  const target = new RegExp(`<([^>]*)>;\\s*rel="?${rel}"?`).exec(link ?? '')?.[1]
  return target === undefined ? undefined : (new URL(target, 'http://any').searchParams.get('cursor') ?? undefined)
}
