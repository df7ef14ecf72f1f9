/** The permissions of tokens and API keys. `all:any` includes all others; for a key, all but those in `explicitScopes`. */
export const scopes = [
  'all:any',
  'messages:send',
  'messages:read',
  'messages:list',
  'messages:cancel',
  'messages:export',
  'inbox:list',
  'inbox:read',
  'inbox:refresh',
  'conversations:read',
  'conversations:write',
  'devices:list',
  'devices:write',
  'devices:delete',
  'webhooks:list',
  'webhooks:write',
  'webhooks:delete',
  'push:list',
  'push:manage',
  'settings:read',
  'settings:write',
  'logs:read',
  'tokens:manage',
  'keys:list',
  'keys:manage',
] as const

export type Scope = (typeof scopes)[number]

/** A key has these scopes only when they are named, because they lead to credentials that outlive the key. */
export const explicitScopes: readonly Scope[] = ['tokens:manage', 'keys:list', 'keys:manage']
