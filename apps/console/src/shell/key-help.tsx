import { Modal } from '@mantine/core'
import { Fragment } from 'react'
import { places } from './places.ts'
import './key-help.css'

/** All keys, under `?`. */
export function KeyHelp({
  isOpen,
  onClose,
  hasPhone,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly hasPhone: boolean
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keys" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className="key-help">
        <KeyList
          title="Go to"
          keys={[...places.map(({ key, name }) => [['g', key], name] as const), [['g', 'm'], 'Messages sent']]}
        />
        <div>
          <KeyList
            title="Anywhere"
            keys={[
              [['n'], 'New message'],
              [['?'], 'These keys'],
              ...(hasPhone ? [[['v'], 'Virtual phone'] as const] : []),
              [['Esc'], 'Close, or leave a field'],
            ]}
          />
          <KeyList
            title="Conversations"
            keys={[
              [['/'], 'Search'],
              [['j'], 'Next conversation'],
              [['k'], 'Previous conversation'],
              [['r'], 'Write in this one'],
              [['Enter'], 'Send'],
              [['Shift', 'Enter'], 'New line'],
            ]}
          />
        </div>
      </div>
    </Modal>
  )
}

function KeyList({
  title,
  keys,
}: {
  readonly title: string
  readonly keys: readonly (readonly [keys: readonly string[], does: string])[]
}) {
  return (
    <section className="key-list">
      <h3>{title}</h3>
      <dl>
        {keys.map(([pressed, does]) => (
          <Fragment key={does}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  )
}
