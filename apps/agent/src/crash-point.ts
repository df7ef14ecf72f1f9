import { CrashPoints } from '@smsgw/daemon/crash-point'

/** In the order in which a message passes them, out and in. */
export const crashPoints = new CrashPoints([
  'command-arrived',
  'command-journaled',
  'cancel-arrived',
  'before-commit',
  'after-commit',
  'pdu-written',
  'result-read',
  'result-journaled',
  'doubt-journaled',
  'report-arrived',
  'report-journaled',
  'inbound-read',
  'inbound-journaled',
  'inbound-deleted',
  'events-read',
  'events-sent',
  'events-acknowledged',
])

export const crashPoint = crashPoints.pass
