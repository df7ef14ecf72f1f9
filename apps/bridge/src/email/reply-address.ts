import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long an answer is accepted. */
const VALID_DAYS = 30
const DAY_MS = 86_400_000
const TAG_LENGTH = 20

/**
 * Returns an address to which anyone may send a text for one number, until the address expires:
 * `447400123456.<day>.<tag>@<domain>`.
 */
export function replyAddress(number: string, domain: string, secret: string, now: number): string {
  const name = `${number.replace(/^\+/, 'p')}.${(Math.floor(now / DAY_MS) + VALID_DAYS).toString(36)}`
  return `${name}.${tagOf(name, domain, secret)}@${domain}`
}

export type MailRecipient =
  | { readonly number: string; readonly isReply: boolean }
  | { readonly problem: string; readonly isExpired?: true }

/** Reads the address of a recipient, which is a phone number or an address from `replyAddress`. */
export function recipientOf(address: string, domain: string, secret: string, now: number): MailRecipient {
  const at = address.lastIndexOf('@')
  if (address.slice(at + 1).toLowerCase() !== domain.toLowerCase())
    return { problem: `this server accepts mail for <number>@${domain} only` }
  const local = address.slice(0, at).toLowerCase()
  if (/^\+?\d{3,20}$/.test(local)) return { number: local, isReply: false }
  const [, name = '', number = '', day = '', tag = ''] =
    /^((p?\d{3,20})\.([0-9a-z]{1,6}))\.([0-9a-f]+)$/.exec(local) ?? []
  const expected = Buffer.from(tagOf(name, domain, secret))
  if (name === '' || tag.length !== expected.length || !timingSafeEqual(Buffer.from(tag), expected))
    return { problem: `the recipient must be a phone number, for example +447400123456@${domain}` }
  if (Number.parseInt(day, 36) < Math.floor(now / DAY_MS))
    return { problem: `this address has expired: send the mail to <number>@${domain} instead`, isExpired: true }
  return { number: number.replace(/^p/, '+'), isReply: true }
}

function tagOf(name: string, domain: string, secret: string): string {
  return createHmac('sha256', secret).update(`${name}@${domain.toLowerCase()}`).digest('hex').slice(0, TAG_LENGTH)
}
