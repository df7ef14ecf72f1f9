import type { ApiKey } from '@smsgw/contract/access/api-key'
import type { SentBy } from '@smsgw/contract/messages/message'
import { t } from '../words/text.ts'

const otherKinds = ['session', 'password', 'token', 'webhook'] as const satisfies readonly SentBy['kind'][]

/** The name of the key or the kind of the credentials that sent a message. */
export function senderWords({ kind, keyName }: SentBy): string {
  return kind === 'key' && keyName !== undefined ? keyName : t(`sentBy.${kind}`)
}

/**
 * The choices of the filter: kinds of credentials, then each key. If the key in the address is not in the list, it is
 * shown by its id.
 */
export function senders(keys: readonly Pick<ApiKey, 'id' | 'name' | 'prefix'>[], chosen: string) {
  const kinds = [...otherKinds, 'key' as const].map((kind) => ({ value: kind, label: t(`sentBy.${kind}`) }))
  const isShared = (name: string) => keys.filter((key) => key.name === name).length > 1
  const each = keys.map(({ id, name, prefix }) => ({
    value: id,
    label: isShared(name) ? `${name} (${prefix}…)` : name,
  }))
  const known = [{ value: '', label: t('common.all') }, ...kinds, ...each]
  return known.some(({ value }) => value === chosen) ? known : [...known, { value: chosen, label: chosen }]
}
