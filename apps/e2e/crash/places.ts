import type { Crash } from './crash-run.ts'

const agent = [
  'command-arrived',
  'command-journaled',
  'cancel-arrived',
  'before-commit',
  'after-commit',
  'pdu-written',
  'result-read',
  'result-journaled',
  'report-arrived',
  'report-journaled',
  'inbound-read',
  'inbound-journaled',
  'inbound-deleted',
  'events-read',
  'events-sent',
  'events-acknowledged',
]

const relay = [
  'message-committed',
  'connection-opened',
  'commands-claimed',
  'command-sent',
  'commands-taken',
  'events-arrived',
  'events-committed',
  'events-acknowledged',
]

/** Crash points that each run reaches once. All other crash points are reached at least three times. */
const once = ['cancel-arrived', 'connection-opened']

/** The crash points, each with the number of different passes at which a process is killed. */
export const crashPlaces: readonly (Omit<Crash, 'pass'> & { readonly passes: number })[] = [
  ...agent.map((label) => ({ who: 'agent' as const, label, passes: passes(label) })),
  ...relay.map((label) => ({ who: 'relay' as const, label, passes: passes(label) })),
]

function passes(label: string): number {
  return once.includes(label) ? 1 : 3
}
