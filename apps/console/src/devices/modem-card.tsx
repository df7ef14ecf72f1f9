import type { ModemAnswer, SimCardAnswer } from '@smsgw/contract/device'
import { signalWords } from '../shell/line-words.ts'
import { Badge } from '../ui/badge.tsx'
import { Facts, Panel } from '../ui/page.tsx'
import { Note } from '../ui/problem-note.tsx'
import { SignalBars } from '../ui/signal-bars.tsx'
import { simStateWords } from './sim-state-words.ts'

/** A modem and the SIM in it. */
export function ModemCard({ modem, sim }: { readonly modem: ModemAnswer; readonly sim: SimCardAnswer | undefined }) {
  const { simNumber, state, model, manufacturer, firmware, imei, technology, registration, recoverySteps, lastError } =
    modem
  const signal = modem.signal ?? sim?.signal
  return (
    <Panel
      title={simNumber === undefined ? (model ?? 'Modem') : `SIM ${simNumber}`}
      about={[manufacturer, model].filter((word) => word !== undefined).join(' ')}
      actions={<Badge tone={state === 'ready' ? 'good' : 'warn'}>{simStateWords(state)}</Badge>}
    >
      <div className="modem-signal">
        <SignalBars signal={signal} />
        <b>{signal === undefined ? '–' : `${signal} %`}</b>
        <span className="quiet">
          {signalWords(signal)}
          {modem.signalDbm !== undefined && `, ${modem.signalDbm} dBm`}
        </span>
      </div>
      <Facts
        of={[
          ['Kind', sim?.isEmulated && 'Emulated'],
          ['Network', modem.operator ?? sim?.carrierName],
          ['Technology', technology],
          ['Registration', registration],
          ['Number', sim?.phoneNumber],
          ['ICCID', sim?.iccid && <span className="mono">{sim.iccid}</span>],
          ['IMEI', imei && <span className="mono">…{imei}</span>],
          ['Firmware', firmware && <span className="mono">{firmware}</span>],
          ['Recovery steps taken', recoverySteps === undefined ? undefined : String(recoverySteps)],
          ['Memory of the SIM', <Storage key="storage" modem={modem} />],
        ]}
      />
      {lastError !== undefined && <Note tone="warn">{lastError}</Note>}
    </Panel>
  )
}

function Storage({ modem: { storageUsed, storageTotal } }: { readonly modem: ModemAnswer }) {
  if (storageUsed === undefined || storageTotal === undefined) return 'unknown'
  const words = `${storageUsed} of ${storageTotal} used`
  return (
    <>
      {words}
      <meter className="storage-bar" min={0} max={storageTotal} value={storageUsed} aria-label={words} />
    </>
  )
}
