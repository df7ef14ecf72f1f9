import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useAnyReceived, useAnySent } from '../api/messages.ts'
import { useSignedIn } from '../session-context.ts'
import { setupPath } from '../setup/setup-path.ts'
import { useIsLate } from '../ui/use-is-late.ts'

/** Opens the setup at the first visit of a user with this browser, if no modem works and nothing was ever sent or received. */
export function useFirstSetup(): void {
  const devices = useDevices()
  const anySent = useAnySent()
  const [, goTo] = useLocation()
  const { username } = useSignedIn()
  const offeredKey = `smsgw-setup-offered ${username}`
  const mayBeNeeded = devices.data !== undefined && needsSetup(devices.data) && anySent.data === false
  const anyReceived = useAnyReceived(mayBeNeeded)
  const isNeeded = mayBeNeeded && anyReceived.data === false
  // Waits, because a gateway that has just started reports its SIMs after a second or two.
  const isLate = useIsLate(isNeeded, startMs)
  useEffect(() => {
    if (!isLate || localStorage.getItem(offeredKey) !== null) return
    localStorage.setItem(offeredKey, 'yes')
    goTo(setupPath, { replace: true })
  }, [isLate, goTo, offeredKey])
}

const startMs = 3_000

/** Returns false while a modem starts, and for phones, because they are set up in their app. */
export function needsSetup(devices: readonly DeviceAnswer[]): boolean {
  return !devices.some(({ isPhone, simCards }) => isPhone || simCards.some(({ state }) => works.has(state)))
}

const works: ReadonlySet<string> = new Set(['ready', 'degraded', 'roaming', 'starting'])
