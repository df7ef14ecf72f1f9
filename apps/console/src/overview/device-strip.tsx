import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { SimLine } from '../devices/sim-line.tsx'
import { Badge } from '../ui/badge.tsx'
import { Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import './device-strip.css'

/** One line per device. */
export function DeviceStrip() {
  const { data: devices = [] } = useDevices()
  if (devices.length === 0) return null
  return (
    <Panel title={t('devices.title')}>
      <ul className="device-strip">
        {devices.map(({ id, name, online, lastSeen, simCards }) => (
          <li key={id}>
            <Link href={`/devices/${id}`}>{name}</Link>
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
