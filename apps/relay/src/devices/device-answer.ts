import type { DeviceAnswer } from '@smsgw/contract/device'
import { isLeased } from '../link/claim/lease.ts'
import type { Device, SimCard } from '../store/generated/client.ts'
import { simCardAnswer } from './sim-card-answer.ts'

/** A device as the API shows it. It is online while a relay renews its lease; the lease expires when that relay dies. */
export function deviceAnswer(device: Device & { readonly simCards: readonly SimCard[] }, now: Date): DeviceAnswer {
  const { id, name, createdAt, updatedAt, lastSeen, leaseUntil, simCards } = device
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    lastSeen: (lastSeen ?? createdAt).toISOString(),
    online: isLeased(leaseUntil, now),
    simCards: simCards.map(simCardAnswer),
    ...(simCards.length > 0 && simCards.every(({ isEmulated }) => isEmulated) && { isEmulated: true as const }),
  }
}
