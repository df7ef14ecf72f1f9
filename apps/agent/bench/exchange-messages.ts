import type { Incoming } from '@smsgw/modem/receive/incoming-message'
import { RecoveryRunner } from '@smsgw/modem/recovery/runner'
import { octetsFromHex } from '@smsgw/sms/octets'
import { tryOpenPort } from '../src/ports/open-port.ts'
import { planMessage } from '../src/sending/message/plan-message.ts'
import { monotonicClock } from '../src/time/monotonic-clock.ts'

/**
 * `node exchange-messages.ts tcp://127.0.0.1:7002 http://127.0.0.1:7080 200`: sends and receives 200 messages on one
 * port of a virtual modem, while another program uses the other port. Prints the results. The exit code is 0 if all
 * messages arrived.
 */
const [port = '', control = '', wanted = '200'] = process.argv.slice(2)
const count = Number(wanted)
const outcomes: Record<string, number> = {}
/** The number of times that each message was read. */
const reads = new Map<string, number>()
const deletions: Promise<void>[] = []
const registered = Promise.withResolvers<void>()

const runner = new RecoveryRunner({
  clock: monotonicClock,
  open: async () => {
    const opened = await tryOpenPort(port)
    return opened.kind === 'opened' ? { ...opened, isShared: true } : opened
  },
  onEvent: (event) => {
    if (event.kind === 'registration' && event.registered) registered.resolve()
    if (event.kind === 'incoming') deletions.push(keep(event.incoming))
  },
})
runner.start()
await registered.promise
await Promise.all([sendAll(), receiveAll()])
await Promise.all(deletions)
await runner.stop()
const timesRead = [...reads.values()].reduce((sum, times) => sum + times, 0)
process.stdout.write(`${JSON.stringify({ outcomes, received: reads.size, timesRead })}\n`)
process.exitCode = outcomes['accepted'] === count && reads.size === count ? 0 : 1

async function sendAll(): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const outcome = await runner.modem?.submit(pduOf(`out ${number}`), { id: `${number}`, beforePdu: async () => 'go' })
    const name =
      outcome === undefined ? 'no modem' : 'why' in outcome ? `${outcome.kind}: ${outcome.why}` : outcome.kind
    outcomes[name] = (outcomes[name] ?? 0) + 1
  }
}

async function receiveAll(): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const response = await fetch(`${control}/do/send-text`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: '+447700900222', to: 'modem0', text: `in ${number}` }),
    })
    if (!response.ok) throw new Error(await response.text())
    // Waits, so that the memories of the modem never become full.
    while (number - reads.size > 20) await pause(20)
  }
  for (let waitedMs = 0; reads.size < count && waitedMs < 60_000; waitedMs += 100) await pause(100)
}

/** Counts that the message was read, then deletes it. */
async function keep({ source, pdu }: Incoming): Promise<void> {
  reads.set(pdu, (reads.get(pdu) ?? 0) + 1)
  if (source.kind !== 'stored') return
  for (;;) {
    const deletion = await runner.modem?.deleteMessage(source, pdu)
    if (deletion?.kind !== 'failed' && deletion?.kind !== 'deferred') return
    await pause(500)
  }
}

function pduOf(text: string) {
  const planned = planMessage({
    content: { kind: 'text', text },
    destination: '+447700900124',
    requestsReport: false,
    reference: 1,
    validForSeconds: undefined,
    sim: { simNumber: 1, iccid: '' },
  })
  const part = planned.ok ? planned.plan.parts[0] : undefined
  if (part === undefined) throw new Error(`cannot send ${text}`)
  return { octets: octetsFromHex(part.pdu), tpduLength: part.tpduLength }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
