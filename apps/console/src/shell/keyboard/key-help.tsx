import { Modal } from '@mantine/core'
import { Fragment } from 'react'
import { t } from '../../words/text.ts'
import { placeName, places } from '../places.ts'
import './key-help.css'

/** The list of keyboard shortcuts, opened with `?`. */
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
    <Modal opened={isOpen} onClose={onClose} title={t('keyboard.title')} size="lg">
      <div className="key-help">
        <KeyList
          title={t('keyboard.goTo')}
          keys={[
            ...places.map(({ key, path }) => [['g', key], placeName(path)] as const),
            [['g', 'm'], t('conversations.outgoing')],
          ]}
        />
        <div>
          <KeyList
            title={t('keyboard.anywhere')}
            keys={[
              [['n'], t('conversations.new')],
              [['?'], t('keyboard.title')],
              [['Ctrl', 'K'], t('keyboard.palette')],
              ...(hasPhone ? [[['v'], t('phone.title')] as const] : []),
              [['Esc'], t('keyboard.leave')],
            ]}
          />
          <KeyList
            title={t('conversations.title')}
            keys={[
              [['/'], t('keyboard.search')],
              [['j'], t('keyboard.next')],
              [['k'], t('keyboard.previous')],
              [['r'], t('keyboard.reply')],
              [['e'], t('inbox.archive')],
              [['u'], t('inbox.markUnread')],
              [['l'], t('inbox.notesAndLabels')],
              [['Enter'], t('common.send')],
              [['Shift', 'Enter'], t('keyboard.newLine')],
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
              <bdi dir="ltr">
                {pressed.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </bdi>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  )
}
