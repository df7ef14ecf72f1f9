import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import type { LiveState } from '../../api/live/live-feed.ts'
import { simStateWords } from '../../devices/sim-state-words.ts'
import { t } from '../../words/text.ts'

interface LineWords {
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet'
  readonly title: string
  readonly detail: string
  /** Signal of the best ready SIM, in per cent. */
  readonly signal: number | undefined
}

/** Returns the most important problem, or the state of the network if there is no problem. */
export function lineWords(live: LiveState, devices: readonly DeviceAnswer[] | undefined): LineWords {
  if (live === 'away')
    return { tone: 'warn', title: t('line.disconnected'), detail: t('line.retrying'), signal: undefined }
  if (devices === undefined) return { tone: 'quiet', title: t('common.loading'), detail: '', signal: undefined }
  if (devices.length === 0)
    return { tone: 'warn', title: t('line.noDevice'), detail: t('pairing.title'), signal: undefined }
  const online = devices.filter((device) => device.online)
  if (online.length === 0)
    return { tone: 'bad', title: t('device.offline'), detail: t('line.noneOnline'), signal: undefined }
  const sims = online.flatMap(({ simCards }) => simCards)
  const ready = sims.filter(({ state }) => state === 'ready')
  if (ready.length === 0)
    return {
      tone: 'bad',
      title: t('line.noSim'),
      detail: sims[0] === undefined ? t('device.noModem') : simStateWords(sims[0].state),
      signal: undefined,
    }
  const best = ready.reduce((one, other) => ((other.signal ?? -1) > (one.signal ?? -1) ? other : one))
  const missing = sims.length - ready.length + (devices.length - online.length)
  return {
    tone: missing > 0 ? 'warn' : 'good',
    title: best.carrierName ?? t('line.ready', { count: ready.length }),
    detail:
      missing > 0
        ? t('line.missing', { count: missing, total: sims.length + devices.length - online.length })
        : signalWords(best.signal),
    signal: best.signal,
  }
}

export function signalWords(signal: number | undefined): string {
  if (signal === undefined) return t('signal.unknown')
  return t(`signal.${signal >= 60 ? 'good' : signal >= 30 ? 'fair' : 'weak'}`)
}
