import { hasBegun, type OutgoingMessage } from '../message/message.ts'

export type ProcessingOrder = 'FIFO' | 'LIFO'

type Messages = ReadonlyMap<string, OutgoingMessage>

/**
 * Inserts a message into the queue, which holds the ids of waiting messages in the order of sending. Messages of which
 * a part was sent come first, then messages with higher priority. Messages with equal priority are in the order of
 * acceptance or in reverse order, as configured.
 */
export function withQueued(
  queue: readonly string[],
  message: OutgoingMessage,
  order: ProcessingOrder,
  messages: Messages,
): readonly string[] {
  let low = 0
  let high = queue.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = messages.get(queue[middle] as string)
    if (other !== undefined && compare(other, message, order) <= 0) low = middle + 1
    else high = middle
  }
  return queue.toSpliced(low, 0, message.cmdId)
}

export function withoutQueued(queue: readonly string[], cmdId: string): readonly string[] {
  const at = queue.indexOf(cmdId)
  return at < 0 ? queue : queue.toSpliced(at, 1)
}

export function reordered(queue: readonly string[], order: ProcessingOrder, messages: Messages): readonly string[] {
  const waiting = queue.flatMap((cmdId) => messages.get(cmdId) ?? [])
  return waiting.sort((a, b) => compare(a, b, order)).map(({ cmdId }) => cmdId)
}

function compare(a: OutgoingMessage, b: OutgoingMessage, order: ProcessingOrder): number {
  // A message of which a part was sent comes first, because the recipient already has this part.
  const begun = Number(hasBegun(b)) - Number(hasBegun(a))
  if (begun !== 0) return begun
  const byPriority = b.command.priority - a.command.priority
  if (byPriority !== 0) return byPriority
  const byAge = a.acceptedMs - b.acceptedMs || (a.cmdId < b.cmdId ? -1 : 1)
  return order === 'FIFO' ? byAge : -byAge
}
