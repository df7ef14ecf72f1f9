import { createHash } from 'node:crypto'
import { setting, text } from '@smsgw/daemon/setting'
import { z } from 'zod'

/** Where received messages are shown: an Apprise URL, or the `https` address of a webhook of a chat program. */
export interface ChatTarget {
  readonly url: string
  /** The tag, which names a group of targets for the rules. */
  readonly tag: string | undefined
  /** Identifies the target in the state file, which must not contain its secret. */
  readonly id: string
}

/** Messages from these senders go to the targets with this tag. */
export interface ChatRule {
  /** A phone number or a sender name, or the beginning of a number or name followed by `*`. */
  readonly sender: string
  readonly tag: string
}

/** The settings of the chat channel. A gateway accepts them, too. */
export const chatSettings = z.object({
  CHAT_URLS: setting(z.string().transform(readTargets).optional(), {
    about:
      'chats that show received messages, separated by spaces: webhook addresses of Slack, Discord and others, or addresses of Apprise; you can put a tag such as "family=" before each address; default: none',
    example: 'family=tgram://123456:token/987654 https://hooks.slack.com/services/T0/B0/secret',
    secret: true,
  }),
  CHAT_RULES: setting(z.string().transform(readRules).optional(), {
    about:
      'list of rules sender=tag, separated by commas: messages from this sender go to the chats with this tag, and messages from other senders go to no chat; the sender may end with *; default: all messages go to all chats',
    example: '+49*=family,BANK=office',
  }),
  CHAT_TEMPLATE: setting(text().default('SMS from {sender}: {text}'), {
    about: 'text in the chat, with {sender}, {recipient}, {text} and {time}',
    example: '{sender} → {recipient}: {text}',
  }),
})

/** The settings of an enabled chat channel. */
export type ChatConfig = z.output<typeof chatSettings> & { readonly CHAT_URLS: readonly ChatTarget[] }

/** Returns the targets for messages from this sender. */
export function targetsFor({ CHAT_URLS, CHAT_RULES }: ChatConfig, sender: string): readonly ChatTarget[] {
  if (CHAT_RULES === undefined) return CHAT_URLS
  const tags = CHAT_RULES.filter((rule) => matches(rule.sender, sender)).map(({ tag }) => tag)
  return CHAT_URLS.filter(({ tag }) => tag !== undefined && tags.includes(tag))
}

function matches(pattern: string, sender: string): boolean {
  const [one, other] = [pattern.toLowerCase(), sender.toLowerCase()]
  return one.endsWith('*') ? other.startsWith(one.slice(0, -1)) : one === other
}

function readTargets(value: string, context: z.RefinementCtx): readonly ChatTarget[] {
  const targets = value
    .split(/\s+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, tag, url = ''] = /^(?:([\w-]+)=)?(.*)$/.exec(entry) ?? []
      const id = createHash('sha256').update(url).digest('base64url').slice(0, 16)
      return { url, tag, id }
    })
  // The error message must not contain the addresses, which are secrets.
  if (targets.some(({ url }) => !/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(url)))
    context.addIssue('must be a list of addresses such as https://… or tgram://…, separated by spaces')
  else if (new Set(targets.map(({ id }) => id)).size < targets.length) context.addIssue('contains an address twice')
  return targets
}

function readRules(value: string, context: z.RefinementCtx): readonly ChatRule[] {
  const rules = value
    .split(',')
    .filter((entry) => entry.trim() !== '')
    .map((entry) => {
      const [sender = '', tag = ''] = entry.split('=', 2).map((part) => part.trim())
      return { sender, tag }
    })
  if (rules.some(({ sender, tag }) => sender === '' || !/^[\w-]+$/.test(tag)))
    context.addIssue('must be a list of rules such as +44*=family, separated by commas')
  return rules
}

/** Returns the tags that occur in rules, but at no target. */
export function unusedTags({ CHAT_URLS, CHAT_RULES = [] }: ChatConfig): readonly string[] {
  return [...new Set(CHAT_RULES.map(({ tag }) => tag))].filter((tag) => !CHAT_URLS.some((target) => target.tag === tag))
}
