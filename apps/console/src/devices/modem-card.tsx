import type { ModemAnswer, SimCardAnswer } from '@smsgw/contract/devices/device'
import { signalWords } from '../shell/line-state/line-words.ts'
import { Badge } from '../ui/badge.tsx'
import { Facts, Panel } from '../ui/page.tsx'
import { NoteBox } from '../ui/problem-note.tsx'
import { SignalBars } from '../ui/signal-bars.tsx'
import { numberWords, percentWords } from '../ui/values/relative-words.ts'
import { optionalText, t } from '../words/text.ts'
import { modemProblemWords } from './finding-words.ts'
import { PinForm, RestartModem } from './modem-controls.tsx'
import { simWords } from './sim-line.tsx'
import { simStateWords } from './sim-state-words.ts'

/** A modem and the SIM in it. */
export function ModemCard({
  deviceId,
  modem,
  sim,
  isOfEmulated = false,
}: {
  readonly deviceId: string
  readonly modem: ModemAnswer
  readonly sim: SimCardAnswer | undefined
  /** True if the page shows that the whole device is virtual. */
  readonly isOfEmulated?: boolean | undefined
}) {
  const {
    simNumber,
    state,
    model,
    manufacturer,
    firmware,
    imei,
    technology,
    registration,
    recoverySteps,
    lastError,
    lastErrorCode,
  } = modem
  const signal = modem.signal ?? sim?.signal
  return (
    <Panel
      title={simNumber === undefined ? (model ?? t('modem.title')) : simWords(simNumber, sim?.name)}
      about={[manufacturer, model].filter((word) => word !== undefined).join(' ')}
      actions={<Badge tone={state === 'ready' ? 'good' : 'warn'}>{simStateWords(state)}</Badge>}
    >
      <div className="modem-signal">
        <SignalBars signal={signal} />
        <b>{signal === undefined ? '–' : percentWords(signal)}</b>
        <span className="quiet">
          {signalWords(signal)}
          {modem.signalDbm !== undefined &&
            ` (${t('modem.dbm', { value: String(modem.signalDbm).replace('-', '−') })})`}
        </span>
      </div>
      <Facts
        of={[
          [t('modem.type'), sim?.isEmulated && !isOfEmulated ? t('device.emulated') : undefined],
          [t('modem.network'), modem.operator ?? sim?.carrierName],
          [t('modem.technology'), technology],
          [t('modem.registration'), registration && (optionalText(`registration.${registration}`) ?? registration)],
          [t('modem.number'), sim?.phoneNumber && <bdi>{sim.phoneNumber}</bdi>],
          [t('modem.iccid'), sim?.iccid && <span className="mono">{sim.iccid}</span>],
          [
            t('modem.imei'),
            imei && (
              <bdi className="mono" dir="ltr">
                …{imei}
              </bdi>
            ),
          ],
          [t('modem.firmware'), firmware && <span className="mono">{firmware}</span>],
          [t('modem.recoverySteps'), recoverySteps ? numberWords(recoverySteps) : undefined],
          [t('modem.storage'), <Storage key="storage" modem={modem} />],
        ]}
      />
      {simNumber !== undefined && state === 'locked' && (
        <PinForm key={simNumber} deviceId={deviceId} simNumber={simNumber} />
      )}
      {lastError !== undefined && <ModemProblem text={lastError} code={lastErrorCode} />}
      {simNumber !== undefined && (
        <div className="page-actions">
          <RestartModem deviceId={deviceId} simNumber={simNumber} />
        </div>
      )}
    </Panel>
  )
}

/** The current problem of a modem. An older agent reports it only in English. */
export function ModemProblem({ text, code }: { readonly text: string; readonly code: string | undefined }) {
  const words = modemProblemWords(code)
  return (
    <NoteBox tone="warn">
      {words === undefined ? (
        <p lang="en" dir="auto">
          {text}
        </p>
      ) : (
        <>
          <p>{words.text}</p>
          {words.advice !== undefined && <p>{words.advice}</p>}
        </>
      )}
    </NoteBox>
  )
}

function Storage({ modem: { storageUsed, storageTotal } }: { readonly modem: ModemAnswer }) {
  if (storageUsed === undefined || storageTotal === undefined) return t('modem.storageUnknown')
  const words = t('modem.storageUsed', { used: storageUsed, total: storageTotal })
  return (
    <>
      {words}
      <meter className="storage-bar" min={0} max={storageTotal} value={storageUsed} aria-label={t('modem.storage')} />
    </>
  )
}
