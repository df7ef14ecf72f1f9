import { useLiveState } from '../../api/live/live-updates.ts'
import { Icon } from '../../ui/icon.tsx'
import { useIsLate } from '../../ui/use-is-late.ts'
import { t } from '../../words/text.ts'
import './connection-banner.css'

/** Interruptions that are shorter than this, for example while the gateway restarts, are shown only beside the menu. */
const shortMs = 4_000

/** Shows above every page that the gateway cannot be reached, so that the page may be out of date. */
export function ConnectionBanner() {
  const live = useLiveState()
  const isLate = useIsLate(live !== 'live', shortMs)
  return (
    <div className="connection-banner-place" role="alert">
      {isLate && (
        <p className="connection-banner">
          <Icon name="warning" />
          {t('line.outOfDate')}
        </p>
      )}
    </div>
  )
}
