import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiAnswer } from '../src/house/api-client.ts'
import type { LedgerLine } from '../src/house/emulator.ts'
import type { FleetParts } from '../src/house/fleet.ts'
import type { Receiver, WebhookArrivalFields } from '../src/house/peers/receiver.ts'
import { type ChaosLoad, outside, type Sent } from './load.ts'

export interface Findings {
  readonly lost: readonly string[]
  readonly duplicated: readonly string[]
  /** Messages that were reported as `submit_unknown`. */
  readonly inDoubt: readonly string[]
  readonly notEnded: readonly string[]
  /** Messages that failed for any reason except an unknown outcome, or that were reported with a wrong state. */
  readonly wrong: readonly string[]
}

interface Message {
  readonly id: string
  readonly state: string
  readonly recipients: readonly { readonly error?: string }[]
}

/** Compares API and webhooks with the ledger of the network. */
export async function audit(fleet: FleetParts, load: ChaosLoad, receiver: Receiver): Promise<Findings> {
  const found = { lost: [], duplicated: [], inDoubt: [], notEnded: [], wrong: [] } as {
    [Key in keyof Findings]: string[]
  }
  const messages = new Map((await all<Message>(fleet, '/messages?limit=100')).map((each) => [each.id, each]))
  const onAir = Map.groupBy(fleet.emulator.ledger(), ({ destination }) => destination)
  const requests = Map.groupBy(receiver.requests, ({ payload }) => String(payload['messageId']))
  for (const sent of load.sent) {
    const message = messages.get(sent.id)
    if (message === undefined) found.lost.push(`${sent.id}: accepted, but missing in the API`)
    else judgeSent(sent, message, onAir.get(sent.destination) ?? [], requests.get(sent.id) ?? [], found)
  }
  await judgeReceived(fleet, load, receiver, found)
  return found
}

function judgeSent(
  { id, text }: Sent,
  { state, recipients }: Message,
  lines: readonly LedgerLine[],
  requests: readonly WebhookArrivalFields[],
  found: { readonly [Key in keyof Findings]: string[] },
): void {
  const error = recipients[0]?.error ?? ''
  const parts = new Set(lines.map(partOf))
  if (lines.length > parts.size)
    found.duplicated.push(`${id}: ${lines.length} submits of ${parts.size} parts, ${state} ${error}`)
  if (!['Sent', 'Delivered', 'Failed'].includes(state)) found.notEnded.push(`${id}: ${state} ${error}`)
  else if (error.includes('submit_unknown')) found.inDoubt.push(id)
  else if (state === 'Failed') found.wrong.push(`${id}: ${error}`)
  else if (textOf(lines) !== text) found.lost.push(`${id}: ${state}, but not sent as requested`)
  const wanted = { Sent: 'sms:sent', Delivered: 'sms:delivered', Failed: 'sms:failed' }[state]
  const ids = new Set(requests.filter(({ event }) => event === wanted).map((each) => each.id))
  if (wanted !== undefined && ids.size === 0) found.lost.push(`${id}: no webhook ${wanted}`)
  if (ids.size > 1) found.duplicated.push(`${id}: ${wanted} has ${ids.size} ids`)
}

async function judgeReceived(
  fleet: FleetParts,
  load: ChaosLoad,
  receiver: Receiver,
  found: { readonly [Key in keyof Findings]: string[] },
): Promise<void> {
  const items = await all<{ text?: string }>(fleet, `/inbox?limit=100&sender=${encodeURIComponent(outside)}`)
  const stored = Map.groupBy(items, ({ text }) => text ?? '')
  const requests = Map.groupBy(receiver.of('sms:received'), ({ payload }) => String(payload['message']))
  for (const { text } of load.received) {
    const name = text.slice(0, 20)
    const inbox = stored.get(text)?.length ?? 0
    const ids = new Set(requests.get(text)?.map(({ id }) => id)).size
    if (inbox === 0) found.lost.push(`${name}: not in the inbox`)
    if (inbox > 1) found.duplicated.push(`${name}: ${inbox} times in the inbox`)
    if (inbox > 0 && ids === 0) found.lost.push(`${name}: no webhook`)
    if (ids > 1) found.duplicated.push(`${name}: sms:received has ${ids} ids`)
  }
}

/** Returns a key that identifies a part of a message without its reference. */
function partOf({ text, data, part }: LedgerLine): string {
  return `${part?.sequence ?? 1} ${text ?? data}`
}

function textOf(lines: readonly LedgerLine[]): string {
  const bySequence = new Map(lines.map((line) => [line.part?.sequence ?? 1, line.text ?? '']))
  return [...bySequence.entries()]
    .sort(([one], [other]) => one - other)
    .map(([, text]) => text)
    .join('')
}

/** All pages of a list. */
export async function all<Item>(fleet: Pick<FleetParts, 'relays'>, first: string): Promise<Item[]> {
  const items: Item[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const { json, headers } = await answerOfAny(fleet, path)
    items.push(...json)
    path = /<[^>]*\/3rdparty\/v1([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  return items
}

/** Returns the answer of the first relay that responds. Retries, because a relay may be restarting. */
async function answerOfAny({ relays }: Pick<FleetParts, 'relays'>, path: string): Promise<ApiAnswer> {
  const until = performance.now() + 60_000
  for (let turn = 0; ; turn += 1) {
    const answer = await relays[turn % relays.length]?.api
      .ask('GET', path, undefined, {}, 20_000)
      .catch(({ message, cause }: Error) => ({ status: 0, json: `${message}: ${cause}`, headers: new Headers() }))
    if (answer?.status === 200) return answer
    const saysComeBack = answer !== undefined && (answer.status < 400 || answer.status >= 500 || answer.status === 429)
    if (!saysComeBack || performance.now() > until)
      throw new Error(`${path}: ${answer?.status} ${JSON.stringify(answer?.json)}`)
    await sleep(250)
  }
}
