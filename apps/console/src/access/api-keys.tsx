import { ActionIcon, Button, Menu, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ApiKey } from '@smsgw/contract/access/api-key'
import { useState } from 'react'
import { useApiKeys, useChangeApiKey, useRevokeApiKey } from '../api/api-keys.ts'
import { useDevices } from '../api/devices.ts'
import { Badge } from '../ui/badge.tsx'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Icon } from '../ui/icon.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { listWords, momentWords, numberWords } from '../ui/values/relative-words.ts'
import { inOnePiece, t } from '../words/text.ts'
import { fieldsOf, inOrder, simChoices } from './api-key-fields.ts'
import { ApiKeyForm, simChoiceWords } from './api-key-form.tsx'
import { CreateApiKey } from './create-api-key.tsx'
import { RotateApiKey } from './rotate-api-key.tsx'
import './tokens.css'
import './api-keys.css'

type Step = 'edit' | 'rotate' | 'revoke'

export function ApiKeys() {
  const keys = useApiKeys()
  const [isCreating, create] = useDisclosure(false)
  const [open, setOpen] = useState<{ readonly step: Step; readonly key: ApiKey }>()
  const close = () => setOpen(undefined)
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={create.open}>
      {t('keys.create')}
    </Button>
  )
  const isEmpty = keys.data?.length === 0
  return (
    <Panel title={t('keys.title')} about={t('keys.about')} actions={isEmpty ? undefined : add}>
      <ProblemNote error={keys.error} retry={() => void keys.refetch()} />
      {keys.isPending && <WaitingLines />}
      {isEmpty && (
        <EmptyState icon="access" title={t('keys.none')} action={add}>
          {t('keys.noneHelp')}
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && (
        <table className="list-table key-table">
          <thead>
            <tr>
              <th>{t('field.name')}</th>
              <th>{t('tokens.scopes')}</th>
              <th>{t('field.limits')}</th>
              <th>{t('keys.lastUsed')}</th>
              <th>{t('tokens.expiresAt')}</th>
              <th>
                <span className="unseen">{t('common.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {inOrder(keys.data).map((key) => (
              <ListedKey key={key.id} apiKey={key} onStep={(step) => setOpen({ step, key })} />
            ))}
          </tbody>
        </table>
      )}
      <CreateApiKey isOpen={isCreating} onClose={create.close} />
      {open?.step === 'edit' && <Edit apiKey={open.key} onClose={close} />}
      {open?.step === 'rotate' && <RotateApiKey apiKey={open.key} onClose={close} />}
      <Revoke apiKey={open?.step === 'revoke' ? open.key : undefined} onClose={close} />
    </Panel>
  )
}

function ListedKey({ apiKey, onStep }: { readonly apiKey: ApiKey; readonly onStep: (step: Step) => void }) {
  const { name, prefix, state, scopes, lastUsedAt, lastUsedFrom, expiresAt, previousValidUntil } = apiKey
  return (
    <tr className={state === 'active' ? undefined : 'quiet'}>
      <td>
        <span className="key-name">
          <b dir="auto">{name}</b>
          <Badge tone={stateTones[state]}>{t(`keyState.${state}`)}</Badge>
        </span>
        <bdi className="key-prefix quiet mono" dir="ltr">
          {prefix}…
        </bdi>
        {state === 'active' && previousValidUntil !== undefined && (
          <p className="small quiet">{t('keys.previousUntil', { when: momentWords(previousValidUntil) })}</p>
        )}
      </td>
      <td data-name={t('tokens.scopes')}>
        <span className="token-scopes">
          {scopes.map((scope) => (
            <code key={scope} dir="ltr">
              {scope}
            </code>
          ))}
        </span>
      </td>
      <td data-name={t('field.limits')}>
        <Limits apiKey={apiKey} />
      </td>
      <td data-name={t('keys.lastUsed')}>
        {lastUsedAt === undefined ? t('keys.neverUsed') : <RelativeTime at={lastUsedAt} />}
        {lastUsedFrom !== undefined && (
          <bdi className="small quiet mono key-address" dir="ltr">
            {lastUsedFrom}
          </bdi>
        )}
      </td>
      <td data-name={t('tokens.expiresAt')}>
        {expiresAt === undefined ? t('keys.neverExpires') : <RelativeTime at={expiresAt} />}
      </td>
      <td className="token-actions">
        {state !== 'revoked' && (
          <Menu position="bottom-end" width={180}>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('keys.actions', { name })}>
                <Icon name="more" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onStep('edit')}>{t('keys.edit')}</Menu.Item>
              <Menu.Item onClick={() => onStep('rotate')}>{t('keys.rotate')}</Menu.Item>
              <Menu.Item color="red" onClick={() => onStep('revoke')}>
                {t('keys.revoke')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </td>
    </tr>
  )
}

const stateTones = { active: 'good', expired: 'warn', revoked: 'quiet' } as const
const listedRecipients = 3

function Limits({ apiKey: { limits, recipientsToday = 0 } }: { readonly apiKey: ApiKey }) {
  const { data: devices = [] } = useDevices()
  const { recipientsPerDay, recipients = [], approval } = limits
  const { sims } = fieldsOf(limits)
  const allowed = simChoices(devices, sims).filter(({ value }) => sims.includes(value))
  const more = recipients.length - listedRecipients
  const numbers = [
    ...recipients.slice(0, listedRecipients).map(leftToRight),
    ...(more > 0 ? [t('keys.more', { count: more })] : []),
  ]
  if (Object.keys(limits).length === 0) return t('keys.noLimits')
  return (
    <ul className="key-limits small">
      {approval !== undefined && <li>{t('keys.needsApproval')}</li>}
      {recipientsPerDay !== undefined && (
        <li>{t('keys.perDayUsed', { used: numberWords(recipientsToday), limit: numberWords(recipientsPerDay) })}</li>
      )}
      {numbers.length > 0 && <li>{t('keys.onlyTo', { recipients: listWords(numbers) })}</li>}
      {allowed.length > 0 && (
        <li>{t('keys.onlyWith', { sims: listWords(allowed.map((sim) => inOnePiece(simChoiceWords(sim)))) })}</li>
      )}
    </ul>
  )
}

/** Keeps the plus sign of a number in front of it, and the star of a prefix behind it, within right-to-left text. */
function leftToRight(number: string): string {
  return `\u2066${number}\u2069`
}

function Edit({ apiKey: { id, name, limits }, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const change = useChangeApiKey()
  const [fields, setFields] = useState({ name, ...fieldsOf(limits) })
  return (
    <Modal opened onClose={onClose} size="lg" title={t('keys.editTitle')}>
      <ApiKeyForm
        fields={fields}
        onChange={setFields}
        action={t('common.save')}
        save={change}
        onSave={(key) => change.mutate({ id, ...key }, { onSuccess: onClose })}
      />
    </Modal>
  )
}

function Revoke({ apiKey, onClose }: { readonly apiKey: ApiKey | undefined; readonly onClose: () => void }) {
  const revoke = useRevokeApiKey()
  return (
    <AskFirst
      title={t('keys.revokeTitle', { name: apiKey?.name })}
      action={t('keys.revokeAction')}
      isOpen={apiKey !== undefined}
      deed={revoke}
      onYes={() => apiKey && revoke.mutate(apiKey.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{t('keys.revokeHelp')}</p>
    </AskFirst>
  )
}
