import { useDeliveries } from '../api/webhooks.ts'
import { t } from '../words/text.ts'
import { barsOf, type HealthBar } from './health-bars.ts'
import './health-strip.css'

const shown = 40
/**
 * Bars above the line, and bars of failed deliveries below it. A dot below the line marks a delivery that needed a
 * retry. So the three kinds differ by more than their colour.
 */
const sizes = {
  /** In a list of webhooks. */
  small: { pitch: 4, thickness: 2.5, above: 20, below: 12 },
  /** On the page of one webhook. */
  large: { pitch: 8, thickness: 5.5, above: 36, below: 20 },
} as const

/** The latest deliveries of a webhook, the newest first. */
export function useHealthBars(webhookId: string): readonly HealthBar[] {
  const { data } = useDeliveries(webhookId, {}, shown)
  return barsOf(data?.pages[0]?.body ?? [])
}

/** One bar for each of the latest deliveries of a webhook, the newest at the end. */
export function HealthStrip({
  webhookId,
  size = 'small',
}: {
  readonly webhookId: string
  readonly size?: keyof typeof sizes
}) {
  const { pitch, thickness, above, below } = sizes[size]
  const [width, height] = [shown * pitch, above + below]
  const bars = useHealthBars(webhookId).toReversed()
  const bad = bars.filter(({ tone }) => tone === 'bad').length
  const words =
    bars.length === 0 ? t('delivery.none') : t('delivery.health', { good: bars.length - bad, count: bars.length })
  return (
    <svg
      className="health-strip"
      role="img"
      aria-label={words}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <title>{words}</title>
      {bars.map(({ id, tone, share }, at) => {
        const isBelow = tone === 'bad'
        const length = Math.max(5, share * (isBelow ? below : above))
        const x = (shown - bars.length + at) * pitch
        return (
          <g key={id} className={`is-${tone}`}>
            <rect x={x} y={isBelow ? above : above - length} width={thickness} height={length} rx="1" />
            {tone === 'warn' && <circle cx={x + thickness / 2} cy={above + 5} r={thickness / 2} />}
          </g>
        )
      })}
      <line x1="0" x2={width} y1={above} y2={above} />
    </svg>
  )
}
