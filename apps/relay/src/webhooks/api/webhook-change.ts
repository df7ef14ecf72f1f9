// The checks and answers that are the same for registering and for changing a webhook.
import { fieldError } from '../../http/errors/validation-error.ts'
import type { Logbook } from '../../logs/logbook.ts'
import type { Statements } from '../../store/database.ts'
import { type AddressRules, urlProblem } from '../address-rules.ts'

export function refuseBadUrl(url: string, rules: AddressRules): void {
  const problem = urlProblem(url, rules)
  if (problem !== undefined) throw fieldError('url', problem)
}

export async function refuseForeignDevice(statements: Statements, accountId: string, id: string): Promise<void> {
  const device = await statements.device.findFirst({ where: { id, accountId, deletedAt: null }, select: { id: true } })
  if (device !== null) return
  const message = 'is not a device of this account: use an id from GET /devices'
  throw fieldError('deviceId', { reason: 'unknown_device', message })
}

const DROPPED_HEADER = 'X-Dropped-Deliveries'

/** The description of the header for the OpenAPI document. */
export const DROPPED_HEADERS = {
  [DROPPED_HEADER]:
    'Number of pending deliveries that were dropped because the URL changed and the token may not read them; absent when 0',
}

/** Logs that deliveries were dropped because the URL changed, and returns the header with their number. */
export function droppedHeaders({ logbook, accountId, webhookId, dropped }: Dropped): Record<string, string> {
  if (dropped === 0) return {}
  const message =
    'pending deliveries dropped because the URL of their webhook changed: to redeliver them, use a token that may read their events'
  const context = { webhookId, deliveries: String(dropped) }
  logbook.write({ accountId, module: 'webhooks', priority: 'WARN', message, context })
  return { [DROPPED_HEADER]: String(dropped) }
}

interface Dropped {
  readonly logbook: Logbook
  readonly accountId: string
  readonly webhookId: string
  readonly dropped: number
}
