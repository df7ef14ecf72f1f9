import { type RefreshInboxRequest, refreshInboxRequest } from '@smsgw/contract/inbox/inbox'
import type { Command } from '@smsgw/contract/link/command'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { CoreDeps } from '../core-deps.ts'
import { type Call, type Endpoint, endpoint } from '../http/endpoint.ts'
import { fieldError } from '../http/errors/validation-error.ts'
import { mayDo } from '../http/may-do.ts'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox/enqueue-events.ts'
import { redeliverReceived } from './redeliver-received.ts'

export interface RefreshInboxDeps extends Pick<CoreDeps, 'database' | 'clock' | 'random' | 'logbook'> {
  /** Called after the commit with the devices that have a new command. */
  readonly hints: { wake(deviceIds: readonly string[]): void }
  readonly outbox: Outbox
}

/**
 * Makes devices read the messages on their SIMs again, and delivers the received messages of the range to webhooks
 * again.
 */
export function refreshInbox(deps: RefreshInboxDeps): Endpoint {
  return endpoint({
    body: refreshInboxRequest,
    answers: { 202: z.strictObject({}) },
    async handle({ principal, body, access }) {
      await refreshAs(deps, { principal, access }, body)
      return { status: 202, body: {} }
    },
  })
}

async function refreshAs(
  deps: RefreshInboxDeps,
  { principal, access }: Pick<Call<never, never, never>, 'principal' | 'access'>,
  requested: RefreshInboxRequest,
): Promise<void> {
  const { accountId } = principal
  const { database, hints, logbook, outbox } = deps
  const devices = await database.device.findMany({
    where: { accountId, deletedAt: null, ...(requested.deviceId !== undefined && { id: requested.deviceId }) },
    select: { id: true, phoneTokenHash: true },
  })
  if (requested.deviceId !== undefined && devices.length === 0) {
    const message =
      'is not a device of this account: use an id from GET /devices, or leave deviceId out for all devices'
    throw fieldError('deviceId', { reason: 'unknown_device', message })
  }
  const deviceIds = devices.map(({ id }) => id)
  const phoneIds = devices.filter(({ phoneTokenHash }) => phoneTokenHash !== null).map(({ id }) => id)
  await requestSweeps(deps, accountId, { deviceIds, phoneIds, range: requested })
  hints.wake(deviceIds)
  const context = { devices: String(deviceIds.length), webhookDelivery: requested.webhookDelivery }
  logbook.write({ accountId, module: 'inbox', priority: 'INFO', message: 'inbox refresh requested', context })
  if (requested.webhookDelivery === 'Disabled') return
  const mayRead = mayDo(principal, 'inbox:list') || mayDo(principal, 'messages:export')
  await redeliverReceived(database, accountId, requested, requested.webhookDelivery, { access, mayRead })
  outbox.wake()
}

interface Sweeps {
  readonly deviceIds: readonly string[]
  readonly phoneIds: readonly string[]
  readonly range: Pick<RefreshInboxRequest, 'since' | 'until'>
}

/**
 * A sweep command expires after this time. An agent that connects later reads its SIMs automatically when it starts.
 */
const SWEEP_LIFETIME_MS = 3_600_000

/**
 * Creates a sweep command for each device that has no pending sweep, because one pending sweep is enough for all
 * requests. A phone gets a command for each request, because it uploads only the messages of the range.
 */
async function requestSweeps(
  { database, clock, random }: { readonly database: Database; readonly clock: Clock; readonly random: Random },
  accountId: string,
  { deviceIds, phoneIds, range }: Sweeps,
): Promise<void> {
  const now = clock.now()
  const waiting = await database.deviceCommand.findMany({
    where: {
      accountId,
      deviceId: { in: [...deviceIds] },
      dispatchedAt: null,
      answeredAt: null,
      expiresAt: { gt: now },
      command: { path: ['kind'], equals: 'sweep' },
    },
    select: { deviceId: true },
  })
  const phones = new Set(phoneIds)
  const requested = new Set(waiting.flatMap(({ deviceId }) => (phones.has(deviceId) ? [] : [deviceId])))
  const expiresAt = new Date(now.getTime() + SWEEP_LIFETIME_MS)
  const commands = deviceIds
    .filter((id) => !requested.has(id))
    .map((deviceId) => {
      const cmdId = newId(random)
      const ofRange = { since: range.since.toISOString(), until: range.until.toISOString() }
      const command = { kind: 'sweep', cmdId, ...(phones.has(deviceId) && ofRange) } satisfies Command
      return { accountId, deviceId, cmdId, command, createdAt: now, expiresAt }
    })
  await database.deviceCommand.createMany({ data: commands })
}

/** The older endpoint for a refresh. Always delivers messages one by one. */
export function exportInbox(deps: RefreshInboxDeps): Endpoint {
  return endpoint({
    body: refreshInboxRequest,
    answers: { 202: z.strictObject({}) },
    answerHeaders: { Deprecation: '`true`: use `POST /inbox/refresh`' },
    deprecated: true,
    async handle({ principal, body, access }) {
      await refreshAs(deps, { principal, access }, { ...body, webhookDelivery: 'Individual' })
      return { status: 202, body: {}, headers: { Deprecation: 'true' } }
    },
  })
}
