import { fault } from './fault-description.ts'

export const portFaults = {
  'port-renumbered': fault('After a reset the port has another name'),
  'port-half-open': fault('The port stays open and carries nothing, then is lost', { forMs: 30_000 }),
}
