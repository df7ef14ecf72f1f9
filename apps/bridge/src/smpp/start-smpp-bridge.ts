import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { MessageState } from '@smsgw/client/openapi'
import { listenProblem } from '@smsgw/daemon/listen-problem'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'
import type { SmppConfig } from '../config.ts'
import { AccountFollower } from '../follow/account-follower.ts'
import { readPem } from '../read-pem.ts'
import { Channel, type ChannelOptions, type ConnectOption, type RunningChannel } from '../state/channel.ts'
import { steadyNow } from '../state/steady-clock.ts'
import { Deliverer } from './deliver/deliverer.ts'
import { DeliveryQueue, type Receipt } from './deliver/delivery-queue.ts'
import { receiptExcerpt } from './deliver/receipt-pdu.ts'
import { ConnectionCount, listenSmpp, type SmppListener } from './session/smpp-server.ts'
import { SESSION_TIMES, type SessionTimes } from './session/smpp-session.ts'
import { SmppSessions } from './session/smpp-sessions.ts'
import { EXPIRED, finalTimeOf, type ReceiptOutcome, recipientOutcome } from './submit/outcome.ts'
import { OwnNumbers } from './submit/own-numbers.ts'
import { type ReceiptRequest, SmppSubmitter } from './submit/submitter.ts'

const SWEEP_MS = 10_000
const ENDED: readonly string[] = ['Delivered', 'Failed', 'Cancelled']

export interface SmppBridgeOptions extends ChannelOptions<SmppConfig>, ConnectOption {
  readonly times?: SessionTimes
}

export interface SmppBridge extends RunningChannel {
  /** The port without TLS; undefined if it is disabled. */
  readonly port: number | undefined
  readonly tlsPort: number | undefined
}

/** Serves SMPP 3.4: sends submitted messages as SMS, and passes received messages and receipts to bound receivers. */
export async function startSmppBridge({
  config,
  connect,
  database,
  now,
  log,
  times = SESSION_TIMES,
}: SmppBridgeOptions): Promise<SmppBridge> {
  const api = connect({})
  const channel = new Channel('smpp', database, log, { api: 'connecting to the API' })
  const queue = new DeliveryQueue(database)
  const deliverer = new Deliverer({
    queue,
    api,
    format: { alphabet: config.SMPP_ALPHABET, longText: config.SMPP_LONG_TEXT },
    log,
  })
  const submitter = new SmppSubmitter({
    database,
    alphabet: config.SMPP_ALPHABET,
    refusesSource: config.SMPP_SOURCE === 'refuse',
    ownNumbers: new OwnNumbers(api, steadyNow),
    sent: channel.sent,
    log,
    now,
    wallNow: Date.now,
    onGivenUp(messageId, request) {
      const outcomes = request.destinations.map(() => EXPIRED)
      addReceipts(request, { messageId, outcomes, submittedAt: Date.now(), doneAt: Date.now(), text: '' })
    },
    onMissed: (id) => follower.reportSoon(id),
  })
  const follower = new AccountFollower({
    channel,
    api,
    stateOf: progressOf,
    async onReceived({ id }) {
      queue.addReceived(id, now())
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
  const sessions = new SmppSessions({ config, connect, submitter, deliverer, log, times })
  const listeners = await listenOnAll(config, log, (socket, address) => sessions.open(socket, address))
  const following = follower.run()
  const sweeping = setInterval(sweep, SWEEP_MS)
  sweep()

  function addReceipts(request: ReceiptRequest, facts: ReceiptFacts): void {
    queue.addReceipts(facts.messageId, receiptsOf(request, facts), request.copies, now())
    deliverer.wake()
  }

  function sweep(): void {
    submitter.sweep()
    const old = queue.removeOld(now())
    if (old > 0) log.warn({ count: old }, 'SMPP deliveries dropped: no receiver has accepted them for 7 days')
  }

  const [plain, secure] = listeners
  return {
    report: () => channel.state.report(),
    port: plain?.port,
    tlsPort: secure?.port,
    async stop() {
      channel.stop()
      clearInterval(sweeping)
      deliverer.stop()
      const closing = listeners.map((listener) => listener?.close())
      await sessions.close()
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

/** The data that the receipts of one message share, and the outcome for each destination. */
interface ReceiptFacts extends Pick<Receipt, 'messageId' | 'submittedAt' | 'doneAt' | 'text'> {
  readonly outcomes: readonly ReceiptOutcome[]
}

function receiptsOf(
  { systemId, owner, source, destinations, onFailureOnly }: ReceiptRequest,
  { outcomes, ...facts }: ReceiptFacts,
): Receipt[] {
  return destinations.flatMap((destination, at) => {
    const outcome = outcomes[at]
    if (outcome === undefined || (onFailureOnly && outcome.stat === 'DELIVRD')) return []
    return [{ systemId, owner, source, destination, ...outcome, ...facts }]
  })
}

/** Listens on the ports without and with TLS. Returns undefined for a port that is not set. */
async function listenOnAll(
  config: SmppConfig,
  log: Log,
  onConnection: (socket: Socket, address: string) => void,
): Promise<readonly (SmppListener | undefined)[]> {
  const connections = new ConnectionCount(log)
  const shared = { host: config.SMPP_HOST, allowed: config.SMPP_ALLOW_CIDRS, connections, log, onConnection }
  const start = async (name: 'SMPP_PORT' | 'SMPP_TLS_PORT', tls?: ReturnType<typeof readCertificate>) => {
    const port = config[name]
    if (port === undefined) return undefined
    const listener = await listenSmpp({ ...shared, port, tls }).catch((error: Error) => {
      const settings = { host: 'SMPP_HOST', port: name }
      throw new StartError(listenProblem(error, { host: config.SMPP_HOST, port }, settings), { cause: error })
    })
    log.info({ host: config.SMPP_HOST, port: listener.port, tls: tls !== undefined }, 'SMPP server listening')
    return listener
  }
  return [await start('SMPP_PORT'), await start('SMPP_TLS_PORT', readCertificate(config))]
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
