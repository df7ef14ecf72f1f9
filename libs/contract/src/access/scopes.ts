/**
 * The permissions of tokens and API keys. `all:any` includes all other scopes. For a key, `all:any` does not include
 * `explicitScopes`.
 */
export const scopes = [
  'all:any',
  'messages:send',
  'messages:read',
  'messages:list',
  'messages:cancel',
  'messages:export',
  'messages:approve',
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

/**
 * A key has these scopes only if they are named. With most of these scopes, the key could create credentials that
 * remain valid after the key is revoked. With `messages:approve`, it could approve messages of other keys.
 */
export const explicitScopes: readonly Scope[] = ['messages:approve', 'tokens:manage', 'keys:list', 'keys:manage']
