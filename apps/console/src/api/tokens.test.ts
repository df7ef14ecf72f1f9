import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { useChangePassword } from './tokens.ts'

afterEach(() => vi.unstubAllGlobals())

test('a change of the password removes all data of the user, and the passwords themselves', async () => {
  vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
  const client = new QueryClient()
  client.setQueryData(['session'], { username: 'anna' })
  client.setQueryData(['thread', '+447400123456'], ['Meet me at the old harbour'])
  const made: ReturnType<typeof useChangePassword>[] = []
  const Form = () => {
    made.push(useChangePassword())
    return null
  }
  renderToString(createElement(QueryClientProvider, { client }, createElement(Form)))
  await made[0]?.mutateAsync({ currentPassword: 'an old password', newPassword: 'a new password' })
  const left = client.getQueryCache().getAll()
  expect(left.map(({ queryKey, state }) => [queryKey, state.data])).toEqual([[['session'], null]])
  expect(client.getMutationCache().getAll()).toEqual([])
})
