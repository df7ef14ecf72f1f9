import { textFromAddress } from '@smsgw/sms/fields/address'
import { isValidTimeStamp, type TimeStamp } from '@smsgw/sms/fields/time-stamp'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { concatenationOf } from '@smsgw/sms/fields/user-data-header'
import { type Deliver, decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import { decoded } from '../messaging/pdu.ts'
import type { Storage } from '../messaging/storages.ts'

/** A message as the web interface shows it. Long messages appear when all their parts have arrived. */
export interface ShownMessage {
  readonly index: number
  readonly phone: string
  readonly content: string
  readonly date: string
  /** 1 for a message with one part, 2 for a long message. */
  readonly type: 1 | 2
  readonly slots: readonly number[]
}

export function shownMessages(storage: Storage): readonly ShownMessage[] {
  const groups = new Map<string, StoredPart[]>()
  const shown: ShownMessage[] = []
  for (const [slot, { kind, pdu }] of storage.entries()) {
    const deliver = kind === 'deliver' ? decoded(() => decodeDeliver(pdu, 1 + (pdu[0] ?? 0))) : undefined
    if (deliver === undefined) continue
    const part = concatenationOf(deliver.userData.header)
    if (part === undefined || part.total < 2) {
      shown.push(messageOf([{ slot, deliver, sequence: 1 }], 1))
      continue
    }
    const key = `${textFromAddress(deliver.originator)} ${part.reference} ${part.total}`
    const group = [...(groups.get(key) ?? []), { slot, deliver, sequence: part.sequence }]
    groups.set(key, group)
    const isComplete = new Set(group.map(({ sequence }) => sequence)).size === part.total
    if (!isComplete) continue
    groups.delete(key)
    shown.push(
      messageOf(
        [...group].sort((one, other) => one.sequence - other.sequence),
        2,
      ),
    )
  }
  return shown
}

interface StoredPart {
  readonly slot: number
  readonly deliver: Deliver
  readonly sequence: number
}

function messageOf(parts: readonly StoredPart[], type: 1 | 2): ShownMessage {
  const [first] = parts
  const slots = parts.map(({ slot }) => slot)
  const distinct = parts.filter(({ sequence }, at) => parts.findIndex((part) => part.sequence === sequence) === at)
  const stamp = first?.deliver.serviceCentreTimeStamp
  return {
    index: firstIndex + Math.min(...slots),
    phone: first === undefined ? '' : textFromAddress(first.deliver.originator),
    content: distinct.map(({ deliver }) => textOfUserData(deliver.userData) ?? '').join(''),
    date: stamp !== undefined && isValidTimeStamp(stamp) ? dateOf(stamp) : '',
    type,
    slots,
  }
}

function dateOf({ year, month, day, hour, minute, second }: TimeStamp): string {
  const [mm, dd, hh, mi, ss] = [month, day, hour, minute, second].map((value) => String(value).padStart(2, '0'))
  return `${year}-${mm}-${dd} ${hh}:${mi}:${ss}`
}

const firstIndex = 40_000
