/** The permissions of tokens. `all:any` includes all others. */
export const scopes = [
  'all:any',
  'messages:send',
  'messages:read',
  'messages:list',
  'messages:cancel',
  'messages:export',
  'inbox:list',
  'inbox:refresh',
  'conversations:read',
  'conversations:write',
  'devices:list',
  'devices:write',
  'devices:delete',
  'webhooks:list',
  'webhooks:write',
  'webhooks:delete',
  'settings:read',
  'settings:write',
  'logs:read',
  'tokens:manage',
] as const

export type Scope = (typeof scopes)[number]
