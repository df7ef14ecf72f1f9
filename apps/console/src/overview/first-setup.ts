import type { DeviceAnswer } from '@smsgw/contract/device'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useAnySent } from '../api/messages.ts'
import { setupPath } from '../setup/setup-path.ts'
import { useIsLate } from '../ui/use-is-late.ts'

const offeredKey = 'smsgw-setup-offered'

/** Opens the setup at the first visit with this browser, if no modem works and nothing was ever sent. */
export function useFirstSetup(): void {
  const devices = useDevices()
  const anySent = useAnySent()
  const [, goTo] = useLocation()
  const isNeeded = devices.data !== undefined && needsSetup(devices.data) && anySent.data === false
  // A gateway that has just started reports its SIMs after a second or two.
  const isLate = useIsLate(isNeeded, startMs)
  useEffect(() => {
    if (!isLate || localStorage.getItem(offeredKey) !== null) return
    localStorage.setItem(offeredKey, 'yes')
    goTo(setupPath, { replace: true })
  }, [isLate, goTo])
}

const startMs = 3_000

/** False while a modem starts, and for phones, which are set up in their app. */
export function needsSetup(devices: readonly DeviceAnswer[]): boolean {
  return !devices.some(({ isPhone, simCards }) => isPhone || simCards.some(({ state }) => works.has(state)))
}

const works: ReadonlySet<string> = new Set(['ready', 'degraded', 'roaming', 'starting'])
