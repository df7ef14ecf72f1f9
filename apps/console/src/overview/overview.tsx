import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { useAnyReceived, useAnySent } from '../api/messages.ts'
import { SimLine } from '../devices/sim-line.tsx'
import { useSignedIn } from '../session-context.ts'
import { setupPath } from '../setup/setup-path.ts'
import { needsSetup } from '../setup/setup-state.ts'
import { useOrigin } from '../shell/back-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { useIsLate } from '../ui/use-is-late.ts'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import { Checklist } from './checklist.tsx'
import { TrafficChart } from './traffic.tsx'
import './device-strip.css'

export default function Overview() {
  useFirstSetup()
  return (
    <Page title={t('overview.title')}>
      <Checklist />
      <TrafficChart />
      <DeviceStrip />
    </Page>
  )
}

/** One line per device. */
function DeviceStrip() {
  const { data: devices = [] } = useDevices()
  const origin = useOrigin()
  if (devices.length === 0) return null
  return (
    <Panel title={t('devices.title')}>
      <ul className="device-strip">
        {devices.map(({ id, name, online, lastSeen, simCards }) => (
          <li key={id}>
            <Link href={`/devices/${id}`} state={origin}>
              <bdi>{name}</bdi>
            </Link>
            <span>
              {simCards.map((sim) => (
                <SimLine key={sim.simNumber} sim={sim} />
              ))}
            </span>
            {online ? (
              <Badge tone="good">{t('device.online')}</Badge>
            ) : (
              <Badge tone="bad">{rich('device.offlineSince', { when: <RelativeTime at={lastSeen} /> })}</Badge>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/**
 * Opens the setup at the first visit of a user with this browser, if no modem works and nothing was ever sent or
 * received.
 */
function useFirstSetup(): void {
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
