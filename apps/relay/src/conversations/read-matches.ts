import type { ConversationMatch } from '@smsgw/contract/inbox/conversation'
import type { Statements } from '../store/database.ts'
import type { Visibility } from './visibility.ts'

/** Reads the messages that a search found. Returns where they contain the search text, by number. */
export async function readMatches(
  statements: Statements,
  { accountId, sent, received }: Visibility,
  conversations: readonly { readonly number: string }[],
  messageIds: ReadonlyMap<string, string>,
  search: string,
): Promise<ReadonlyMap<string, ConversationMatch>> {
  const wanted = conversations.flatMap(({ number }) => {
    const id = messageIds.get(number)
    return id === undefined ? [] : [{ number, id }]
  })
  const where = { accountId, id: { in: wanted.map(({ id }) => id) } }
  const [messages, items] = await Promise.all([
    sent ? statements.message.findMany({ where, select: { id: true, createdAt: true, text: true } }) : [],
    received
      ? statements.inboxItem.findMany({ where, select: { id: true, createdAt: true, text: true, sender: true } })
      : [],
  ])
  return new Map(
    wanted.flatMap(({ number, id }) => {
      const item = items.find((one) => one.id === id && one.sender === number)
      const found = item ?? messages.find((one) => one.id === id)
      const part = found?.text ? excerptAround(found.text, search) : undefined
      if (found === undefined || part === undefined) return []
      const direction = item === undefined ? 'out' : 'in'
      return [[number, { id, direction, at: found.createdAt.toISOString(), ...part } as const] as const]
    }),
  )
}

const CHARACTERS_BEFORE = 40
const EXCERPT_LENGTH = 160

/**
 * Returns the part of a text around the first occurrence of the search text, or undefined if the text does not contain
 * it.
 */
export function excerptAround(
  text: string,
  search: string,
): Pick<ConversationMatch, 'excerpt' | 'start' | 'length'> | undefined {
  const [at, end] = occurrence(text, search.toLowerCase())
  if (at === undefined || end === undefined) return undefined
  const begin = startOfCharacter(text, at <= CHARACTERS_BEFORE ? 0 : at - CHARACTERS_BEFORE)
  const until = startOfCharacter(text, Math.max(end, Math.min(text.length, begin + EXCERPT_LENGTH)))
  return { excerpt: text.slice(begin, until), start: at - begin, length: end - at }
}

/** Compares character by character, because the lower-case form of a character may be longer. */
function occurrence(text: string, lowered: string): [at?: number, end?: number] {
  const direct = text.toLowerCase()
  if (direct.length === text.length) {
    const at = direct.indexOf(lowered)
    return at === -1 ? [] : [at, at + lowered.length]
  }
  for (let at = 0; at < text.length; at++) {
    for (let end = at + 1; end <= text.length; end++) {
      const part = text.slice(at, end).toLowerCase()
      if (part === lowered) return [at, end]
      if (!lowered.startsWith(part)) break
    }
  }
  return []
}

/** Returns the start of the character if the position is in the middle of a surrogate pair. */
function startOfCharacter(text: string, position: number): number {
  const isInside = /[\uDC00-\uDFFF]/.test(text.charAt(position)) && /[\uD800-\uDBFF]/.test(text.charAt(position - 1))
  return isInside ? position - 1 : position
}
