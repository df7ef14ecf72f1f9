import { judgeSystemClock } from '../time/system-clock.ts'
import { type Finding, ok, warn } from './finding.ts'

/** Deadlines, work hours and the times of messages hang on it. */
export function checkClock(judged = judgeSystemClock()): readonly Finding[] {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (judged === 'synchronised') return [ok('clock', `synchronised, time zone ${zone}`)]
  if (judged === 'kept') return [ok('clock', `a battery or somebody else keeps it, time zone ${zone}`)]
  return [
    warn(
      'clock',
      `nothing keeps this machine's clock right (time zone ${zone})`,
      'sudo timedatectl set-ntp true; until then the time of the relay and of the mobile network is used',
    ),
  ]
}

/** `aheadMs`: of what the relay says. */
export function checkSkew(aheadMs: number): Finding {
  const seconds = Math.round(aheadMs / 1000)
  if (Math.abs(aheadMs) < mostSkewMs) return ok('clock and relay', 'agree')
  const words = `this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the relay`
  return warn('clock and relay', words, 'let both keep their clocks right by NTP: sudo timedatectl set-ntp true')
}

const mostSkewMs = 5_000
