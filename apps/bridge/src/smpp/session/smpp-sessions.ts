import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@smsgw/daemon/log/log'
import type { SmppConfig } from '../../config.ts'
import { steadyNow } from '../../state/steady-clock.ts'
import type { Deliverer } from '../deliver/deliverer.ts'
import { SmppError } from '../protocol/command.ts'
import type { BindRequest } from '../protocol/requests.ts'
import { answerRequest } from '../submit/answer-request.ts'
import type { SmppSubmitter } from '../submit/submitter.ts'
import { type AuthenticateOptions, authenticateBind, type SmppLogin } from './authenticate.ts'
import { type SessionTimes, SmppSession } from './smpp-session.ts'

/** How long a stop waits for the answers to requests in progress. */
const UNBIND_MS = 3_000
/** The largest number of clients with one system id that are bound at the same time. */
const MOST_BINDS = 20

export interface SmppSessionsOptions {
  readonly config: SmppConfig
  readonly connect: AuthenticateOptions['connect']
  readonly submitter: SmppSubmitter
  readonly deliverer: Deliverer
  readonly log: Log
  readonly times: SessionTimes
}

/** The sessions of all connected clients. */
export class SmppSessions {
  readonly #options: SmppSessionsOptions
  readonly #sessions = new Set<SmppSession>()
  readonly #attempts = new AttemptLimit(steadyNow)

  constructor(options: SmppSessionsOptions) {
    this.#options = options
  }

  open(socket: Socket, address: string): void {
    const { submitter, deliverer, log, times } = this.#options
    const session = new SmppSession({
      socket,
      address,
      log,
      times,
      onBind: (request, isSender) => this.#bind(request, isSender, address),
      onRequest: (pdu, from, login) => answerRequest(pdu, from, login, submitter),
      onReceiver: (receiver) => deliverer.add(receiver),
      onClose: (closed) => {
        this.#sessions.delete(closed)
        deliverer.remove(closed)
      },
    })
    this.#sessions.add(session)
  }

  /** Ends all sessions. Waits a few seconds for the answers to requests in progress. */
  async close(): Promise<void> {
    const unbound = Promise.all([...this.#sessions].map((session) => session.unbind()))
    await Promise.race([unbound, sleep(UNBIND_MS, undefined, { ref: false })])
    for (const session of this.#sessions) session.close()
  }

  async #bind(request: BindRequest, isSender: boolean, address: string): Promise<SmppLogin> {
    const { config, connect } = this.#options
    this.#refuseBlocked(address)
    const login = await authenticateBind(request, isSender, { connect, users: config.SMPP_USERS ?? new Map() }).catch(
      (error: unknown) => {
        if (error instanceof SmppError && error.status === 'ESME_RINVPASWD') this.#attempts.addFailure(address)
        throw error
      },
    )
    // Checks the limit again, because other binds of this address may have failed meanwhile.
    this.#refuseBlocked(address)
    const bound = [...this.#sessions].filter((other) => other.isBound && other.login?.systemId === login.systemId)
    if (bound.length >= MOST_BINDS)
      throw new SmppError('ESME_RBINDFAIL', `the system_id has ${MOST_BINDS} binds, the maximum`)
    return login
  }

  #refuseBlocked(address: string): void {
    if (this.#attempts.isBlocked(address))
      throw new SmppError('ESME_RBINDFAIL', 'too many failed binds from this address')
  }
}

/** The number of failed logins within the window after which an address must wait. */
const MOST_FAILURES = 5
const WINDOW_MS = 60_000
/**
 * The number of addresses that are remembered. This is enough: because connections are limited too, failed logins
 * cannot come from more addresses within the window.
 */
const MOST_ADDRESSES = 10_000

/** Counts failed logins by address, so that a password cannot be guessed. */
class AttemptLimit {
  readonly #now: () => number
  readonly #failures = new Map<string, { count: number; until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  isBlocked(address: string): boolean {
    const entry = this.#failures.get(address)
    return entry !== undefined && entry.count >= MOST_FAILURES && entry.until > this.#now()
  }

  addFailure(address: string): void {
    const now = this.#now()
    const entry = this.#failures.get(address)
    if (entry !== undefined && entry.until > now) {
      entry.count += 1
      return
    }
    this.#failures.delete(address)
    for (const [oldest, { until }] of this.#failures) {
      if (until > now && this.#failures.size < MOST_ADDRESSES) break
      this.#failures.delete(oldest)
    }
    this.#failures.set(address, { count: 1, until: now + WINDOW_MS })
  }
}
