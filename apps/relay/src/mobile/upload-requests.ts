// Requests of `POST /inbox/refresh` for the received messages of a phone, as notices.
import type { Statements } from '../store/database.ts'
import type { PhoneNotice } from './streams/phone-stream.ts'

const WEEK_MS = 604_800_000

interface Requests {
  readonly accountId: string
  readonly cmdIds: readonly string[]
  readonly now: Date
}

/** Returns a notice for each request. The notices contain no webhook flag, because the relay calls the webhooks. */
export async function readUploadRequests(
  statements: Statements,
  { accountId, cmdIds, now }: Requests,
): Promise<readonly PhoneNotice[]> {
  const requests = await statements.deviceCommand.findMany({
    where: { cmdId: { in: [...cmdIds] }, accountId, answeredAt: null },
    select: { command: true },
  })
  return requests.map(({ command }) => {
    const { since, until } = command as { readonly since?: string; readonly until?: string }
    const data = {
      since: since ?? new Date(now.getTime() - WEEK_MS).toISOString(),
      until: until ?? now.toISOString(),
      webhookDelivery: 'Disabled',
      triggerWebhooks: 'false',
    }
    return { event: 'MessagesExportRequested', data }
  })
}

/** Records that the phone has received the notices. */
export async function markUploadsRequested(
  statements: Statements,
  { accountId, cmdIds, now }: Requests,
): Promise<void> {
  await statements.deviceCommand.updateMany({
    where: { cmdId: { in: [...cmdIds] }, accountId, answeredAt: null },
    data: { dispatchedAt: now, answeredAt: now, answer: {} },
  })
}
