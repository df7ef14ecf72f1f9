import type { DeviceAnswer } from '@smsgw/contract/device'
import type { LiveState } from '../api/live-feed.ts'

interface LineWords {
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
  readonly title: string
  readonly detail: string
  /** Per cent, of the best SIM that can send. */
  readonly signal: number | undefined
}

/** The worst thing that somebody at the page should know, or that all is well. */
export function lineWords(live: LiveState, devices: readonly DeviceAnswer[] | undefined): LineWords {
  if (live === 'away') return { tone: 'warn', title: 'Not connected', detail: 'trying again', signal: undefined }
  if (devices === undefined) return { tone: 'quiet', title: 'Looking', detail: 'for devices', signal: undefined }
  if (devices.length === 0) return { tone: 'warn', title: 'No device', detail: 'pair one', signal: undefined }
  const online = devices.filter((device) => device.online)
  if (online.length === 0) return { tone: 'bad', title: 'Offline', detail: 'no device is connected', signal: undefined }
  const sims = online.flatMap(({ simCards }) => simCards)
  const ready = sims.filter(({ state }) => state === 'ready')
  if (ready.length === 0)
    return { tone: 'bad', title: 'No SIM is ready', detail: sims[0]?.state ?? 'no modem found', signal: undefined }
  const best = ready.reduce((one, other) => ((other.signal ?? -1) > (one.signal ?? -1) ? other : one))
  const missing = sims.length - ready.length + (devices.length - online.length)
  return {
    tone: missing > 0 ? 'warn' : 'good',
    title: best.carrierName ?? (ready.length === 1 ? 'Ready' : `${ready.length} SIMs ready`),
    detail:
      missing > 0
        ? `${missing} of ${sims.length + devices.length - online.length} not ready`
        : signalWords(best.signal),
    signal: best.signal,
  }
}

export function signalWords(signal: number | undefined): string {
  if (signal === undefined) return 'signal unknown'
  return `${signal >= 60 ? 'good' : signal >= 30 ? 'fair' : 'weak'} signal`
}
