import { newConversationPath } from '../conversations/conversation-path.ts'
import type { IconName } from '../ui/icon.tsx'

/** The places of the console, in the order of the menu. `key` is pressed after `g`. */
export const places: readonly {
  readonly path: string
  readonly name: string
  /** Where there is little room. */
  readonly shortName?: string
  readonly icon: IconName
  readonly key: string
}[] = [
  { path: '/', name: 'Overview', icon: 'overview', key: 'o' },
  { path: '/conversations', name: 'Conversations', shortName: 'Messages', icon: 'conversations', key: 'c' },
  { path: '/devices', name: 'Devices', icon: 'devices', key: 'd' },
  { path: '/webhooks', name: 'Webhooks', icon: 'webhooks', key: 'w' },
  { path: '/access', name: 'Access', icon: 'access', key: 'a' },
  { path: '/settings', name: 'Settings', icon: 'settings', key: 's' },
  { path: '/logs', name: 'Logs', icon: 'logs', key: 'l' },
  { path: '/developers', name: 'API', icon: 'developers', key: 'p' },
]

export function isAt(location: string, path: string): boolean {
  if (location === newConversationPath || /^\/messages(\/|$)/.test(location)) return path === '/conversations'
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)
}
