import { aliasCode } from '@smsgw/contract/devices/number-alias'
import type { PushContent } from '@smsgw/contract/live/push-event'

/** The texts of the catalogue that begin with `push.`, which the build puts into the service worker. */
export type PushWords = Readonly<Record<string, string>>

export interface ShownNotification {
  readonly title: string
  readonly body: string
  /** Notifications with the same tag replace each other. */
  readonly tag: string
  /** The page that a click opens. */
  readonly path: string
}

/** Returns a notification with its texts, or undefined for a kind that this release does not have. */
export function notificationOf(content: PushContent, words: PushWords): ShownNotification | undefined {
  const { kind, about, count, text = '', id } = content
  const tag = `${kind} ${about}`
  const code = aliasCode(about)
  const name = code === undefined ? about : fill(words['push.hiddenNumber'] ?? '', { about: code })
  const say = (key: string) => fill(words[key] ?? '', { about: isolated(name), count: String(count) })
  switch (kind) {
    case 'message.received': {
      const title = count > 1 ? say('push.receivedMany') : say('push.received')
      return { title, body: text, tag, path: `/conversations/${encodeURIComponent(about)}` }
    }
    case 'message.failed': {
      const isOne = count === 1 && id !== undefined
      const path = isOne ? `/messages/${encodeURIComponent(id)}` : '/messages?state=Failed'
      return { title: isOne ? say('push.failed') : say('push.failedMany'), body: '', tag: kind, path }
    }
    case 'device.offline': {
      const path = id === undefined ? '/devices' : `/devices/${encodeURIComponent(id)}`
      return { title: say('push.offline'), body: '', tag, path }
    }
    case 'test':
      return { title: say('push.test'), body: say('push.testAbout'), tag, path: '/settings' }
    default:
      return undefined
  }
}

/**
 * Fills the values into a text. The texts have only these two values and no plurals, so that the service worker needs
 * no formatter.
 */
function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (found, name: string) => values[name] ?? found)
}

/** Keeps a phone number together within right-to-left text (Unicode first strong isolate). */
function isolated(about: string): string {
  return `\u2068${about}\u2069`
}
