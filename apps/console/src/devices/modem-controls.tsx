import { Button, Checkbox, PasswordInput } from '@mantine/core'
import type { EnteredPinAnswer } from '@smsgw/contract/devices/device'
import { useState } from 'react'
import { useEnterPin, useRestartModem } from '../api/devices.ts'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { NoteBox, ProblemNote } from '../ui/problem-note.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { t } from '../words/text.ts'
import { modemProblemWords } from './finding-words.ts'

interface ModemPlace {
  readonly deviceId: string
  readonly simNumber: number
}

/** Asks for the PIN of a locked SIM, and shows how many attempts are left after a wrong PIN. */
export function PinForm({ deviceId, simNumber }: ModemPlace) {
  const enter = useEnterPin(deviceId, (number, code) => {
    const isSet = code === 'pin.set-on-machine'
    void showToast(isSet ? t('modem.pinSetOnMachine', { number }) : t('modem.pinNotSaved', { number }))
  })
  const [pin, setPin] = useState('')
  const [isSaved, setSaved] = useState(true)
  const problems = useFieldProblems(enter.error, ['pin'])
  const refused = enter.data?.unlocked === false ? enter.data : undefined
  return (
    <form
      ref={problems.form}
      className="fields"
      // Switches off the checks of the browser, because the API describes problems of the fields in the language of the
      // console.
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        enter.mutate({ simNumber, pin, save: isSaved }, { onSuccess: () => setPin('') })
      }}
    >
      <PasswordInput
        label={t('modem.pin')}
        description={t('modem.pinHelp')}
        inputMode="numeric"
        autoComplete="off"
        pattern="[0-9]{4,8}"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ 'aria-label': t('modem.showPin') }}
        readOnly={enter.isPending}
        error={problems.of('pin')}
        value={pin}
        onChange={(event) => setPin(event.currentTarget.value)}
      />
      {refused !== undefined && (
        <div role="alert">
          <NoteBox tone="bad">
            <RefusedPin refused={refused} />
            {refused.triesLeft !== undefined && <p>{t('modem.pinTriesLeft', { count: refused.triesLeft })}</p>}
          </NoteBox>
        </div>
      )}
      <Checkbox
        label={t('modem.pinSave')}
        description={t('modem.pinSaveHelp')}
        checked={isSaved}
        onChange={(event) => setSaved(event.currentTarget.checked)}
      />
      <ProblemNote error={problems.rest} />
      <div className="page-actions">
        <Button type="submit" size="xs" loading={enter.isPending}>
          {t('modem.enterPin')}
        </Button>
      </div>
    </form>
  )
}

function RefusedPin({ refused: { code, reason } }: { readonly refused: EnteredPinAnswer }) {
  const words = modemProblemWords(code)
  if (words !== undefined) return <p>{[words.text, words.advice].filter((each) => each !== undefined).join(' ')}</p>
  return (
    <p lang="en" dir="auto">
      {reason}
    </p>
  )
}

export function RestartModem({ deviceId, simNumber }: ModemPlace) {
  const restart = useRestartModem(deviceId)
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t('modem.restart')}
      </Button>
      <AskFirst
        title={t('modem.restartTitle', { number: simNumber })}
        action={t('modem.restart')}
        isHarmless
        isOpen={isAsking}
        deed={restart}
        onYes={() =>
          restart.mutate(simNumber, {
            onSuccess: () => {
              setAsking(false)
              void showToast(t('modem.restarting'))
            },
          })
        }
        onClose={() => setAsking(false)}
      >
        {t('modem.restartHelp')}
      </AskFirst>
    </>
  )
}
