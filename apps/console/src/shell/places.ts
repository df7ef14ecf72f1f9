import { newConversationPath } from '../conversations/conversation-path.ts'
import { setupPath } from '../setup/setup-path.ts'
import type { IconName } from '../ui/icon.tsx'
import { type TextKey, t } from '../words/text.ts'

type PlacePath =
  | '/'
  | '/conversations'
  | '/devices'
  | '/webhooks'
  | '/approvals'
  | '/access'
  | '/settings'
  | '/logs'
  | '/developers'

/** The pages of the console, in the order of the menu. `key` is pressed after `g`. */
export const places: readonly {
  readonly path: PlacePath
  readonly icon: IconName
  readonly key: string
}[] = [
  { path: '/', icon: 'overview', key: 'o' },
  { path: '/conversations', icon: 'conversations', key: 'c' },
  { path: '/devices', icon: 'devices', key: 'd' },
  { path: '/webhooks', icon: 'webhooks', key: 'w' },
  { path: '/approvals', icon: 'approvals', key: 'r' },
  { path: '/access', icon: 'access', key: 'a' },
  { path: '/settings', icon: 'settings', key: 's' },
  { path: '/logs', icon: 'logs', key: 'l' },
  { path: '/developers', icon: 'developers', key: 'p' },
]

export function isAt(location: string, path: string): boolean {
  if (location === newConversationPath || /^\/messages(\/|$)/.test(location)) return path === '/conversations'
  if (location === setupPath) return path === '/devices'
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)
}

const names: Readonly<Record<PlacePath, TextKey>> = {
  '/': 'overview.title',
  '/conversations': 'conversations.title',
  '/devices': 'devices.title',
  '/webhooks': 'webhooks.title',
  '/approvals': 'approvals.title',
  '/access': 'access.title',
  '/settings': 'settings.title',
  '/logs': 'logs.title',
  '/developers': 'api.title',
}

export function placeName(path: PlacePath): string {
  return t(names[path])
}
