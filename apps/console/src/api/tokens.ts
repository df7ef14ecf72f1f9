import type { Scope } from '@smsgw/contract/access/scopes'
import type { IssuedToken, TokenResponse } from '@smsgw/contract/access/token'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get } from './request/ask.ts'
import { forgetSession } from './session.ts'

export function useTokens() {
  return useQuery({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => get<readonly IssuedToken[]>('/tokens', signal),
  })
}

export function useCreateToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (request: { readonly ttl: number; readonly scopes: readonly Scope[] }) =>
      (await ask<TokenResponse>('POST', '/auth/token', request)).body,
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
}

export function useRevokeToken() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask('DELETE', `/auth/token/${encodeURIComponent(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
}

/** Changes the password. A new password ends all sessions, including the session of this page. */
export function useChangePassword() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: { readonly currentPassword: string; readonly newPassword: string }) =>
      ask('POST', '/account/password', change),
    onSuccess: () => forgetSession(client),
  })
}
