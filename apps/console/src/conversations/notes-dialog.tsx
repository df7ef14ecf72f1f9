import { ActionIcon, Autocomplete, Button, Checkbox, Modal, Textarea, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import {
  useAddNote,
  useAssignees,
  useChangeConversation,
  useConversationDetails,
  useCreateLabel,
  useDeleteNote,
  useLabels,
} from '../api/shared-inbox.ts'
import { destructive } from '../ui/dialogs/destructive.ts'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { RelativeTime } from '../ui/values/relative-time.tsx'
import { directionOf, t } from '../words/text.ts'
import './notes-dialog.css'

type ConversationMutation = ReturnType<typeof useChangeConversation>

/** Assignee, labels and notes of a conversation. Each change is saved at once. */
export function NotesDialog({
  number,
  change,
  onClose,
}: {
  readonly number: string
  /** Created by the caller, so that an error is shown even after the dialog was closed. */
  readonly change: ConversationMutation
  readonly onClose: () => void
}) {
  const details = useConversationDetails(number)
  return (
    <Modal opened onClose={onClose} title={t('inbox.notesAndLabels')}>
      <ProblemNote error={details.error} retry={() => void details.refetch()} />
      {details.data !== undefined && (
        <div className="notes-dialog">
          <Assignee change={change} assignee={details.data.assignee ?? ''} />
          <Labels number={number} chosen={details.data.labels} />
          <Notes number={number} notes={details.data.notes} />
        </div>
      )}
    </Modal>
  )
}

function Assignee({ change, assignee }: { readonly change: ConversationMutation; readonly assignee: string }) {
  const { data: names = [] } = useAssignees()
  const [name, setName] = useState(assignee)
  const saved = useRef(assignee)
  const save = () => {
    const before = saved.current
    if (name.trim() === before) return
    saved.current = name.trim()
    change.mutate({ assignee: name.trim() }, { onError: () => (saved.current = before) })
  }
  const saveLatest = useRef(save)
  useEffect(() => {
    saveLatest.current = save
  })
  // Saves when the dialog closes, because a field that is removed together with the dialog gets no blur event.
  useEffect(() => () => saveLatest.current(), [])
  return (
    <>
      <Autocomplete
        dir={directionOf(name)}
        label={t('inbox.assignee')}
        description={t('inbox.assigneeHelp')}
        data={[...names]}
        maxLength={80}
        value={name}
        onChange={setName}
        onBlur={save}
      />
      <ProblemNote error={change.error} />
    </>
  )
}

const mostLabels = 10

function Labels({ number, chosen }: { readonly number: string; readonly chosen: readonly string[] }) {
  const { data: labels = [] } = useLabels()
  const change = useChangeConversation(number)
  const create = useCreateLabel()
  const [name, setName] = useState('')
  // A label that is removed stays in the list until the dialog closes.
  const [wereChosen, setWereChosen] = useState<ReadonlySet<string>>(new Set(chosen))
  if (chosen.some((id) => !wereChosen.has(id))) setWereChosen(new Set([...wereChosen, ...chosen]))
  const [areAllShown, setAllShown] = useState(false)
  const isFew = ({ id }: { readonly id: string }, at: number) => at < mostLabels || wereChosen.has(id)
  const shown = areAllShown ? labels : labels.filter(isFew)
  const hidden = labels.length - labels.filter(isFew).length
  const add = async () => {
    const { id } = await create.mutateAsync(name.trim())
    setName('')
    change.mutate({ addLabels: [id] })
  }
  return (
    <fieldset className="notes-dialog-labels">
      <legend>{t('inbox.labels')}</legend>
      {shown.map((label) => (
        <Checkbox
          key={label.id}
          label={<bdi>{label.name}</bdi>}
          checked={chosen.includes(label.id)}
          onChange={(event) =>
            change.mutate(event.currentTarget.checked ? { addLabels: [label.id] } : { removeLabels: [label.id] })
          }
        />
      ))}
      {hidden > 0 && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={areAllShown}
          onClick={() => setAllShown(!areAllShown)}
        >
          {areAllShown ? t('inbox.fewerLabels') : t('inbox.moreLabels', { count: hidden })}
        </Button>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') void add().catch(() => undefined)
        }}
      >
        <TextInput
          dir={directionOf(name)}
          aria-label={t('inbox.newLabel')}
          placeholder={t('inbox.newLabel')}
          maxLength={40}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={create.isPending}>
          {t('common.create')}
        </Button>
      </form>
      <ProblemNote error={create.error ?? change.error} />
    </fieldset>
  )
}

function Notes({
  number,
  notes,
}: {
  readonly number: string
  readonly notes: readonly {
    readonly id: string
    readonly text: string
    readonly author: string
    readonly createdAt: string
  }[]
}) {
  const add = useAddNote(number)
  const remove = useDeleteNote(number)
  const [text, setText] = useState('')
  /**
   * The note that the user wants to delete and must still confirm. The confirmation is not a dialog, because it would
   * open inside another dialog.
   */
  const [pendingDeletion, setPendingDeletion] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  const clear = () => {
    setText('')
    // Moves the focus to the field for the next note, because the button is disabled while there is no text.
    field.current?.focus()
  }
  return (
    <section aria-label={t('inbox.notes')}>
      <h3>{t('inbox.notes')}</h3>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            {/* Aligned like the list, whatever the direction of the text. */}
            <p>
              <bdi>{note.text}</bdi>
            </p>
            <span className="small quiet">
              <Dotted>
                <bdi>{note.author}</bdi>
                <RelativeTime at={note.createdAt} />
              </Dotted>
            </span>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t('inbox.deleteNote')}
              aria-expanded={pendingDeletion === note.id}
              onClick={() => setPendingDeletion(pendingDeletion === note.id ? undefined : note.id)}
            >
              <Icon name="bin" size={16} />
            </ActionIcon>
            {pendingDeletion === note.id && (
              <div className="notes-dialog-question">
                <p>{t('inbox.confirmDeleteNote')}</p>
                <Button
                  size="xs"
                  {...destructive}
                  loading={remove.isPending}
                  onClick={() => remove.mutate(note.id, { onSuccess: () => field.current?.focus() })}
                >
                  {t('common.delete')}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  disabled={remove.isPending}
                  onClick={() => setPendingDeletion(undefined)}
                >
                  {t('common.cancel')}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <Textarea
        ref={field}
        dir={directionOf(text)}
        label={t('inbox.newNote')}
        description={t('inbox.noteHelp')}
        autosize
        maxLength={4_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button
        variant="default"
        disabled={text.trim() === ''}
        loading={add.isPending}
        onClick={() => add.mutate(text, { onSuccess: clear })}
      >
        {t('inbox.addNote')}
      </Button>
      <ProblemNote error={add.error ?? remove.error} />
    </section>
  )
}
