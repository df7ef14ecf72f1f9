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

function secretsSet(effects: readonly SettingEffect[]): ReadonlySet<string> {
  return new Set(effects.filter(({ isSet }) => isSet === true).map(({ key }) => key))
}

export function useChangeSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (patch: SettingsPatch) => (await ask<Settings>('PATCH', '/settings', patch)).body,
    onSuccess: async (settings) => {
      client.setQueryData(['settings'], settings)
      await client.invalidateQueries({ queryKey: ['settings', 'effects'] })
    },
  })
}
