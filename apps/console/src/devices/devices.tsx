import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { Link } from 'wouter'
import { useDevices } from '../api/devices.ts'
import { setupPath } from '../setup/setup-path.ts'
import { Badge } from '../ui/badge.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import { PairDevice } from './pair-device.tsx'
import { SimLine } from './sim-line.tsx'
import './devices.css'

export default function Devices() {
  const devices = useDevices()
  const [isPairing, pair] = useDisclosure(false)
  const add = (
    <>
      <Button component={Link} href={setupPath} variant="default">
        {t('setup.title')}
      </Button>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={pair.open}>
        {t('pairing.title')}
      </Button>
    </>
  )
  return (
    <Page
      title={t('devices.title')}
      about={t('devices.about')}
      actions={devices.data && devices.data.length > 0 ? add : undefined}
    >
      <ProblemNote error={devices.error} retry={() => void devices.refetch()} />
      {devices.isPending && <WaitingLines />}
      {devices.data?.length === 0 && (
        <EmptyState icon="devices" title={t('devices.none')} action={<div className="page-actions">{add}</div>}>
          {t('devices.noneHelp')}
        </EmptyState>
      )}
      <ul className="device-cards">
        {devices.data?.map((device) => (
          <DeviceCard key={device.id} device={device} />
        ))}
      </ul>
      <PairDevice isOpen={isPairing} onClose={pair.close} known={devices.data ?? []} />
    </Page>
  )
}

function DeviceCard({
  device: { id, name, online, lastSeen, simCards, isEmulated, isPhone },
}: {
  readonly device: DeviceAnswer
}) {
  return (
    <li className="panel">
      <header className="panel-head">
        <h2>
          <Link href={`/devices/${id}`}>
            <bdi>{name}</bdi>
          </Link>
        </h2>
        <span className="device-standing">
          {isEmulated && <Badge tone="quiet">{t('device.emulated')}</Badge>}
          {isPhone && <Badge tone="quiet">{t('device.phone')}</Badge>}
          {online ? <Badge tone="good">{t('device.online')}</Badge> : <Badge tone="bad">{t('device.offline')}</Badge>}
        </span>
      </header>
      {simCards.length === 0 && <p className="quiet">{t(isPhone ? 'device.phoneNoSim' : 'device.noModem')}</p>}
      {simCards.map((sim) => (
        <SimLine key={sim.simNumber} sim={sim} isOfEmulated={isEmulated} />
      ))}
      {!online && <p className="small quiet">{rich('device.lastSeen', { when: <RelativeTime at={lastSeen} /> })}</p>}
    </li>
  )
}
