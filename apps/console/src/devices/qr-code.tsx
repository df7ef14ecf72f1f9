import { useMemo } from 'react'
import { encode } from 'uqr'
import { t } from '../words/text.ts'

/** Dark on light in both colour schemes, because many readers cannot read inverted codes. */
export function QrCode({ text }: { readonly text: string }) {
  const { path, size } = useMemo(() => drawingOf(text), [text])
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t('pairing.qrCode')}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  )
}

function drawingOf(text: string): { readonly path: string; readonly size: number } {
  const { data, size } = encode(text, { ecc: 'M', border: 3 })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return { path: squares.join(''), size }
}
