import { type Dispatcher, Pool } from 'undici'
import type { OpenapiDocument } from '../src/http/openapi/openapi-document.ts'
import { AnswerJudge } from '../src/http/testing/answer-judge.ts'
import { Dice } from './dice.ts'
import { type GeneratedRequest, generateRequest, type Known, operationsIn } from './generate-request.ts'
import { attack, slowBodies } from './raw-attacks.ts'

export interface RelayFuzzOptions {
  readonly url: string
  readonly count: number
  readonly seed: number
  /** Valid values of the `Authorization` header. */
  readonly good: readonly string[]
  /** Connections that send a body one octet at a time during the run. */
  readonly slowConnections: number
  /** Called occasionally to create resources again that requests have deleted. */
  readonly refill: () => Promise<void>
  readonly onProgress?: (sent: number) => void
  readonly onFailure?: (failure: string) => void
}

export interface RelayFuzzReport {
  sent: number
  readonly statuses: Record<string, number>
  slowestMs: number
  /** `METHOD path` of each operation for which no request succeeded. */
  readonly neverGood: Set<string>
  readonly failures: string[]
}

const WORKERS = 16
const RAW_EVERY = 50
const REFILL_EVERY = 500
const MOST_FAILURES = 20
const IDS_KEPT = 500
const TOKENS_KEPT = 10

/**
 * Sends requests generated from the relay's OpenAPI document: valid, mutated and hostile requests, and requests that
 * violate HTTP. Every answer must be documented, and no answer may be an internal error.
 */
export async function fuzzRelay(options: RelayFuzzOptions): Promise<RelayFuzzReport> {
  const { url, count, seed, good } = options
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenapiDocument
  const targets = operationsIn(document)
  const judge = new AnswerJudge(document)
  const ids: string[] = []
  const refreshTokens: string[] = []
  const known: Known = { good, ids, refreshTokens }
  const report: RelayFuzzReport = {
    sent: 0,
    statuses: {},
    slowestMs: 0,
    neverGood: new Set(targets.map(({ method, path }) => `${method} ${path}`)),
    failures: [],
  }
  const port = Number(new URL(url).port)
  const pool = new Pool(url, { connections: WORKERS })
  const slow = slowBodies(port, options.slowConnections)
  try {
    await Promise.all(Array.from({ length: WORKERS }, work))
    const live = await fetch(`${url}/health/live`)
    if (live.status !== 200) report.failures.push(`after the run, /health/live answers ${live.status}`)
  } finally {
    slow.end()
    await pool.destroy()
  }
  return report

  async function work(): Promise<void> {
    while (report.sent < count && report.failures.length < MOST_FAILURES) {
      const turn = report.sent++
      if (turn % REFILL_EVERY === 0) await options.refill()
      if (turn % 10_000 === 9_999) options.onProgress?.(turn + 1)
      const dice = new Dice(seed + turn)
      const problem = turn % RAW_EVERY === 0 ? await attackOnce(dice) : await askOnce(dice)
      if (problem === undefined) continue
      report.failures.push(`request ${turn}: ${problem}`)
      options.onFailure?.(`request ${turn}: ${problem}`)
    }
  }

  async function attackOnce(dice: Dice): Promise<string | undefined> {
    const { sent, answer } = await attack(port, dice)
    count1('raw')
    const faults = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].filter(([, status]) => Number(status) >= 500)
    return faults.length === 0 ? undefined : `${JSON.stringify(sent)} answered ${faults[0]?.[1]}`
  }

  async function askOnce(dice: Dice): Promise<string | undefined> {
    const request = generateRequest(targets, document, known, dice)
    const started = performance.now()
    const { method, path, headers, body } = request
    try {
      const response = await pool.request({ method: method as 'GET', path, headers, body: body ?? null })
      const answer = { status: response.statusCode, headers: response.headers, text: await textOf(response) }
      report.slowestMs = Math.max(report.slowestMs, performance.now() - started)
      count1(String(answer.status))
      if (answer.status < 300) remember(request, answer.text)
      const problem = judge.problemOf(method, request.operation, answer)
      return problem === undefined ? undefined : `${shown(request)} ${problem}`
    } catch (error) {
      // Ignores this error: either the client refused to send the request, or the answer arrived before the body was
      // sent.
      const code = (error as { code?: string }).code ?? String(error)
      count1(code)
      return CLIENT_ERRORS.includes(code) ? undefined : `${shown(request)} failed: ${code}`
    }
  }

  function remember({ method, operation }: GeneratedRequest, text: string): void {
    if (!operation) return
    const target = targets.find((one) => one.operation === operation && one.method === method)
    if (target) report.neverGood.delete(`${method} ${target.path}`)
    for (const [, id] of text.slice(0, 2000).matchAll(/"(?:id|jti)":"([^"]{1,36})"/g)) if (id) ids.push(id)
    for (const [, token] of text.matchAll(/"refresh_token":"([^"]+)"/g)) if (token) refreshTokens.push(token)
    if (refreshTokens.length > TOKENS_KEPT) refreshTokens.shift()
    if (ids.length > IDS_KEPT) ids.splice(0, ids.length - IDS_KEPT)
  }

  function count1(what: string): void {
    report.statuses[what] = (report.statuses[what] ?? 0) + 1
  }
}

/** Reads an answer, but only the head of an endless stream. */
async function textOf({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (!headers['content-type']?.includes('text/event-stream')) return await body.text()
  body.on('error', () => undefined).destroy()
  return ''
}

const CLIENT_ERRORS = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']

function shown({ method, path, headers, body }: GeneratedRequest): string {
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 500)} ${body?.toString('utf8').slice(0, 500)}`
}
