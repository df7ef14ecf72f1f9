import { CrashPoints } from '@smsgw/daemon/crash-point'

/** In the order in which a message passes them. */
export const crashPoints = new CrashPoints([
  'message-committed',
  'connection-opened',
  'commands-claimed',
  'command-sent',
  'commands-taken',
  'events-arrived',
  'events-committed',
  'events-acknowledged',
])

export const crashPoint = crashPoints.pass
