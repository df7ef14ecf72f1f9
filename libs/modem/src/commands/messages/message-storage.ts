import { integerOf, itemsOf, parameterText, parseParameters, textsOf } from '../../wire/at-parameters.ts'
import { lastWith, type Query } from '../query.ts'

/** Message memories (27.005 §3.1): SM = SIM, ME = modem, MT = both, SR = reports, BM = broadcasts, TA = adapter. */
export type Memory = string

export interface OfferedMemories {
  /** Memories for reading, listing and deleting messages (mem1). */
  readonly read: readonly Memory[]
  /** Memories for writing messages and for sending them from there (mem2). */
  readonly write: readonly Memory[]
  /** Memories for received messages (mem3). */
  readonly receive: readonly Memory[]
}

export interface MemoryUsage {
  /** The memory. Undefined in the answer to `+CPMS=`, which names no memory. */
  readonly memory: Memory | undefined
  readonly used: number
  readonly total: number
}

/** Returns empty lists if the modem has no readable memory (Symbian: `(),(),()`). */
export const readOfferedMemories: Query<OfferedMemories> = {
  text: 'AT+CPMS=?',
  timeoutMs: 10_000,
  prefixes: ['+CPMS'],
  read: (lines) => {
    const line = lastWith(lines, '+CPMS')
    return line && offeredMemoriesIn(line.body)
  },
}

export const readMemoryUsage: Query<readonly MemoryUsage[]> = {
  text: 'AT+CPMS?',
  timeoutMs: 10_000,
  prefixes: ['+CPMS'],
  read: (lines) => usagesIn(lastWith(lines, '+CPMS')?.body),
}

/**
 * Omitted memories are left unchanged; Wavecom accepts only one memory. Some firmware answers `OK` without the usage.
 */
export function selectMemories(...memories: readonly Memory[]): Query<readonly MemoryUsage[]> {
  return {
    text: `AT+CPMS=${memories.map((memory) => `"${memory}"`).join(',')}`,
    timeoutMs: 10_000,
    prefixes: ['+CPMS'],
    read: (lines) => usagesIn(lastWith(lines, '+CPMS')?.body),
  }
}

/**
 * The standard form is `("SM","ME"),("SM","ME"),("SM","ME")`. Also seen: `"ME","MT","SM"` for all three;
 * `(("SM","BM","SR"),("SM"))` (Wavecom: a missing list equals the previous list); missing quotes and parentheses.
 */
function offeredMemoriesIn(body: string): OfferedMemories | undefined {
  const parameters = parseParameters(body)
  const [first] = parameters
  const nested = first?.kind === 'group' && first.items.some((item) => item.kind === 'group')
  const lists = nested ? itemsOf(first) : parameters
  if (lists.length > 0 && lists.every((list) => list.kind !== 'group')) {
    const all = namesIn(lists.flatMap(textsOf))
    return { read: all, write: all, receive: all }
  }
  const [read = [], write, receive] = lists.map((list) => namesIn(textsOf(list)))
  return { read, write: write ?? read, receive: receive ?? write ?? read }
}

function namesIn(texts: readonly string[]): readonly Memory[] {
  return [...new Set(texts.map((text) => text.replaceAll(/[^A-Za-z]/g, '').toUpperCase()))].filter(
    (name) => name.length === 2,
  )
}

/**
 * `"SM",3,30,"ME",0,255,…` in the answer to a read command, `3,30,0,255,…` in the answer to a set command. If the body
 * is empty, the usage is unknown.
 */
function usagesIn(body: string | undefined): readonly MemoryUsage[] {
  const parameters = body === undefined ? [] : parseParameters(body)
  const usages: MemoryUsage[] = []
  for (let at = 0; at < parameters.length; ) {
    const name = parameterText(parameters[at])
    const memory = /^[A-Za-z]{2}$/.test(name) ? name.toUpperCase() : undefined
    if (memory !== undefined) at += 1
    const used = integerOf(parameters[at])
    const total = integerOf(parameters[at + 1])
    at += 2
    if (used !== undefined && total !== undefined) usages.push({ memory, used, total })
  }
  return usages
}
