import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import type { SmsGateway, SmsGatewayOptions } from '@smsgw/client'
import type { MessageState } from '@smsgw/client/openapi'
import type { Log } from '@smsgw/daemon/log'
import { StartError } from '@smsgw/daemon/start-error'
import type { SmppConfig } from '../config.ts'
import { AccountFollower } from '../follow/account-follower.ts'
import { Notes } from '../state/bridge-state.ts'
import { type ChannelReport, ChannelState } from '../state/channel-state.ts'
import { HandledItems } from '../state/handled-items.ts'
import { SentMessages } from '../state/sent-messages.ts'
import { steadyNow } from '../state/steady-clock.ts'
import { Deliverer } from './deliver/deliverer.ts'
import { DeliveryQueue } from './deliver/delivery-queue.ts'
import { receiptExcerpt } from './deliver/receipt-pdu.ts'
import { SmppError } from './protocol/command.ts'
import { AttemptLimit } from './session/attempt-limit.ts'
import { authenticate } from './session/authenticate.ts'
import { ConnectionCount, type Listener, listen } from './session/smpp-server.ts'
import { SESSION_TIMES, type SessionTimes, SmppSession } from './session/smpp-session.ts'
import { answerRequest } from './submit/answer-request.ts'
import { EXPIRED, finalTimeOf, type Outcome, recipientOutcome } from './submit/outcome.ts'
import { OwnNumbers } from './submit/own-numbers.ts'
import { type ReceiptRequest, Submitter } from './submit/submitter.ts'

const CHANNEL = 'smpp'
const SWEEP_MS = 10_000
/** How long a stop waits for the answers to requests in progress. */
const UNBIND_MS = 3_000
/** The largest number of clients with one system id that are bound at the same time. */
const MOST_BINDS = 20
const ENDED: readonly string[] = ['Delivered', 'Failed', 'Cancelled']

export interface SmppBridgeOptions {
  readonly config: SmppConfig
  /** Creates a client for the account of the bridge, unless the options have other credentials. */
  readonly connect: (options: Partial<SmsGatewayOptions>) => SmsGateway
  readonly database: DatabaseSync
  readonly log: Log
  readonly times?: SessionTimes
}

export interface SmppBridge {
  /** The port without TLS; undefined if it is disabled. */
  readonly port: number | undefined
  readonly tlsPort: number | undefined
  readonly report: () => ChannelReport
  readonly stop: () => Promise<void>
}

/** Serves SMPP 3.4: sends submitted messages as SMS, and passes received messages and receipts to bound receivers. */
export async function startSmppBridge({
  config,
  connect,
  database,
  log,
  times = SESSION_TIMES,
}: SmppBridgeOptions): Promise<SmppBridge> {
  const stopping = new AbortController()
  const { signal } = stopping
  const api = connect({})
  const state = new ChannelState(CHANNEL, { api: 'connecting to the API' })
  const sessions = new Set<SmppSession>()
  const attempts = new AttemptLimit(steadyNow)
  const queue = new DeliveryQueue(database)
  const sent = new SentMessages(database, CHANNEL)
  const deliverer = new Deliverer({
    queue,
    api,
    format: { alphabet: config.SMPP_ALPHABET, longText: config.SMPP_LONG_TEXT },
    log,
  })
  const submitter = new Submitter({
    database,
    alphabet: config.SMPP_ALPHABET,
    refusesSource: config.SMPP_SOURCE === 'refuse',
    ownNumbers: new OwnNumbers(api, steadyNow),
    sent,
    log,
    steadyNow,
    wallNow: Date.now,
    onGivenUp(messageId, request) {
      const outcomes = request.destinations.map(() => EXPIRED)
      addReceipts(request, { messageId, outcomes, submittedAt: Date.now(), doneAt: Date.now(), text: '' })
    },
    onMissed: (id) => void follower.reportNow(id).catch((error: Error) => reportLater(error, id)),
  })
  const follower = new AccountFollower({
    channel: CHANNEL,
    api,
    notes: new Notes(database),
    handled: new HandledItems(database, CHANNEL),
    sent,
    log,
    signal,
    now: Date.now,
    onConnected: (isConnected) => state.set('api', isConnected ? undefined : 'connection to the API lost'),
    stateOf: progressOf,
    async onReceived({ id }) {
      queue.addReceived(id, steadyNow())
      deliverer.wake()
    },
    async onState(message, detail) {
      if (progressOf(message) !== 'Ended') return
      addReceipts(JSON.parse(detail) as ReceiptRequest, {
        messageId: message.id,
        outcomes: message.recipients.map(recipientOutcome),
        submittedAt: Date.parse(message.createdAt),
        doneAt: finalTimeOf(message) ?? Date.now(),
        text: receiptExcerpt(message.textMessage?.text ?? ''),
      })
    },
  })
  const listeners = await listenOnAll()
  const following = follower.run()
  const sweeping = setInterval(sweep, SWEEP_MS)
  sweep()

  async function listenOnAll(): Promise<readonly (Listener | undefined)[]> {
    const connections = new ConnectionCount(log)
    const shared = { host: config.SMPP_HOST, allowed: config.SMPP_ALLOW_CIDRS, connections, log, onConnection: open }
    const start = async (name: 'SMPP_PORT' | 'SMPP_TLS_PORT', tls?: ReturnType<typeof readCertificate>) => {
      const port = config[name]
      if (port === undefined) return undefined
      const listener = await listen({ ...shared, port, tls }).catch((error: Error) => {
        throw new StartError(`${name}: cannot listen on ${config.SMPP_HOST}:${port}: ${error.message}`)
      })
      log.info({ host: config.SMPP_HOST, port: listener.port, tls: tls !== undefined }, 'SMPP server listening')
      return listener
    }
    return [await start('SMPP_PORT'), await start('SMPP_TLS_PORT', readCertificate(config))]
  }

  function open(socket: Socket, address: string): void {
    const session = new SmppSession({
      socket,
      address,
      log,
      times,
      async onBind(request, isSender) {
        refuseBlocked(address)
        const login = await authenticate(request, isSender, { connect, users: config.SMPP_USERS ?? new Map() }).catch(
          (error: unknown) => {
            if (error instanceof SmppError && error.status === 'ESME_RINVPASWD') attempts.addFailure(address)
            throw error
          },
        )
        // Checks the limit again, because other binds of this address may have failed meanwhile.
        refuseBlocked(address)
        const bound = [...sessions].filter((other) => other.isBound && other.login?.systemId === login.systemId)
        if (bound.length >= MOST_BINDS)
          throw new SmppError('ESME_RBINDFAIL', `the system_id has ${MOST_BINDS} binds, the maximum`)
        return login
      },
      onRequest: (pdu, from, login) => answerRequest(pdu, from, login, submitter),
      onReceiver: (receiver) => deliverer.add(receiver),
      onClose(closed) {
        sessions.delete(closed)
        deliverer.remove(closed)
      },
    })
    sessions.add(session)
  }

  function refuseBlocked(address: string): void {
    if (attempts.isBlocked(address)) throw new SmppError('ESME_RBINDFAIL', 'too many failed binds from this address')
  }

  function addReceipts(
    { systemId, owner, source, destinations, onFailureOnly, copies }: ReceiptRequest,
    {
      messageId,
      outcomes,
      ...facts
    }: {
      readonly messageId: string
      readonly outcomes: readonly Outcome[]
      readonly submittedAt: number
      readonly doneAt: number
      readonly text: string
    },
  ): void {
    const receipts = destinations.flatMap((destination, at) => {
      const outcome = outcomes[at]
      if (outcome === undefined || (onFailureOnly && outcome.stat === 'DELIVRD')) return []
      return [{ systemId, owner, messageId, source, destination, ...outcome, ...facts }]
    })
    queue.addReceipts(messageId, receipts, copies, steadyNow())
    deliverer.wake()
  }

  function sweep(): void {
    submitter.sweep()
    const old = queue.removeOld(steadyNow())
    if (old > 0) log.warn({ count: old }, 'SMPP deliveries dropped: no receiver has accepted them for 7 days')
  }

  /** After a failure, the next event of the message or the next start reports the state. */
  function reportLater(error: Error, id: string): void {
    if (!signal.aborted) log.warn({ message: id, reason: error.message }, 'could not read the state of a message')
  }

  const [plain, secure] = listeners
  return {
    report: () => state.report(),
    port: plain?.port,
    tlsPort: secure?.port,
    async stop() {
      stopping.abort()
      clearInterval(sweeping)
      deliverer.stop()
      const closing = listeners.map((listener) => listener?.close())
      const unbound = Promise.all([...sessions].map((session) => session.unbind()))
      await Promise.race([unbound, sleep(UNBIND_MS, undefined, { ref: false })])
      for (const session of sessions) session.close()
      await Promise.all([...closing, following])
    },
  }
}

/**
 * Returns `Ended` when each recipient has a final state. The message itself stays `Sent` if it failed for some
 * recipients only.
 */
function progressOf({ state, recipients }: MessageState): string {
  return recipients.every((recipient) => ENDED.includes(recipient.state)) ? 'Ended' : state
}

function readCertificate({ SMPP_TLS_CERT, SMPP_TLS_KEY }: SmppConfig) {
  if (SMPP_TLS_CERT === undefined || SMPP_TLS_KEY === undefined) return undefined
  const pair = { cert: readPem('SMPP_TLS_CERT', SMPP_TLS_CERT), key: readPem('SMPP_TLS_KEY', SMPP_TLS_KEY) }
  try {
    createSecureContext(pair)
  } catch (error) {
    throw new StartError(`SMPP_TLS_CERT and SMPP_TLS_KEY do not match: ${(error as Error).message}`, { cause: error })
  }
  return pair
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${name}: cannot read the file: ${(error as Error).message}`, { cause: error })
  }
}
