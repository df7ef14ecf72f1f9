import PostalMime, { type Email } from 'postal-mime'

/** The content of a mail that is sent as SMS. */
export interface MailContent {
  readonly text: string
  readonly subject: string | undefined
  readonly messageId: string | undefined
  readonly date: string | undefined
  /** True for an automatic reply, a bounce or a mailing list. */
  readonly isAutomatic: boolean
  /** The results that other programs reported about the sender. These results are logged, but not trusted. */
  readonly claims: { readonly dkim: string | undefined; readonly spf: string | undefined }
}

/** The largest number of lines. The parser takes about 50 µs for each line, and blocks the process meanwhile. */
const MOST_LINES = 20_000
const LINE_FEED = 10

/** Parses a mail. A mail that is too deeply nested or has too many lines or headers is refused with an error. */
export async function readMail(raw: Uint8Array): Promise<MailContent> {
  const lines = raw.reduce((count, byte) => (byte === LINE_FEED ? count + 1 : count), 0)
  if (lines > MOST_LINES) throw new Error(`the mail has more than ${MOST_LINES} lines`)
  const mail = await PostalMime.parse(raw, {
    maxNestingDepth: 20,
    maxHeadersSize: 65_536,
    forceRfc822Attachments: true,
  })
  const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
  const autoSubmitted = header('auto-submitted')?.toLowerCase() ?? 'no'
  return {
    text: withoutQuotes(plainText(mail).replaceAll('\0', '')),
    subject: mail.subject?.replace(/\s+/g, ' ').trim() || undefined,
    messageId: mail.messageId,
    date: mail.date,
    isAutomatic:
      autoSubmitted !== 'no' ||
      header('list-id') !== undefined ||
      /^(?:bulk|junk|list|auto_reply)$/i.test(header('precedence')?.trim() ?? '') ||
      header('x-autoreply') !== undefined,
    claims: {
      dkim: /\bd=([\w.-]+)/.exec(header('dkim-signature') ?? '')?.[1],
      spf: /^\s*(\w+)/.exec(header('received-spf') ?? '')?.[1],
    },
  }
}

/** Joins subject and text. Leaves out the subject of a reply, because it repeats the subject of the first mail. */
export function smsText({ text, subject }: Pick<MailContent, 'text' | 'subject'>, hasSubject: boolean): string {
  const isReply = /^(?:re|aw|sv|antw)\s*(?:\[\d+\])?:/i.test(subject ?? '')
  if (!hasSubject || subject === undefined || isReply || text.startsWith(subject)) return text
  return text === '' ? subject : `${subject}\n${text}`
}

function plainText({ text, html }: Email): string {
  if (text !== undefined && text.trim() !== '') return text
  return textOfHtml(html ?? '')
}

/**
 * Removes the markup. Tags that end a line in a browser become line ends.
 *
 * No regular expression searches beyond the next `<`. Otherwise, a mail full of `<` would take minutes.
 */
function textOfHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|head|title)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/\s+/g, ' ')
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h[1-6])\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, decodeEntity)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function decodeEntity(entity: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** Removes the signature, the quoted mail of a reply with its introduction, and repeated blank lines. */
function withoutQuotes(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const end = lines.findIndex((line) => line === '-- ' || line === '--' || ORIGINAL.test(line.trim()))
  const kept = end < 0 ? lines : lines.slice(0, end)
  const own = kept
    .map((line) => (line.startsWith('>') ? QUOTE : line.trimEnd()))
    .join('\n')
    .replace(INTRODUCTION, QUOTE)
    .replaceAll(QUOTE, '')
  return own.replace(/\n{3,}/g, '\n\n').trim()
}

/** Replaces a quoted line. This character does not occur in mail. */
const QUOTE = '\u0000'

const ORIGINAL =
  /^-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}$/i

/** Matches the introduction of a quote, such as "On Monday Anna wrote:", on up to three lines. */
const INTRODUCTION = /^(?:on|am|le|el|den)\b[^\n]*(?:\n[^\n\0]+){0,2}:\n*\0/gim
