import { Page } from '../ui/page.tsx'
import { Checklist } from './checklist.tsx'
import { DeviceStrip } from './device-strip.tsx'
import { Traffic } from './traffic.tsx'

export default function Overview() {
  return (
    <Page title="Overview">
      <Checklist />
      <Traffic />
      <DeviceStrip />
    </Page>
  )
}
