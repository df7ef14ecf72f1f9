import { Button, PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { useEnterPin, useRestartModem } from '../api/devices.ts'
import { AskFirst } from '../ui/ask-first.tsx'
import { Note, ProblemNote } from '../ui/problem-note.tsx'
import { showToast } from '../ui/toasts.tsx'
import { t } from '../words/text.ts'

interface ModemPlace {
  readonly deviceId: string
  readonly simNumber: number
}

/** Asks for the PIN of a locked SIM, and shows how many attempts are left after a wrong one. */
export function PinForm({ deviceId, simNumber }: ModemPlace) {
  const enter = useEnterPin(deviceId)
  const [pin, setPin] = useState('')
  const refused = enter.data?.unlocked === false ? enter.data : undefined
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        enter.mutate({ simNumber, pin })
        setPin('')
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
        value={pin}
        onChange={(event) => setPin(event.currentTarget.value)}
      />
      {refused !== undefined && (
        <Note tone="bad">
          <p>{refused.reason}</p>
          {refused.triesLeft !== undefined && <p>{t('modem.pinTriesLeft', { count: refused.triesLeft })}</p>}
        </Note>
      )}
      <ProblemNote error={enter.error} />
      <div className="page-actions">
        <Button type="submit" size="xs" loading={enter.isPending}>
          {t('modem.enterPin')}
        </Button>
      </div>
    </form>
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
