import { Button, Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { DeviceDetailAnswer } from '@smsgw/contract/devices/device'
import { useState } from 'react'
import { useRenameDevice } from '../api/devices.ts'
import { ProblemNote } from '../ui/problem-note.tsx'
import { useFieldProblems } from '../ui/use-field-problems.ts'
import { directionOf, t } from '../words/text.ts'

export function RenameDevice({ device }: { readonly device: DeviceDetailAnswer }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('device.rename')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('device.renameTitle')}>
        <NamesForm device={device} onSaved={close} />
      </Modal>
    </>
  )
}

/** The names of a device and of its SIM slots. */
function NamesForm({ device, onSaved }: { readonly device: DeviceDetailAnswer; readonly onSaved: () => void }) {
  const rename = useRenameDevice(device.id)
  const [name, setName] = useState(device.name)
  const [simNames, setSimNames] = useState<Readonly<Record<number, string>>>({})
  const simCards = device.simCards.map((sim) => ({
    simNumber: sim.simNumber,
    name: simNames[sim.simNumber] ?? sim.name ?? '',
  }))
  const problems = useFieldProblems(rename.error, ['name', ...simCards.map((_, at) => `simCards[${at}].name`)])
  return (
    <form
      ref={problems.form}
      className="fields"
      // Switches off the checks of the browser, because the API describes problems of the fields in the language of the
      // console.
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate({ name, simCards }, { onSuccess: onSaved })
      }}
    >
      <TextInput
        dir={directionOf(name)}
        label={t('device.name')}
        required
        withAsterisk={false}
        maxLength={128}
        data-autofocus
        error={problems.of('name')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {simCards.map((sim, at) => (
        <TextInput
          key={sim.simNumber}
          dir={directionOf(sim.name)}
          label={t('device.simName', { number: sim.simNumber })}
          maxLength={64}
          error={problems.of(`simCards[${at}].name`)}
          value={sim.name}
          onChange={(event) => setSimNames({ ...simNames, [sim.simNumber]: event.currentTarget.value })}
        />
      ))}
      <ProblemNote error={problems.rest} />
      <div className="page-actions">
        <Button type="submit" loading={rename.isPending}>
          {t('common.save')}
        </Button>
      </div>
    </form>
  )
}
