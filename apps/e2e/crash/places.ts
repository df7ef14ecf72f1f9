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

/** Where processes are killed. */
export const places: readonly Omit<Crash, 'pass'>[] = [
  ...agent.map((label) => ({ who: 'agent' as const, label })),
  ...relay.map((label) => ({ who: 'relay' as const, label })),
]
