import { Link } from 'wouter'
import { useDevices } from '../../api/devices.ts'
import { useLiveState } from '../../api/live/live-updates.ts'
import { SignalBars } from '../../ui/signal-bars.tsx'
import { lineWords } from './line-words.ts'
import './line-state.css'

/** Summary of connection, modems and signal. */
export function LineState({ isShort = false }: { readonly isShort?: boolean }) {
  const live = useLiveState()
  const { data: devices } = useDevices()
  const { tone, title, detail, signal } = lineWords(live, devices)
  return (
    <Link href="/devices" className={isShort ? 'line-state is-short' : 'line-state'} data-tone={tone}>
      <SignalBars signal={signal} />
      <span className={isShort ? 'unseen' : 'line-state-words'}>
        <b>{title}</b>
        <span>{detail}</span>
      </span>
    </Link>
  )
}
