import type { ApiKey, ApiKeyWithSecret, KeyLimits } from '@smsgw/contract/access/api-key'
import type { Scope } from '@smsgw/contract/access/scopes'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get } from './request/ask.ts'

const path = (id: string) => `/keys/${encodeURIComponent(id)}`

/** Lists API keys, newest first. */
export function useApiKeys() {
  return useQuery({ queryKey: ['api-keys'], queryFn: ({ signal }) => get<readonly ApiKey[]>('/keys', signal) })
}

export interface NewKeyRequest {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly limits: KeyLimits
  readonly expiresAt?: string
}

export function useCreateApiKey() {
  return useKeyChange(async (key: NewKeyRequest) => (await ask<ApiKeyWithSecret>('POST', '/keys', key)).body)
}

export function useChangeApiKey() {
  return useKeyChange(
    async ({ id, ...change }: { readonly id: string; readonly name: string; readonly limits: KeyLimits }) =>
      (await ask<ApiKey>('PATCH', path(id), change)).body,
  )
}

export function useRotateApiKey() {
  return useKeyChange(
    async ({ id, overlapSeconds }: { readonly id: string; readonly overlapSeconds: number }) =>
      (await ask<ApiKeyWithSecret>('POST', `${path(id)}/rotate`, { overlapSeconds })).body,
  )
}

export function useRevokeApiKey() {
  return useKeyChange((id: string) => ask('DELETE', path(id)))
}

function useKeyChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
  })
}
