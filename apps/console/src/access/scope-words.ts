import type { Scope } from '@smsgw/contract/scopes'

export const scopeWords: Readonly<Record<Scope, string>> = {
  'all:any': 'Everything',
  'messages:send': 'Send messages',
  'messages:read': 'Read one message by its id',
  'messages:list': 'List messages and their numbers',
  'messages:cancel': 'Stop messages',
  'messages:export': 'Tell webhooks of the inbox again',
  'inbox:list': 'Read what came in',
  'inbox:refresh': 'Read the SIMs again',
  'devices:list': 'See devices and SIMs',
  'devices:write': 'Pair devices, ask the network',
  'devices:delete': 'Remove devices',
  'webhooks:list': 'See webhooks and deliveries',
  'webhooks:write': 'Register webhooks, deliver again',
  'webhooks:delete': 'Remove webhooks',
  'settings:read': 'See settings',
  'settings:write': 'Change settings',
  'logs:read': 'Read logs',
  'tokens:manage': 'Create and revoke tokens',
}
