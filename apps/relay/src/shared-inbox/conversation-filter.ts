import type { ConversationFolder } from '@smsgw/contract/inbox/conversation'
import { Prisma } from '../store/generated/client.ts'

/** Selects the conversations of a list. An empty filter selects all of them. */
export interface ConversationFilter {
  readonly folder?: ConversationFolder | undefined
  readonly unread?: boolean | undefined
  /** Id of a label. */
  readonly label?: string | undefined
  readonly assignee?: string | undefined
  readonly number?: NumberTerm | undefined
}

/** The forms in which a search text is compared with numbers and names of senders. */
export interface NumberTerm {
  /** The text in lower case without punctuation; empty if it cannot be part of a number. */
  readonly part: string
  /** The text in the form in which numbers are stored. */
  readonly whole: readonly string[]
  /** True if the caller may read received messages, because only these have names of senders. */
  readonly received: boolean
}

/**
 * Returns the condition for the conversations of a filter, or undefined for all conversations. The numbers are in
 * `given.number`. `s` is the row of `conversation_states`, if there is one.
 */
export function conditionOf(accountId: string, filter: ConversationFilter): Prisma.Sql | undefined {
  const { folder, unread, label, assignee, number } = filter
  const all: Prisma.Sql[] = []
  if (folder !== undefined) all.push(FOLDERS[folder])
  if (assignee !== undefined) all.push(Prisma.sql`s.assignee = ${assignee}`)
  if (label !== undefined)
    all.push(Prisma.sql`EXISTS (
      SELECT FROM conversation_labels l
      WHERE l.account_id = ${accountId} AND l.number = given.number AND l.label_id = ${label})`)
  if (unread === true) all.push(unreadCondition(accountId))
  if (unread === false) all.push(Prisma.sql`NOT ${unreadCondition(accountId)}`)
  if (number !== undefined) all.push(numberCondition(accountId, number))
  return all.length === 0 ? undefined : Prisma.join(all, ' AND ')
}

const FOLDERS: Readonly<Record<ConversationFolder, Prisma.Sql>> = {
  inbox: Prisma.sql`s.archived_at IS NULL AND s.blocked_at IS NULL`,
  archived: Prisma.sql`s.archived_at IS NOT NULL AND s.blocked_at IS NULL`,
  blocked: Prisma.sql`s.blocked_at IS NOT NULL`,
}

/**
 * Returns the condition for numbers that contain a search term. Excludes hashes of numbers, which also contain letters.
 */
export function numberCondition(accountId: string, { part, whole, received }: NumberTerm): Prisma.Sql {
  return Prisma.sql`(given.number = ANY(${whole}::text[]) OR (
    ${part !== ''} AND strpos(lower(given.number), ${part}) > 0 AND (given.number ~ '^[+0-9*#]*$' OR (${received}
      AND EXISTS (SELECT FROM inbox i WHERE i.account_id = ${accountId} AND i.sender = given.number)))))`
}

function unreadCondition(accountId: string): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM inbox i WHERE i.account_id = ${accountId} AND i.sender = given.number AND i.is_unread)`
}

/** Joins the rows of `conversation_states` to `given`. */
export function joinStates(accountId: string): Prisma.Sql {
  return Prisma.sql`LEFT JOIN conversation_states s ON s.account_id = ${accountId} AND s.number = given.number`
}

/**
 * Selects the smallest stored set of numbers that contains the numbers of the filter. Returns undefined if only the set
 * of all conversations contains them.
 */
export function sourceOf(
  accountId: string,
  { folder, unread, label, assignee }: ConversationFilter,
): Prisma.Sql | undefined {
  if (unread === true)
    return Prisma.sql`SELECT DISTINCT sender AS number FROM inbox WHERE account_id = ${accountId} AND is_unread`
  if (label !== undefined)
    return Prisma.sql`
      SELECT number FROM conversation_labels WHERE account_id = ${accountId} AND label_id = ${label}`
  if (assignee !== undefined)
    return Prisma.sql`SELECT number FROM conversation_states WHERE account_id = ${accountId} AND assignee = ${assignee}`
  if (folder === 'archived' || folder === 'blocked')
    return Prisma.sql`
      SELECT number FROM conversation_states
      WHERE account_id = ${accountId} AND (archived_at IS NOT NULL OR blocked_at IS NOT NULL)`
  return undefined
}
