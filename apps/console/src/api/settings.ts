import type { Settings } from '@smsgw/contract/relay/settings'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get } from './request/ask.ts'

export type SettingValue = string | number | boolean | null

/** Changed keys by section; null resets a key to its default. */
export type SettingsPatch = Readonly<Record<string, Readonly<Record<string, SettingValue>>>>

export function useSettings() {
  return useQuery({ queryKey: ['settings'], queryFn: ({ signal }) => get<Settings>('/settings', signal) })
}

export function useChangeSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (patch: SettingsPatch) => (await ask<Settings>('PATCH', '/settings', patch)).body,
    onSuccess: (settings) => client.setQueryData(['settings'], settings),
  })
}
