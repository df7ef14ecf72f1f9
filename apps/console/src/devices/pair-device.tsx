import { Button, Modal } from '@mantine/core'
import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { useEffect, useMemo, useState } from 'react'
import { encode } from 'uqr'
import { Link } from 'wouter'
import { usePairingCode } from '../api/devices.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime, useNow } from '../ui/values/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import { isLocalHost, pairCommand } from './pair-command.ts'
import './pair-device.css'

/** Shows a pairing code, valid for ten minutes, as a command and as a QR code until the device connects. */
export function PairDevice({
  isOpen,
  onClose,
  known,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly known: readonly DeviceAnswer[]
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={t('pairing.title')} size="lg">
      <PairingSteps known={known} onClose={onClose} />
    </Modal>
  )
}

/** Shows a pairing code, and a notice when a device has used the code. */
export function PairingSteps({
  known,
  onClose,
  onPaired,
}: {
  readonly known: readonly DeviceAnswer[]
  readonly onClose?: () => void
  readonly onPaired?: (id: string) => void
}) {
  const { mutate, data: code, error } = usePairingCode()
  const [before] = useState(() => new Set(known.map(({ id }) => id)))
  const nowMs = useNow()
  useEffect(() => mutate(), [mutate])
  const arrived = known.find(({ id }) => !before.has(id))
  const arrivedId = arrived?.id
  useEffect(() => {
    if (arrivedId !== undefined) onPaired?.(arrivedId)
  }, [arrivedId, onPaired])
  if (arrived !== undefined) return <Arrived device={arrived} onClose={onClose} />
  if (error !== null) return <ProblemNote error={error} retry={() => mutate()} />
  if (code === undefined) return <WaitingLines />
  if (Date.parse(code.expiresAt) < nowMs)
    return (
      <div className="fields">
        <p>{t('pairing.expired')}</p>
        <div>
          <Button onClick={() => mutate()}>{t('pairing.newCode')}</Button>
        </div>
      </div>
    )
  const { packaged, checkout } = pairCommand(location.origin, code.code)
  return (
    <div className="pair-device">
      <QrCode text={packaged} />
      <div className="fields">
        <p className="pair-device-code">{code.code}</p>
        <p>{t('pairing.run')}</p>
        <CopyField name={t('pairing.command')} value={packaged} />
        {isLocalHost(location.hostname) && <p>{t('pairing.localAddress', { host: location.hostname })}</p>}
        <p className="small quiet">{t('pairing.fromSource')}</p>
        <CopyField name={t('pairing.sourceCommand')} value={checkout} />
        <p className="small quiet">{t('pairing.phone')}</p>
        <CopyField name={t('pairing.phoneServer')} value={`${location.origin}/api/mobile/v1`} />
        <p className="small quiet">
          {rich('pairing.help', {
            when: <RelativeTime at={code.expiresAt} />,
          })}
        </p>
      </div>
    </div>
  )
}

function Arrived({
  device: { id, name },
  onClose,
}: {
  readonly device: DeviceAnswer
  readonly onClose: (() => void) | undefined
}) {
  return (
    <div className="pair-device-arrived" role="status">
      <Icon name="tick" size={32} />
      <p>{rich('pairing.done', { name })}</p>
      <Button component={Link} href={`/devices/${id}`} onClick={onClose}>
        {t('pairing.show')}
      </Button>
    </div>
  )
}

/** A QR code, dark on light in both colour schemes, because many readers cannot read inverted codes. */
function QrCode({ text }: { readonly text: string }) {
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
