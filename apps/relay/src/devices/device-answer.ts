import type { DeviceAnswer } from '@smsgw/contract/device'
import type { Device, SimCard } from '../store/generated/client.ts'
import { simCardAnswer } from './sim-card-answer.ts'

/** A device as the API shows it. Online is what a relay has said of it lately: one that dies says nothing any more. */
export function deviceAnswer(device: Device & { readonly simCards: readonly SimCard[] }, now: Date): DeviceAnswer {
  const { id, name, createdAt, updatedAt, lastSeen, leaseUntil, simCards } = device
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    lastSeen: (lastSeen ?? createdAt).toISOString(),
    online: leaseUntil !== null && leaseUntil > now,
    simCards: simCards.map(simCardAnswer),
  }
}
