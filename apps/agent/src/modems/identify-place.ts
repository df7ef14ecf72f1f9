import type { BytePort } from '@smsgw/modem/byte-port'
import type { Clock } from '@smsgw/modem/clock'
import { readImei, readInformation } from '@smsgw/modem/commands/identity'
import { ask } from '@smsgw/modem/commands/query'
import { Dialogue } from '@smsgw/modem/dialogue'
import type { ClosablePort, OpenResult } from '@smsgw/modem/recovery-runner'
import type { ByteTrace } from '@smsgw/modem/trace'

export type Identified =
  | { readonly kind: 'modem'; readonly imei: string; readonly address: string; readonly port: ClosablePort }
  /** It can be opened, and nobody there says which modem it is: it starts, hangs, or is none. The best port of these. */
  | { readonly kind: 'silent'; readonly address: string; readonly port: ClosablePort }
  | { readonly kind: 'absent' | 'refused'; readonly words: string }

/**
 * Tries the ports of one place, the best first, until one says which modem it is. `AT` alone proves nothing: some ports
 * answer OK to everything. The port of the answer stays open, all others are closed again.
 */
export async function identifyPlace(options: {
  readonly ports: readonly string[]
  readonly open: (address: string) => Promise<OpenResult>
  readonly clock: Clock
  readonly trace?: ByteTrace | undefined
}): Promise<Identified> {
  const { ports, open, clock, trace } = options
  const untilMs = clock.nowMs() + budgetMs
  let silent: Extract<Identified, { kind: 'silent' }> | undefined
  let problem: Extract<Identified, { kind: 'absent' | 'refused' }> | undefined
  for (const address of ports) {
    if (clock.nowMs() >= untilMs) break
    const opened = await open(address)
    if (opened.kind !== 'opened') {
      // What is there and refuses itself says more than what is gone.
      if (problem === undefined || problem.kind === 'absent') problem = opened
      continue
    }
    const { port } = opened
    const imei = await askWho(port, clock, trace)
    if (imei !== undefined) {
      await silent?.port.close()
      return { kind: 'modem', imei, address, port }
    }
    if (silent === undefined) silent = { kind: 'silent', address, port }
    else await port.close()
  }
  return silent ?? problem ?? { kind: 'absent', words: 'no port is there' }
}

/** The IMEI of who answers on an open port. The port can be used by somebody else afterwards. */
async function askWho(port: BytePort, clock: Clock, trace: ByteTrace | undefined): Promise<string | undefined> {
  const dialogue = new Dialogue({
    port,
    clock,
    onEvent: () => undefined,
    resynchroniseAttempts: attempts,
    resynchroniseTimeoutMs: attemptMs,
    ...(trace && { trace }),
  })
  try {
    if ((await dialogue.resynchronise()).kind !== 'in-step') return undefined
    for (const text of imeiCommands) {
      const answer = await ask(dialogue, { ...readImei, text, timeoutMs: attemptMs })
      if (answer.kind === 'value') return answer.value
      if (answer.kind === 'unanswered' || answer.kind === 'not-sent') return undefined
    }
    const information = await ask(dialogue, { ...readInformation, timeoutMs: attemptMs })
    return information.kind === 'value' ? information.value.imei : undefined
  } finally {
    dialogue.close('asked who it is')
  }
}

/** Some give a serial number for the first of them, or nothing. 27.007 §5.4 */
const imeiCommands = ['AT+CGSN', 'AT+GSN', 'AT+CGSN=1']

// A modem that is well answers within milliseconds; whoever waits for the port gives up after 15 s.
const attempts = 2
const attemptMs = 1_500
const budgetMs = 9_000
