import type {
  DeviceAnswer,
  DeviceDetailAnswer,
  EnteredPinAnswer,
  FindingsAnswer,
  PairingCodeAnswer,
  TelemetryPoint,
  UssdAnswer,
} from '@smsgw/contract/devices/device'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask, get, queryString } from './request/ask.ts'

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
        `/devices/${id}/telemetry${queryString({ from, to: new Date(now).toISOString() })}`,
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

export interface DeviceNames {
  readonly name: string
  readonly simCards: readonly { readonly simNumber: number; readonly name: string }[]
}

export function useRenameDevice(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (names: DeviceNames) => ask('PATCH', `/devices/${id}`, names),
    onSuccess: () =>
      Promise.all([['devices'], ['device', id]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

/**
 * @param onNotSaved is called when the PIN has unlocked the SIM but was not saved, even if the form was closed in the
 * meantime. `code` is the reason, which older agents omit
 */
export function useEnterPin(id: string, onNotSaved: (simNumber: number, code: string | undefined) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (entry: { readonly simNumber: number; readonly pin: string; readonly save: boolean }) =>
      (await ask<EnteredPinAnswer>('POST', `/devices/${id}/pin`, entry)).body,
    onSuccess: ({ unlocked, saved, code }, { simNumber, save }) => {
      if (unlocked && save && saved === false) onNotSaved(simNumber, code)
      // Discards the old number of attempts and starts diagnostics, which read the new number. Diagnostics can take
      // most of a minute, so the result does not wait for them.
      void client.resetQueries({ queryKey: ['findings', id] })
      return client.invalidateQueries({ queryKey: ['device', id] })
    },
  })
}

export function useRestartModem(id: string) {
  return useMutation({
    mutationFn: (simNumber: number) => ask('POST', `/devices/${id}/restart-modem`, { simNumber }),
  })
}

/** Runs diagnostics on the device, which can take minutes. */
export function useExamineDevice(id: string) {
  return useMutation({
    mutationFn: async () => (await ask<FindingsAnswer>('POST', `/devices/${id}/findings`)).body,
  })
}

/**
 * Runs diagnostics when the component appears and when `reason` changes. Repeats them while `isComplete` returns false.
 * This means that the modem was too busy to report everything.
 */
export function useFindings(
  id: string,
  reason: string,
  isOnline: boolean,
  isComplete: (findings: FindingsAnswer['findings']) => boolean,
) {
  return useQuery({
    queryKey: ['findings', id, reason],
    queryFn: async ({ signal }) =>
      (await ask<FindingsAnswer>('POST', `/devices/${id}/findings`, undefined, signal)).body,
    enabled: isOnline,
    retry: false,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data === undefined || isComplete(data.findings) || dataUpdateCount >= mostRuns ? false : againMs,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

const mostRuns = 5
const againMs = 3_000

export function useUssd(id: string) {
  return useMutation({
    mutationFn: async (request: { readonly code: string; readonly simNumber?: number; readonly sessionId?: string }) =>
      (await ask<UssdAnswer>('POST', `/devices/${id}/ussd`, request)).body,
  })
}
