import { printLine } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import { NotFoundError } from '@smsgw/client/errors'
import type { InboxItem } from '@smsgw/client/openapi'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { UsageError } from '@smsgw/daemon/start-error'
import { printableJson } from '@smsgw/daemon/terminal/printable'

/** Prints received messages, oldest first. With --follow, prints each new message once, without a gap. */
export async function showInbox(sms: SmsGateway, { values }: CommandLine): Promise<number> {
  const limit = limitOf(values['limit'])
  const isJson = values['json'] === true
  const show = isJson ? (item: InboxItem) => printLine(printableJson(item)) : printItem
  if (values['follow'] === true) await follow(sms, limit, show)
  else {
    const items = await latest(sms, limit)
    for (const item of items) show(item)
    if (items.length === 0 && !isJson) printLine('no received messages')
  }
  return 0
}

type Show = (item: InboxItem) => void

/** Opens the stream before it reads the list, so that each message is in the stream or in the list. */
async function follow(sms: SmsGateway, limit: number, show: Show): Promise<void> {
  const shown = new Set<string>()
  const showOnce = (item: InboxItem) => {
    if (shown.has(item.id)) return
    shown.add(item.id)
    show(item)
  }
  const signal = untilInterrupted()
  const opened = Promise.withResolvers<void>()
  const events = sms.events({ kinds: ['inbox.received'], signal, onOpen: opened.resolve })
  const first = events.next()
  await Promise.race([opened.promise, first])
  for (const item of signal.aborted ? [] : await latest(sms, limit)) showOnce(item)
  for (let next = await first; !next.done; next = await events.next()) {
    const event = next.value
    // Lists the latest messages again after a reset, because messages may be missing.
    if (event.kind === 'reset') for (const item of await latest(sms, 500)) showOnce(item)
    if (event.kind === 'inbox.received') await sms.inbox.get(event.data.id).then(showOnce, ignoreDeleted)
  }
}

/** Returns a signal that aborts at Ctrl-C. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

async function latest(sms: SmsGateway, limit: number): Promise<InboxItem[]> {
  const { items } = await sms.inbox.list({ limit, cursor: 'start' }).page()
  return items.toReversed()
}

function ignoreDeleted(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error
}

function printItem({ createdAt, sender, type, contentPreview }: InboxItem): void {
  const at = new Date(createdAt)
  const time = `${at.toLocaleDateString('sv')} ${at.toLocaleTimeString('sv')}`
  printLine(`${time}  ${sender}  ${type === 'SMS' ? '' : `[${type}] `}${contentPreview}`)
}

function limitOf(given: string | boolean | undefined): number {
  if (given === undefined) return 20
  const limit = Number(given)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 500) return limit
  throw new UsageError(`--limit ${JSON.stringify(given)} must be a number from 1 to 500`)
}
