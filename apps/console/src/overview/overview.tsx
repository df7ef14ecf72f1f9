import { Page } from '../ui/page.tsx'
import { t } from '../words/text.ts'
import { Checklist } from './checklist.tsx'
import { DeviceStrip } from './device-strip.tsx'
import { Traffic } from './traffic.tsx'

export default function Overview() {
  return (
    <Page title={t('overview.title')}>
      <Checklist />
      <Traffic />
      <DeviceStrip />
    </Page>
  )
}
