import { Checkbox, NativeSelect } from '@mantine/core'
import { useDevices } from '../api/devices.ts'
import { simStateWords } from '../devices/sim-state-words.ts'
import { MinuteField } from '../ui/time-fields/time-fields.tsx'
import { t } from '../words/text.ts'

export interface ChosenOptions {
  /** Undefined means any ready SIM. */
  readonly sim: { readonly deviceId: string; readonly simNumber: number } | undefined
  /** The local minute, or the typed text if it is not a time. Empty means "send immediately". */
  readonly scheduleAt: string
  readonly withDeliveryReport: boolean
}

export const usualOptions: ChosenOptions = { sim: undefined, scheduleAt: '', withDeliveryReport: true }

/** SIM, time and delivery report of a message. */
export function SendOptionsForm({
  options,
  timeProblem,
  onChange,
}: {
  readonly options: ChosenOptions
  readonly timeProblem: string | undefined
  readonly onChange: (options: ChosenOptions) => void
}) {
  const sims = useSims()
  const chosen = sims.findIndex(
    ({ sim }) => sim.deviceId === options.sim?.deviceId && sim.simNumber === options.sim?.simNumber,
  )
  return (
    <div className="fields-row composer-options">
      <NativeSelect
        label={t('common.sim')}
        value={String(chosen)}
        data={[
          { value: '-1', label: t('composer.anySim') },
          ...sims.map(({ words }, at) => ({ value: String(at), label: words })),
        ]}
        onChange={(event) => onChange({ ...options, sim: sims[Number(event.currentTarget.value)]?.sim })}
      />
      <MinuteField
        label={t('composer.sendAt')}
        error={timeProblem}
        value={options.scheduleAt}
        onChange={(scheduleAt) => onChange({ ...options, scheduleAt })}
      />
      <Checkbox
        label={t('composer.report')}
        checked={options.withDeliveryReport}
        onChange={(event) => onChange({ ...options, withDeliveryReport: event.currentTarget.checked })}
      />
    </div>
  )
}

function useSims() {
  const { data: devices = [] } = useDevices()
  return devices.flatMap(({ id: deviceId, name, simCards }) =>
    simCards.map(({ simNumber, carrierName, phoneNumber, state, isEmulated }) => ({
      sim: { deviceId, simNumber },
      words: [
        t('common.simNumber', { number: simNumber }),
        isEmulated ? t('device.emulated') : undefined,
        carrierName,
        phoneNumber,
        devices.length > 1 ? name : undefined,
        state === 'ready' ? undefined : simStateWords(state),
      ]
        .filter((word) => word !== undefined)
        .join(' · '),
    })),
  )
}
