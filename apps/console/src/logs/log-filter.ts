import type { LogEntryAnswer } from '@smsgw/contract/relay/log'

export type LogLine = LogEntryAnswer

/** The levels, in order of severity. */
export const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const satisfies readonly LogLine['priority'][]

export function matches(
  line: LogLine,
  { least, search }: { readonly least: LogLine['priority']; readonly search: string },
): boolean {
  if (rank(line.priority) < rank(least)) return false
  const wanted = search.trim().toLowerCase()
  const words = [line.module, line.message, ...Object.values(line.context ?? {})]
  return wanted === '' || words.some((word) => word.toLowerCase().includes(wanted))
}

function rank(priority: LogLine['priority']): number {
  return levels.indexOf(priority)
}
