import { Page } from '../ui/page.tsx'
import { t } from '../words/text.ts'
import { Checklist } from './checklist.tsx'
import { DeviceStrip } from './device-strip.tsx'
import { useFirstSetup } from './first-setup.ts'
import { TrafficChart } from './traffic.tsx'

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
