import type { SettingEffect, Settings } from '@smsgw/contract/relay/settings'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get } from './request/ask.ts'

export type SettingValue = string | number | boolean | null

/** Changed keys by section; null resets a key to its default. */
export type SettingsPatch = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>

export function useSettings() {
  return useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => get<Settings>('/settings', signal) })
}

/** The write-only settings that have a value, by name. Undefined until this is known. */
export function useSecretsSet(): ReadonlySet<string> | undefined {
  const { data } = useQuery({
    queryKey: ['settings', 'effects'],
    queryFn: ({ signal }) => get<readonly SettingEffect[]>('/settings/effects', signal),
    select: secretsSet,
  })
  return data
}

/** Returns undefined for the answer of an earlier relay, which does not tell whether a setting has a value. */
export function secretsSet(effects: readonly SettingEffect[]): ReadonlySet<string> | undefined {
  const secrets = effects.filter(({ isSet }) => isSet !== undefined)
  return secrets.length === 0 ? undefined : new Set(secrets.filter(({ isSet }) => isSet).map(({ key }) => key))
}

export function useChangeSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (patch: SettingsPatch) => (await ask<Settings>('PATCH', '/settings', patch)).body,
    onSuccess: (settings, patch) => {
      client.setQueryData(['settings'], settings)
      // Shows the new state of a secret at once. The next request repeats it.
      client.setQueryData<readonly SettingEffect[]>(['settings', 'effects'], (effects) =>
        effects?.map((effect) => ({ ...effect, ...secretAfter(effect, patch) })),
      )
      void client.invalidateQueries({ queryKey: ['settings', 'effects'] })
    },
  })
}

export function secretAfter({ key, isSet }: SettingEffect, patch: SettingsPatch): { readonly isSet?: boolean } {
  const [section = '', name = ''] = key.split('.')
  const value = patch[section]?.[name]
  return isSet === undefined || value === undefined ? {} : { isSet: value !== null }
}
