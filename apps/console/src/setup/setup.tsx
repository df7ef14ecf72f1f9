import { Button, NativeSelect } from '@mantine/core'
import type { DeviceAnswer, DeviceDetailAnswer, ModemAnswer } from '@smsgw/contract/devices/device'
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useDevice, useDevices, useFindings } from '../api/devices.ts'
import { FindingList } from '../devices/finding-list.tsx'
import { simWords } from '../devices/sim-line.tsx'
import { simStateWords } from '../devices/sim-state-words.ts'
import { BackLink } from '../shell/back-link.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { useIsLate } from '../ui/use-is-late.ts'
import { Dotted } from '../ui/values/dotted.tsx'
import { percentWords } from '../ui/values/relative-words.ts'
import { useUrlValue } from '../ui/values/url-value.ts'
import { t } from '../words/text.ts'
import { ComputerStep } from './computer-step.tsx'
import { ModemStep, NetworkStep } from './modem-step.tsx'
import {
  chosenModem,
  computerToSetUp,
  findingsFor,
  isSameState,
  pinTriesLeft,
  type SetupState,
  type SetupStep,
  type ShownState,
  setupState,
  setupSteps,
  shownSimState,
  shownState,
} from './setup-state.ts'
import { SimStep } from './sim-step.tsx'
import { TestStep } from './test-step.tsx'
import './setup.css'

/** Sets up a modem step by step: the computer, the modem, its SIM, the network, and a test message. */
export default function Setup() {
  const devices = useDevices()
  // Leaves out phones, because they are set up in their app.
  const computers = devices.data?.filter(({ isPhone }) => !isPhone)
  const [chosen, choose] = useUrlValue('device', '', undefined, ['sim', 'message'])
  // Keeps showing this computer when another computer becomes ready.
  const [first, setFirst] = useState<string>()
  const usual = computerToSetUp(computers ?? [])
  if (first === undefined && usual !== undefined) setFirst(usual.id)
  const computer = [chosen, first].flatMap((wanted) => computers?.find(({ id }) => id === wanted) ?? [])[0] ?? usual
  const [step, setStep] = useState<SetupStep>()
  return (
    <Page title={t('setup.title')} back={<BackLink list="/devices" />} about={t('setup.about')}>
      <p role="status" className="unseen">
        {step !== undefined &&
          t('setup.progress', {
            number: setupSteps.indexOf(step) + 1,
            total: setupSteps.length,
            step: t(`setupStep.${step}`),
          })}
      </p>
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
          <Steps state={setupState(undefined, undefined)} facts={{}} onStep={setStep}>
            <ComputerStep device={undefined} known={computers} onPaired={choose} />
          </Steps>
        ) : (
          <SetupOf key={computer.id} id={computer.id} computers={computers} onPaired={choose} onStep={setStep} />
        ))}
    </Page>
  )
}

interface Pairable {
  readonly computers: readonly DeviceAnswer[]
  readonly onPaired: (id: string) => void
}

function SetupOf({
  id,
  computers,
  onPaired,
  onStep,
}: Pairable & { readonly id: string; readonly onStep: (step: SetupStep) => void }) {
  const device = useDevice(id)
  const [chosen, choose] = useUrlValue('sim', '', undefined, ['message'])
  const [shownBefore, setShown] = useState<ShownState>({ simNumber: undefined, state: unknownState })
  const modem = chosenModem(device.data?.modems ?? [], Number(chosen) || undefined, shownBefore.simNumber)
  const current: ShownState = { simNumber: modem?.simNumber, state: setupState(device.data, modem) }
  const isHeld = !isSameState(shownState(shownBefore, current), current)
  const nowShown = useIsLate(isHeld, longestStartMs) ? current : shownState(shownBefore, current)
  if (!isSameState(nowShown, shownBefore)) setShown(nowShown)
  const { state } = nowShown
  // Keeps the number here, because the form is removed when the modem loses its network for a moment.
  const [phone, setPhone] = useState<string>()
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
      <Steps state={state} facts={factsOf(device.data, modem)} onStep={onStep}>
        <StepBody
          device={device.data}
          modem={modem}
          state={state}
          triesLeft={pinTriesLeft(modem, findings.data?.findings ?? [])}
          computers={computers}
          onPaired={onPaired}
          phone={phone}
          onPhone={setPhone}
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

const unknownState = setupState(undefined, undefined)
/** How long a modem may start before a hint is shown. Most modems start within a minute. */
const longestStartMs = 90_000

function StepBody({
  device,
  modem,
  state,
  triesLeft,
  computers,
  onPaired,
  phone,
  onPhone,
}: Pairable & {
  readonly device: DeviceDetailAnswer
  readonly modem: ModemAnswer | undefined
  readonly state: SetupState
  readonly triesLeft: number | undefined
  readonly phone: string | undefined
  readonly onPhone: (phone: string) => void
}) {
  if (state.step === 'computer' || modem === undefined)
    return state.step === 'computer' ? (
      <ComputerStep device={device} known={computers} onPaired={onPaired} />
    ) : (
      <ModemStep device={device} modem={undefined} simState="absent" kind="missing" />
    )
  const simState = shownSimState(device, modem)
  switch (state.step) {
    case 'modem':
      return <ModemStep device={device} modem={modem} simState={simState} kind={state.kind} />
    case 'sim':
      return <SimStep deviceId={device.id} modem={modem} simState={simState} kind={state.kind} triesLeft={triesLeft} />
    case 'network':
      return <NetworkStep deviceId={device.id} modem={modem} kind={state.kind} />
    case 'test':
      return <TestStep device={device} modem={modem} name={nameOf(modem)} phone={phone} onPhone={onPhone} />
  }
}

type Facts = Readonly<Partial<Record<SetupStep, readonly string[]>>>

/** Returns short facts for each step that is done. */
function factsOf(device: DeviceDetailAnswer, modem: ModemAnswer | undefined): Facts {
  const sim = device.simCards.find(({ simNumber }) => simNumber === modem?.simNumber)
  const number = sim?.phoneNumber && `\u2068${sim.phoneNumber}\u2069`
  return {
    computer: [device.name],
    ...(modem && { modem: known(modelOf(modem), sim?.isEmulated ? t('device.emulated') : undefined) }),
    ...(sim && { sim: known(simWords(sim.simNumber, sim.name), number) }),
    ...(modem && {
      network: known(
        modem.operator ?? sim?.carrierName,
        modem.signal === undefined ? undefined : `${t('device.signal')} ${percentWords(modem.signal)}`,
      ),
    }),
  }
}

function known(...words: readonly (string | undefined)[]): readonly string[] {
  return words.filter((word): word is string => word !== undefined && word !== '')
}

function nameOf(modem: ModemAnswer): string {
  return modelOf(modem) || t('modem.title')
}

/**
 * Returns the model. Returns an empty text until the modem has reported its model, for example while its SIM is locked.
 */
function modelOf({ manufacturer, model }: ModemAnswer): string {
  return [manufacturer, model].filter(Boolean).join(' ')
}

function Steps({
  state,
  facts,
  onStep,
  children,
}: {
  readonly state: SetupState
  readonly facts: Facts
  readonly onStep: (step: SetupStep) => void
  readonly children: ReactNode
}) {
  const at = setupSteps.indexOf(state.step)
  const { heading, body } = useStepFocus(state.step)
  useEffect(() => onStep(state.step), [state.step, onStep])
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
            <h2 ref={index === at ? heading : undefined} tabIndex={-1}>
              {t(`setupStep.${step}`)}
            </h2>
            {index < at && (facts[step]?.length ?? 0) > 0 && (
              <p className="small quiet">
                <Dotted>{facts[step]}</Dotted>
              </p>
            )}
            {index === at && (
              <div className="setup-body" {...body}>
                {children}
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

/**
 * Moves the focus to the heading of the current step when the focus was in the body of the previous step, which was
 * removed.
 */
function useStepFocus(step: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  const wasInBody = useRef(false)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    if (wasInBody.current && document.activeElement === document.body) heading.current?.focus()
    wasInBody.current = false
  }, [step])
  return {
    heading,
    body: {
      onFocus: () => {
        wasInBody.current = true
      },
      // The step still counts as focused if no other element gets the focus, for example if a button loses the focus
      // because it is disabled.
      onBlur: ({ relatedTarget, currentTarget }: FocusEvent) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) wasInBody.current = false
      },
    },
  }
}
