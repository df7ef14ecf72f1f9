import type { LogEntryAnswer } from '@smsgw/contract/log'

export type LogLine = LogEntryAnswer

/** From all to the worst alone. */
export const levels: readonly (readonly [LogLine['priority'], string])[] = [
  ['DEBUG', 'Everything'],
  ['INFO', 'Information and above'],
  ['WARN', 'Warnings and errors'],
  ['ERROR', 'Errors'],
]

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
  return levels.findIndex(([level]) => level === priority)
}
