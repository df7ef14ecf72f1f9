import { Button } from '@mantine/core'
import type { DeviceDetailAnswer } from '@smsgw/contract/devices/device'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useDeleteDevice, useDevice, useExamineDevice } from '../api/devices.ts'
import { useSignedIn } from '../session-context.ts'
import { setupPathOf } from '../setup/setup-path.ts'
import { BackLink } from '../shell/back-link.tsx'
import { Badge } from '../ui/badge.tsx'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { destructive } from '../ui/dialogs/destructive.ts'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Facts, Page, Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { durationWords, sizeWords } from '../ui/values/relative-words.ts'
import { rich, t } from '../words/text.ts'
import { DeviceHistory } from './device-history.tsx'
import { EncryptionKeyFacts } from './encryption-key.tsx'
import { FindingList } from './finding-list.tsx'
import { ModemCard } from './modem-card.tsx'
import { RenameDevice } from './rename-device.tsx'
import { SimLine } from './sim-line.tsx'
import { UssdPanel } from './ussd-panel.tsx'
import './devices.css'
import './device-page.css'

/** One device: its modems, history, diagnostics and recent errors. */
export default function DevicePage({ id }: { readonly id: string }) {
  const device = useDevice(id)
  return (
    <Page
      title={device.data?.name ?? t('common.device')}
      back={<BackLink list="/devices" />}
      about={device.data && <Standing device={device.data} />}
      actions={
        device.data && (
          <>
            <RenameDevice device={device.data} />
            <RemoveDevice device={device.data} />
          </>
        )
      }
    >
      <ProblemNote error={device.error} retry={() => void device.refetch()} />
      {device.isPending && <WaitingLines lines={6} />}
      {device.data?.isPhone && (
        <>
          <PhoneFacts device={device.data} />
          <EncryptionKeyFacts device={device.data} />
        </>
      )}
      {device.data && !device.data.isPhone && (
        <>
          <div className="modem-cards">
            {device.data.modems.map((modem, at) => (
              <ModemCard
                deviceId={id}
                isOfEmulated={device.data.isEmulated}
                key={modem.simNumber ?? `slot ${at}`}
                modem={modem}
                sim={device.data.simCards.find(({ simNumber }) => simNumber === modem.simNumber)}
              />
            ))}
          </div>
          {device.data.modems.length === 0 && <p className="quiet">{t('device.noModems')}</p>}
          {!device.data.modems.some(({ state }) => state === 'ready') && (
            <div>
              <Button component={Link} href={setupPathOf(id)}>
                {t('setup.title')}
              </Button>
            </div>
          )}
          <DeviceHistory id={id} />
          <Panel title={t('device.agent')}>
            <AgentFacts device={device.data} />
          </Panel>
          <EncryptionKeyFacts device={device.data} />
          <ExamineDevice id={id} isOnline={device.data.online} />
          <UssdPanel id={id} sims={device.data.simCards} />
          <LastErrors device={device.data} />
        </>
      )}
    </Page>
  )
}

/** The facts about a phone, which reports neither modems nor telemetry, and runs no diagnostics. */
function PhoneFacts({ device }: { readonly device: DeviceDetailAnswer }) {
  return (
    <Panel title={t('device.phone')}>
      <p className="quiet">{t('device.phoneHelp')}</p>
      {device.simCards.map((sim) => (
        <SimLine key={sim.simNumber} sim={sim} />
      ))}
      <AgentFacts device={device} />
      <LastErrors device={device} />
    </Panel>
  )
}

function Standing({
  device: { online, connectedSince, lastSeen, isEmulated },
}: {
  readonly device: DeviceDetailAnswer
}) {
  return online ? (
    <span className="device-standing">
      {isEmulated && <Badge tone="quiet">{t('device.emulated')}</Badge>}
      <Badge tone="good">{t('device.online')}</Badge>
      {connectedSince !== undefined && (
        <span>{rich('device.onlineSince', { when: <RelativeTime at={connectedSince} /> })}</span>
      )}
    </span>
  ) : (
    <span className="device-standing">
      {isEmulated && <Badge tone="quiet">{t('device.emulated')}</Badge>}
      <Badge tone="bad">{t('device.offline')}</Badge>
      <span>{rich('device.lastSeen', { when: <RelativeTime at={lastSeen} /> })}</span>
    </span>
  )
}

function AgentFacts({
  device: { version, platform, queue, journal, createdAt, id },
}: {
  readonly device: DeviceDetailAnswer
}) {
  return (
    <Facts
      of={[
        [t('device.version'), version],
        [t('device.platform'), platform],
        [t('device.waiting'), queue && messagesWords(queue.pending)],
        [t('device.withDevice'), queue && messagesWords(queue.processed)],
        [t('device.journal'), journal?.sizeBytes === undefined ? undefined : sizeWords(journal.sizeBytes)],
        [t('device.diskWrite'), journal?.fsyncMs === undefined ? undefined : durationWords(journal.fsyncMs)],
        [t('device.paired'), <RelativeTime key="paired" at={createdAt} />],
        [t('common.id'), <code key="id">{id}</code>],
      ]}
    />
  )
}

function messagesWords(count: number): string {
  return t('common.messages', { count })
}

function RemoveDevice({ device: { id, name, isPhone } }: { readonly device: DeviceDetailAnswer }) {
  const { mode } = useSignedIn()
  const [, goTo] = useLocation()
  const [isAsking, setAsking] = useState(false)
  const remove = useDeleteDevice()
  // Offers no removal of the built-in device of a gateway, because it cannot be removed.
  if (mode === 'local' && !isPhone) return null
  return (
    <>
      <Button {...destructive} onClick={() => setAsking(true)}>
        {t('device.remove')}
      </Button>
      <AskFirst
        title={t('device.removeTitle', { name })}
        action={t('device.remove')}
        isOpen={isAsking}
        deed={remove}
        onYes={() => remove.mutate(id, { onSuccess: () => goTo('/devices') })}
        onClose={() => setAsking(false)}
      >
        {isPhone ? t('device.removePhoneHelp') : t('device.removeHelp')}
      </AskFirst>
    </>
  )
}

/** Runs diagnostics on the device and lists the results, problems first. */
function ExamineDevice({ id, isOnline }: { readonly id: string; readonly isOnline: boolean }) {
  const examine = useExamineDevice(id)
  return (
    <Panel
      title={t('diagnostics.title')}
      about={t('diagnostics.about')}
      actions={
        <Button variant="default" disabled={!isOnline} loading={examine.isPending} onClick={() => examine.mutate()}>
          {t('diagnostics.run')}
        </Button>
      }
    >
      {!isOnline && <p className="quiet small">{t('diagnostics.offline')}</p>}
      <ProblemNote error={examine.error} />
      {examine.data && (
        <>
          <FindingList findings={examine.data.findings} />
          <p className="small quiet">
            {rich('diagnostics.checkedAt', { when: <RelativeTime at={examine.data.checkedAt} /> })}
          </p>
        </>
      )}
    </Panel>
  )
}

/** Recent errors that the device reported. */
function LastErrors({ device: { lastErrors } }: { readonly device: DeviceDetailAnswer }) {
  if (lastErrors.length === 0) return null
  return (
    <Panel title={t('device.lastErrors')}>
      <table className="list-table">
        <thead>
          <tr>
            <th>{t('device.errorTime')}</th>
            <th>{t('device.errorModule')}</th>
            <th>{t('device.errorMessage')}</th>
          </tr>
        </thead>
        <tbody>
          {lastErrors.map(({ at, module, message }) => (
            <tr key={at + message}>
              <td>
                <RelativeTime at={at} />
              </td>
              <td className="quiet" lang="en" dir="ltr">
                {module}
              </td>
              <td lang="en" dir="ltr">
                {message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
