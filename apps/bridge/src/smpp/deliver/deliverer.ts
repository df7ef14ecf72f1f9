import type { SmsGateway } from '@smsgw/client'
import { ApiError, AuthenticationError, NotFoundError, PermissionError, SmsGatewayError } from '@smsgw/client/errors'
import type { Log } from '@smsgw/daemon/log/log'
import { STATUS, statusName } from '../protocol/command.ts'
import type { SmppLogin } from '../session/authenticate.ts'
import { MOST_DELIVERIES, type SmppSession } from '../session/smpp-session.ts'
import type { DeliveryQueue, QueuedDelivery } from './delivery-queue.ts'
import { receiptPdu } from './receipt-pdu.ts'
import { type ReceivedOptions, receivedPdus } from './received-pdus.ts'

/** The pause after a client has refused a deliver_sm temporarily, or the API was unavailable. */
const RETRY_MS = 30_000
/**
 * A receiver with a postponed delivery gets no other delivery for this time, so that the deliveries are sent to other
 * receivers.
 */
const REST_MS = 1_000
const BATCH = 50

export interface DelivererOptions {
  readonly queue: DeliveryQueue
  /** The account of the bridge. */
  readonly api: SmsGateway
  readonly format: Omit<ReceivedOptions, 'reference'>
  readonly log: Log
}

interface Receiver {
  readonly session: SmppSession
  readonly login: SmppLogin
  /** The number of deliveries that were sent to this client and not answered yet. */
  open: number
  /** False after the API has refused to let this client read received messages. */
  readsInbox: boolean
  /** True for a while after a delivery was postponed. */
  isResting: boolean
}

/** The delivery must not be sent to this receiver, but may be sent to another receiver. */
class NotForReceiver extends Error {}

/**
 * Passes received messages and receipts to bound receivers, oldest first. Each delivery is sent to one receiver, and
 * leaves the queue after its deliver_sm_resp. Without an answer, it is sent to the next receiver that binds, so it may
 * arrive twice.
 */
export class Deliverer {
  readonly #options: DelivererOptions
  readonly #receivers = new Map<SmppSession, Receiver>()
  /** Deliveries that were sent to a client, or that wait for the next attempt. */
  readonly #busy = new Set<number>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(options: DelivererOptions) {
    this.#options = options
  }

  add(session: SmppSession): void {
    const { login } = session
    if (login === undefined) return
    this.#receivers.set(session, { session, login, open: 0, readsInbox: true, isResting: false })
    this.wake()
  }

  remove(session: SmppSession): void {
    this.#receivers.delete(session)
  }

  /** Must be called when deliveries may be due. */
  wake(): void {
    for (const receiver of this.#receivers.values()) this.#fill(receiver)
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#receivers.clear()
  }

  #fill(receiver: Receiver): void {
    const { queue } = this.#options
    let after = 0
    while (receiver.session.isReceiver && !receiver.isResting && receiver.open < MOST_DELIVERIES) {
      const { readsInbox } = receiver
      const found = queue.listFor({ ...receiver.login, readsInbox }, after, BATCH)
      for (const delivery of found) {
        after = delivery.number
        if (this.#busy.has(delivery.number)) continue
        if (receiver.open >= MOST_DELIVERIES) return
        void this.#deliver(delivery, receiver)
      }
      if (found.length < BATCH) return
    }
  }

  async #deliver(delivery: QueuedDelivery, receiver: Receiver): Promise<void> {
    const { queue, log } = this.#options
    const { number } = delivery
    this.#busy.add(number)
    receiver.open += 1
    let isLater = false
    try {
      if (await this.#send(delivery, receiver)) queue.remove(number)
    } catch (error) {
      isLater = !(error instanceof NotForReceiver)
      const reason = (error as Error).message
      if (isLater) log.warn({ systemId: receiver.login.systemId, reason }, 'SMPP delivery postponed')
    } finally {
      receiver.open -= 1
      if (isLater) this.#postpone(number, receiver)
      else this.#busy.delete(number)
      this.wake()
    }
  }

  /** Returns true if the delivery is finished, and false if the connection ended before the answer. */
  async #send(delivery: QueuedDelivery, receiver: Receiver): Promise<boolean> {
    for (const body of await this.#bodiesOf(delivery, receiver)) {
      const status = await receiver.session.deliver(body)
      if (status === undefined) return false
      if (status === STATUS.ESME_ROK) continue
      const isFinal = status === STATUS.ESME_RX_P_APPN || status === STATUS.ESME_RX_R_APPN
      if (!isFinal) throw new Error(`the client answered deliver_sm with ${statusName(status)}`)
      const { systemId } = receiver.login
      this.#options.log.warn({ systemId, status: statusName(status) }, 'SMPP delivery dropped: the client refused it')
      return true
    }
    return true
  }

  async #bodiesOf(delivery: QueuedDelivery, receiver: Receiver): Promise<readonly Uint8Array[]> {
    if (delivery.kind === 'receipt') return [receiptPdu(delivery.receipt)]
    const item = await this.#read(delivery.inboxId, receiver)
    return item === undefined ? [] : receivedPdus(item, { ...this.#options.format, reference: delivery.number })
  }

  /** Reads a message with the rights of the client. Returns undefined if the message was deleted because of its age. */
  async #read(inboxId: string, receiver: Receiver) {
    try {
      return await receiver.login.api.inbox.get(inboxId)
    } catch (error) {
      if (!(error instanceof SmsGatewayError)) throw error
      if (error instanceof AuthenticationError) {
        const { systemId } = receiver.login
        this.#options.log.warn(
          { systemId, reason: error.message },
          'SMPP client disconnected: the API refuses its login',
        )
        receiver.session.close()
        throw new NotForReceiver()
      }
      if (isGone(error) && (await this.#isDeleted(inboxId))) return undefined
      if (!(error instanceof PermissionError || isGone(error))) throw error
      receiver.readsInbox = false
      const { systemId } = receiver.login
      this.#options.log.warn(
        { systemId, reason: error.message },
        'received messages are not delivered to an SMPP client: its key lacks inbox:list, or the client uses another account than the bridge',
      )
      throw new NotForReceiver()
    }
  }

  async #isDeleted(inboxId: string): Promise<boolean> {
    return this.#options.api.inbox.get(inboxId).then(
      () => false,
      (error: unknown) => {
        if (isGone(error)) return true
        throw error
      },
    )
  }

  #postpone(number: number, receiver: Receiver): void {
    this.#after(RETRY_MS, () => this.#busy.delete(number))
    if (receiver.isResting || !this.#receivers.has(receiver.session)) return
    receiver.isResting = true
    // Moves this receiver behind the other receivers.
    this.#receivers.delete(receiver.session)
    this.#receivers.set(receiver.session, receiver)
    this.#after(REST_MS, () => {
      receiver.isResting = false
    })
  }

  #after(ms: number, change: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      change()
      this.wake()
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }
}

function isGone(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof ApiError && error.status === 410)
}
