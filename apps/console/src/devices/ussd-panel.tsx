import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { SimCardAnswer } from '@smsgw/contract/devices/device'
import { useState } from 'react'
import { useUssd } from '../api/devices.ts'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { t } from '../words/text.ts'
import './ussd-panel.css'

interface Line {
  readonly id: number
  readonly from: 'here' | 'network'
  readonly text: string
}

/** A USSD session with the network. */
export function UssdPanel({ id, sims }: { readonly id: string; readonly sims: readonly SimCardAnswer[] }) {
  const ussd = useUssd(id)
  const problems = useFieldProblems(ussd.error, ['code'])
  const [code, setCode] = useState('')
  const [simNumber, setSimNumber] = useState(String(sims[0]?.simNumber ?? 1))
  const [lines, setLines] = useState<readonly Line[]>([])
  const session = ussd.data?.more === true ? ussd.data.sessionId : undefined
  const say = (from: Line['from'], text: string) => setLines((all) => [...all, { id: all.length, from, text }])
  const ask = () => {
    say('here', code)
    ussd.mutate(
      { code, simNumber: Number(simNumber), ...(session !== undefined && { sessionId: session }) },
      { onSuccess: ({ text }) => say('network', text) },
    )
    setCode('')
  }
  return (
    <Panel title={t('ussd.title')} about={t('ussd.about')}>
      {lines.length > 0 && (
        <div className="ussd-lines" role="log" aria-label={t('ussd.log')}>
          {lines.map(({ id: key, from, text }) => (
            <p key={key} className={`is-${from}`} dir="auto">
              {text}
            </p>
          ))}
        </div>
      )}
      <ProblemNote error={problems.rest} />
      <form
        ref={problems.form}
        className="fields-row"
        // Switches off the checks of the browser, because the API describes problems of the fields in the language of
        // the console.
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        {sims.length > 1 && (
          <NativeSelect
            label={t('common.sim')}
            data={sims.map((sim) => ({
              value: String(sim.simNumber),
              label: t('common.simNumber', { number: sim.simNumber }),
            }))}
            value={simNumber}
            onChange={(event) => setSimNumber(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={session === undefined ? t('ussd.code') : t('ussd.reply')}
          dir="ltr"
          placeholder={session === undefined ? '*100#' : '1'}
          required
          withAsterisk={false}
          autoComplete="off"
          error={problems.of('code')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={ussd.isPending} disabled={sims.length === 0}>
          {session === undefined ? t('common.send') : t('ussd.reply')}
        </Button>
      </form>
    </Panel>
  )
}
