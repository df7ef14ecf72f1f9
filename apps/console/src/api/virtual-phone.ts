import type { VirtualPhoneAnswer } from '@smsgw/contract/devices/virtual-phone'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get } from './request/ask.ts'

export function useVirtualPhone() {
  return useQuery({
    queryKey: ['virtual-phone'],
    queryFn: ({ signal }) => get<VirtualPhoneAnswer>('/virtual-phone', signal),
    // Polls, because the gateway has no event for messages that arrive on the phone.
    refetchInterval: 2_000,
  })
}

export function useWriteFromPhone() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (message: { readonly from: string; readonly text: string }) => ask('POST', '/virtual-phone', message),
    onSuccess: () => client.invalidateQueries({ queryKey: ['virtual-phone'] }),
  })
}
