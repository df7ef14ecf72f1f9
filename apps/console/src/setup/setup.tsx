import { Button, NativeSelect } from '@mantine/core'
import type { DeviceAnswer, DeviceDetailAnswer, ModemAnswer } from '@smsgw/contract/device'
import { type ReactNode, useState } from 'react'
import { useDevice, useDevices, useFindings } from '../api/devices.ts'
import { FindingList } from '../devices/finding-list.tsx'
import { simWords } from '../devices/sim-line.tsx'
import { simStateWords } from '../devices/sim-state-words.ts'
import { Icon } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { percentWords } from '../ui/relative-words.ts'
import { useUrlValue } from '../ui/url-value.ts'
import { WaitingLines } from '../ui/waiting-lines.tsx'
import { t } from '../words/text.ts'
import { ComputerStep } from './computer-step.tsx'
import { ModemStep } from './modem-step.tsx'
import { NetworkStep } from './network-step.tsx'
import {
  chosenModem,
  findingsFor,
  pinTriesLeft,
  type SetupState,
  type SetupStep,
  setupState,
  setupSteps,
  shownState,
} from './setup-state.ts'
import { SimStep } from './sim-step.tsx'
import { TestStep } from './test-step.tsx'
import './setup.css'

/** Sets up a modem step by step: the computer, the modem, its SIM, the network, and a test message. */
export default function Setup() {
  const devices = useDevices()
  // Phones are set up in their app.
  const computers = devices.data?.filter(({ isPhone }) => !isPhone)
  const [chosen, choose] = useUrlValue('device', '')
  const computer = computers?.find(({ id }) => id === chosen) ?? computers?.find(isUnfinished) ?? computers?.[0]
  return (
    <Page title={t('setup.title')} about={t('setup.about')}>
      <ProblemNote error={devices.error} retry={() => void devices.refetch()} />
      {computers === undefined && <WaitingLines lines={5} />}
      {computers !== undefined && computers.length > 1 && computer !== undefined && (
        <NativeSelect
          className="setup-choice"
          label={t('setup.computer')}
          value={computer.id}
          onChange={(event) => choose(event.currentTarget.value)}
          data={computers.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      {computers !== undefined &&
        (computer === undefined ? (
          <Steps state={setupState(undefined, undefined)} facts={{}}>
            <ComputerStep device={undefined} known={devices.data ?? []} />
          </Steps>
        ) : (
          <SetupOf key={computer.id} id={computer.id} />
        ))}
    </Page>
  )
}

function isUnfinished({ online, simCards }: DeviceAnswer): boolean {
  return online && !simCards.some(({ state }) => state === 'ready')
}

function SetupOf({ id }: { readonly id: string }) {
  const device = useDevice(id)
  const [chosen, choose] = useUrlValue('sim', '')
  const modem = chosenModem(device.data?.modems ?? [], Number(chosen) || undefined)
  const current = setupState(device.data, modem)
  const [shownBefore, setShown] = useState(current)
  const state = shownState(shownBefore, current)
  if (state.step !== shownBefore.step || state.kind !== shownBefore.kind) setShown(state)
  const findings = useFindings(
    id,
    `${state.step} ${state.kind} ${modem?.simNumber}`,
    device.data?.online ?? false,
    (found) => state.kind !== 'pin' || pinTriesLeft(modem, found) !== undefined,
  )
  if (device.data === undefined)
    return device.error === null ? (
      <WaitingLines lines={5} />
    ) : (
      <ProblemNote error={device.error} retry={() => void device.refetch()} />
    )
  const shown = findings.data === undefined ? [] : findingsFor(state, modem, findings.data.findings)
  return (
    <>
      {device.data.modems.length > 1 && (
        <NativeSelect
          className="setup-choice"
          label={t('setup.whichModem')}
          value={modem?.simNumber}
          onChange={(event) => choose(event.currentTarget.value)}
          data={device.data.modems.flatMap(({ simNumber, model, state: simState }) =>
            simNumber === undefined
              ? []
              : [
                  {
                    value: String(simNumber),
                    label: [simWords(simNumber, undefined), model, simStateWords(simState)].filter(Boolean).join(' · '),
                  },
                ],
          )}
        />
      )}
      <Steps state={state} facts={factsOf(device.data, modem)}>
        <StepBody
          device={device.data}
          modem={modem}
          state={state}
          triesLeft={pinTriesLeft(modem, findings.data?.findings ?? [])}
        />
        {device.data.online && (
          <>
            {shown.length > 0 && <FindingList findings={shown} />}
            <ProblemNote error={findings.error} />
            {state.step !== 'test' && state.kind !== 'pin' && (
              <Button
                className="setup-check"
                variant="default"
                size="xs"
                loading={findings.isFetching}
                onClick={() => void findings.refetch()}
              >
                {t('setup.checkAgain')}
              </Button>
            )}
          </>
        )}
      </Steps>
    </>
  )
}

function StepBody({
  device,
  modem,
  state,
  triesLeft,
}: {
  readonly device: DeviceDetailAnswer
  readonly modem: ModemAnswer | undefined
  readonly state: SetupState
  readonly triesLeft: number | undefined
}) {
  if (state.step === 'computer' || modem === undefined)
    return state.step === 'computer' ? (
      <ComputerStep device={device} known={[]} />
    ) : (
      <ModemStep device={device} modem={undefined} kind="missing" />
    )
  switch (state.step) {
    case 'modem':
      return <ModemStep device={device} modem={modem} kind={state.kind} />
    case 'sim':
      return <SimStep deviceId={device.id} modem={modem} kind={state.kind} triesLeft={triesLeft} />
    case 'network':
      return <NetworkStep deviceId={device.id} modem={modem} kind={state.kind} />
    case 'test':
      return <TestStep device={device} modem={modem} name={nameOf(modem)} />
  }
}

type Facts = Readonly<Partial<Record<SetupStep, string>>>

/** What is known about each step that is done. */
function factsOf(device: DeviceDetailAnswer, modem: ModemAnswer | undefined): Facts {
  const sim = device.simCards.find(({ simNumber }) => simNumber === modem?.simNumber)
  const number = sim?.phoneNumber && `\u2068${sim.phoneNumber}\u2069`
  return {
    computer: device.name,
    ...(modem && { modem: joined(modelOf(modem), sim?.isEmulated ? t('device.emulated') : undefined) }),
    ...(sim && { sim: joined(simWords(sim.simNumber, sim.name), number) }),
    ...(modem && {
      network: joined(
        modem.operator ?? sim?.carrierName,
        modem.signal === undefined ? undefined : `${t('device.signal')} ${percentWords(modem.signal)}`,
      ),
    }),
  }
}

function joined(...words: readonly (string | undefined)[]): string {
  return words.filter(Boolean).join(' · ')
}

function nameOf(modem: ModemAnswer): string {
  return modelOf(modem) || t('modem.title')
}

/** Empty while the modem has not yet told its model, for example because its SIM is locked. */
function modelOf({ manufacturer, model }: ModemAnswer): string {
  return [manufacturer, model].filter(Boolean).join(' ')
}

function Steps({
  state,
  facts,
  children,
}: {
  readonly state: SetupState
  readonly facts: Facts
  readonly children: ReactNode
}) {
  const at = setupSteps.indexOf(state.step)
  return (
    <ol className="setup-steps panel">
      {setupSteps.map((step, index) => (
        <li
          key={step}
          data-state={index < at ? 'done' : index === at ? 'current' : 'todo'}
          aria-current={index === at ? 'step' : undefined}
        >
          <span className="setup-mark">
            {index < at ? <Icon name="tick" size={14} /> : <span aria-hidden="true">{index + 1}</span>}
            <span className="unseen">{index < at ? t('checklist.done') : t('checklist.toDo')}</span>
          </span>
          <div>
            <h2>{t(`setupStep.${step}`)}</h2>
            {index < at && facts[step] && <p className="small quiet">{facts[step]}</p>}
            {index === at && <div className="setup-body">{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  )
}
