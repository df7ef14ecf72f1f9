import type {
  DeviceAnswer,
  DeviceDetailAnswer,
  FindingsAnswer,
  PairingCodeAnswer,
  TelemetryPoint,
  UssdAnswer,
} from '@smsgw/contract/device'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get, query } from './ask.ts'

export function useDevices() {
  return useQuery({
    queryKey: ['devices'],
    queryFn: ({ signal }) => get<readonly DeviceAnswer[]>('/devices', signal),
    refetchInterval: 60_000,
  })
}

export function useDevice(id: string) {
  return useQuery({
    queryKey: ['device', id],
    queryFn: ({ signal }) => get<DeviceDetailAnswer>(`/devices/${id}`, signal),
    refetchInterval: 60_000,
  })
}

export function useTelemetry(id: string, hours: number) {
  return useQuery({
    queryKey: ['telemetry', id, hours],
    queryFn: ({ signal }) => {
      const now = Date.now()
      const from = new Date(now - hours * 3_600_000).toISOString()
      return get<readonly TelemetryPoint[]>(
        `/devices/${id}/telemetry${query({ from, to: new Date(now).toISOString() })}`,
        signal,
      )
    },
    refetchInterval: 60_000,
  })
}

export function usePairingCode() {
  return useMutation({
    mutationFn: async () => (await ask<PairingCodeAnswer>('POST', '/devices/codes')).body,
  })
}

export function useDeleteDevice() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ask('DELETE', `/devices/${id}`),
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices'] }),
  })
}

/** Runs diagnostics on the device, which can take minutes. */
export function useExamineDevice(id: string) {
  return useMutation({
    mutationFn: async () => (await ask<FindingsAnswer>('POST', `/devices/${id}/findings`)).body,
  })
}

export function useUssd(id: string) {
  return useMutation({
    mutationFn: async (request: { readonly code: string; readonly simNumber?: number; readonly sessionId?: string }) =>
      (await ask<UssdAnswer>('POST', `/devices/${id}/ussd`, request)).body,
  })
}
