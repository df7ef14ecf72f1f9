import type { AgentEvent } from '@smsgw/contract/link/event'
import type { SendingWorld } from './sending-world.ts'

type CommandEvent = Extract<AgentEvent, { cmdId: string }>

/** Compares the agent's events with the messages that the network accepted. */
export async function judgeSending(
  world: SendingWorld,
): Promise<{ readonly problems: readonly string[]; readonly seen: Readonly<Record<string, number>> }> {
  const problems: string[] = []
  const seen: Record<string, number> = {}
  const events = await world.events()
  const { journal } = world.disk.session()
  for (const [cmdId, { onUncertain }] of world.accepted) {
    const record = await journal.read('command', { cmdId })
    const reported = events.filter((event): event is CommandEvent => 'cmdId' in event && event.cmdId === cmdId)
    const ledger = ledgerOf(world, world.disk.plans.get(cmdId)?.parts.map(({ pdu }) => pdu) ?? [])
    const mayRepeat = onUncertain === 'resend' && reported.some(isAgain)
    const ends = reported.filter(
      ({ kind }) => kind === 'sent' || kind === 'failed' || kind === 'cancelled' || kind === 'delivered',
    )
    const add = (problem: string) =>
      problems.push(
        `${cmdId}: ${problem}; events ${reported.map(describeEvent).join(', ')}; submitted ${ledger.join('/')}`,
      )
    if (record?.outcome === undefined) add('has no final state')
    if (ends.length === 0) add('no event reports the final state')
    if (ledger.some((times) => times > (mayRepeat ? 2 : 1))) add('sent twice')
    const last = ends.at(-1)
    seen[last?.kind === 'failed' ? `failed: ${last.code}` : (last?.kind ?? 'nothing')] = 1
    const all = ledger.length > 0 && ledger.every((times) => times >= 1)
    if (reported.some(({ kind }) => kind === 'sent') && !all) add('reported as sent, but not submitted')
    if (
      reported.some((event) => event.kind === 'sent' && !event.possibleDuplicate) &&
      ledger.some((times) => times > 1)
    ) {
      add('sent twice without possibleDuplicate')
    }
    if (last?.kind === 'cancelled' && ledger.some((times) => times > 0)) add('reported as cancelled, but submitted')
    if (last?.kind === 'failed' && all && !['submit_unknown', 'report_failed'].includes(last.code)) {
      add('reported as failed, but submitted')
    }
    if (last?.kind === 'failed' && last.code === 'submit_unknown' && !reported.some(isDoubt))
      add('reported as unknown, but was never in doubt')
    problems.push(...judgeOrder(cmdId, reported))
  }
  const reports = await journal.read('inbound', { sinceMs: 0 })
  if (reports.length > events.filter(({ kind }) => kind === 'part-reported').length)
    problems.push('a status report was written without its event')
  problems.push(...world.problems.map((problem) => `problem: ${String(problem)}`))
  if (world.kills > 1) seen['killed'] = 1
  return { problems, seen }
}

function ledgerOf({ sims }: SendingWorld, pdus: readonly string[]): readonly number[] {
  const all = sims.flatMap(({ ledger }) => ledger.map(({ pdu }) => pdu))
  return pdus.map((pdu) => all.filter((each) => each === pdu).length)
}

/** After a message has ended, only delivery reports and corrections of `submit_unknown` may follow. */
function judgeOrder(cmdId: string, reported: readonly CommandEvent[]): string[] {
  const problems: string[] = []
  let end: CommandEvent | undefined
  for (const event of reported) {
    const isEnd = ['sent', 'delivered', 'failed', 'cancelled'].includes(event.kind)
    if (!isEnd) continue
    const may =
      end === undefined ||
      (end.kind === 'sent' &&
        (event.kind === 'delivered' || (event.kind === 'failed' && event.code === 'report_failed'))) ||
      (end.kind === 'failed' && end.code === 'submit_unknown' && event.kind === 'sent') ||
      (end.kind === 'cancelled' && event.kind === 'cancelled')
    if (!may) problems.push(`${cmdId}: ${event.kind} after ${end?.kind}`)
    end = event
  }
  return problems
}

function isDoubt(event: CommandEvent): boolean {
  return event.kind === 'waiting' && event.code === 'outcome_unknown'
}

function isAgain(event: CommandEvent): boolean {
  return event.kind === 'waiting' && event.possibleDuplicate === true
}

function describeEvent(event: CommandEvent): string {
  if (event.kind === 'failed' || event.kind === 'waiting') return `${event.kind} ${event.code}`
  return event.kind === 'part-submitted' ? `part ${event.part} ${event.result} ${event.code ?? ''}` : event.kind
}
