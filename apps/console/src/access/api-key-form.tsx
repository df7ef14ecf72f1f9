import { Button, Checkbox, NumberInput, Textarea, TextInput } from '@mantine/core'
import type { KeyLimits } from '@smsgw/contract/access/api-key'
import type { ReactNode } from 'react'
import { useDevices } from '../api/devices.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { directionOf, t } from '../words/text.ts'
import { type LimitFields, limitsOf, type SimChoice, simChoices } from './api-key-fields.ts'

/** The members of a request whose problems are shown beside their fields. */
const shownMembers = [
  'name',
  'limits.sims',
  'limits.recipients',
  'limits.recipientsPerDay',
  'limits.approval',
  'expiresAt',
]

export interface KeyFields extends LimitFields {
  readonly name: string
}

/** Name and limits of a new key or an existing one. `children` are the fields that only a new key has. */
export function ApiKeyForm({
  fields,
  onChange,
  action,
  isReady = true,
  save,
  onSave,
  children,
}: {
  readonly fields: KeyFields
  readonly onChange: (fields: KeyFields) => void
  /** Text of the button. */
  readonly action: string
  readonly isReady?: boolean
  readonly save: { readonly isPending: boolean; readonly error: Error | null }
  readonly onSave: (key: { readonly name: string; readonly limits: KeyLimits }) => void
  readonly children?: ReactNode
}) {
  const problems = useFieldProblems(save.error, shownMembers)
  const change = (part: Partial<KeyFields>) => onChange({ ...fields, ...part })
  return (
    <form
      ref={problems.form}
      className="fields"
      // Switches off the checks of the browser, because the API describes problems of the fields in the language of the
      // console.
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSave({ name: fields.name, limits: limitsOf(fields) })
      }}
    >
      <TextInput
        dir={directionOf(fields.name)}
        label={t('field.name')}
        description={t('keys.nameHelp')}
        maxLength={64}
        data-autofocus
        error={problems.of('name')}
        value={fields.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      {children}
      <Checkbox
        label={t('field.approval')}
        description={t('keys.approvalHelp')}
        error={problems.of('limits.approval')}
        checked={fields.needsApproval}
        onChange={(event) => change({ needsApproval: event.currentTarget.checked })}
      />
      <NumberInput
        label={t('field.recipientsPerDay')}
        description={t('keys.perDayHelp')}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        hideControls
        error={problems.of('limits.recipientsPerDay')}
        value={fields.recipientsPerDay ?? ''}
        onChange={(value) => change({ recipientsPerDay: value === '' ? undefined : Number(value) })}
      />
      <Textarea
        dir="ltr"
        label={t('field.recipients')}
        description={t('keys.recipientsHelp')}
        rows={2}
        autoComplete="off"
        error={problems.of('limits.recipients')}
        value={fields.recipients}
        onChange={(event) => change({ recipients: event.currentTarget.value })}
      />
      <Sims chosen={fields.sims} error={problems.of('limits.sims')} onChange={(sims) => change({ sims })} />
      <ProblemNote error={problems.rest} />
      <div className="page-actions">
        <Button type="submit" disabled={!isReady} loading={save.isPending}>
          {action}
        </Button>
      </div>
    </form>
  )
}

function Sims({
  chosen,
  error,
  onChange,
}: {
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}) {
  const { data: devices = [] } = useDevices()
  const choices = simChoices(devices, chosen)
  const isIncluded = ({ deviceId, simNumber }: SimChoice) =>
    simNumber !== undefined &&
    choices.some((one) => one.deviceId === deviceId && one.simNumber === undefined && chosen.includes(one.value))
  if (choices.length === 0) return null
  return (
    <Checkbox.Group
      label={t('field.sims')}
      description={t('keys.simsHelp')}
      error={error}
      value={[...chosen]}
      onChange={onChange}
    >
      <div className="key-sims">
        {choices.map((choice) => (
          <Checkbox
            key={choice.value}
            value={choice.value}
            label={simChoiceWords(choice)}
            disabled={isIncluded(choice)}
            {...(isIncluded(choice) && { checked: true })}
          />
        ))}
      </div>
    </Checkbox.Group>
  )
}

/** For example "Office, SIM 1". */
export function simChoiceWords({ deviceName, simNumber }: Pick<SimChoice, 'deviceName' | 'simNumber'>): string {
  return simNumber === undefined
    ? t('keys.everySim', { device: deviceName })
    : t('keys.sim', { device: deviceName, number: simNumber })
}
