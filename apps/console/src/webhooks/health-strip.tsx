import { useDeliveries } from '../api/webhooks.ts'
import { t } from '../words/text.ts'
import { barsOf, type HealthBar } from './health-bars.ts'
import './health-strip.css'

const shown = 40
const barWidth = 4
const thickness = barWidth - 1.5
/**
 * Bars above the line, and bars of failed deliveries below it. A dot below the line marks a delivery that needed a
 * retry. So the three kinds differ by more than their colour.
 */
const aboveHeight = 20
const belowHeight = 12
const height = aboveHeight + belowHeight

/** The latest deliveries of a webhook, the newest first. */
export function useHealthBars(webhookId: string): readonly HealthBar[] {
  const { data } = useDeliveries(webhookId, {}, shown)
  return barsOf(data?.pages[0]?.body ?? [])
}

/** One bar for each of the latest deliveries of a webhook, the newest at the end. */
export function HealthStrip({ webhookId }: { readonly webhookId: string }) {
  const bars = useHealthBars(webhookId).toReversed()
  const bad = bars.filter(({ tone }) => tone === 'bad').length
  const words =
    bars.length === 0 ? t('delivery.none') : t('delivery.health', { good: bars.length - bad, count: bars.length })
  return (
    <svg className="health-strip" role="img" aria-label={words} width={shown * barWidth} height={height}>
      <title>{words}</title>
      {bars.map(({ id, tone, share }, at) => {
        const isBelow = tone === 'bad'
        const length = Math.max(5, share * (isBelow ? belowHeight : aboveHeight))
        const x = (shown - bars.length + at) * barWidth
        return (
          <g key={id} className={`is-${tone}`}>
            <rect x={x} y={isBelow ? aboveHeight : aboveHeight - length} width={thickness} height={length} rx="1" />
            {tone === 'warn' && <circle cx={x + thickness / 2} cy={aboveHeight + 5} r={thickness / 2} />}
          </g>
        )
      })}
      <line x1="0" x2={shown * barWidth} y1={aboveHeight} y2={aboveHeight} />
    </svg>
  )
}
