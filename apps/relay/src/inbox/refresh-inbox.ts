import { type RefreshInboxRequest, refreshInboxRequest } from '@smsgw/contract/inbox'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { refusal } from '../http/validation-error.ts'
import type { Logbook } from '../logs/logbook.ts'
import type { Random } from '../random.ts'
import type { Database } from '../store/database.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { askForSweeps } from './ask-for-sweeps.ts'
import { tellAgain } from './tell-again.ts'

export interface RefreshInboxNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly logbook: Logbook
  /** After the commit: these devices have something to do. */
  readonly hints: { wake(deviceIds: readonly string[]): void }
  readonly outbox: Outbox
}

/** Devices sweep their SIM storage again, and stored messages of the range are told to webhooks again. */
export function refreshInbox(needs: RefreshInboxNeeds): Endpoint {
  return endpoint({
    body: refreshInboxRequest,
    answers: { 202: z.strictObject({}) },
    async handle({ principal, body }) {
      await refreshAs(needs, principal.accountId, body)
      return { status: 202, body: {} }
    },
  })
}

/** In any of the ways that the API offers. */
export async function refreshAs(
  needs: RefreshInboxNeeds,
  accountId: string,
  asked: RefreshInboxRequest,
): Promise<void> {
  const { database, hints, logbook, outbox } = needs
  const devices = await database.device.findMany({
    where: { accountId, deletedAt: null, ...(asked.deviceId !== undefined && { id: asked.deviceId }) },
    select: { id: true },
  })
  if (asked.deviceId !== undefined && devices.length === 0) {
    const message = 'is no device of this account: GET /devices lists them; leave it out for all'
    throw refusal([{ path: 'deviceId', message }], 'body')
  }
  const deviceIds = devices.map(({ id }) => id)
  await askForSweeps(needs, accountId, deviceIds)
  hints.wake(deviceIds)
  const context = { devices: String(deviceIds.length), webhookDelivery: asked.webhookDelivery }
  logbook.write({ accountId, module: 'inbox', priority: 'INFO', message: 'a refresh was asked for', context })
  if (asked.webhookDelivery === 'Disabled') return
  await tellAgain(database, accountId, asked, asked.webhookDelivery)
  outbox.wake()
}
