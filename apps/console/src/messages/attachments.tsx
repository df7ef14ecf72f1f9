import type { MessageStateAnswer } from '@smsgw/contract/messages/message'
import { sizeWords } from '../ui/values/relative-words.ts'
import { isPicture, Picture } from './picture.tsx'
import './attachments.css'

interface Attachment {
  readonly partId: number
  readonly name?: string | undefined
  readonly contentType: string
  readonly size: number
}

/**
 * The attachments of an MMS. A click downloads them. The relay sends each attachment with a content security policy
 * that allows no scripts.
 */
export function Attachments({
  of: { id, direction, isEncrypted = false },
  attachments = [],
}: {
  readonly of: { readonly id: string; readonly direction: 'in' | 'out'; readonly isEncrypted?: boolean | undefined }
  readonly attachments?: readonly Attachment[] | undefined
}) {
  const list = `/3rdparty/v1/${direction === 'in' ? 'inbox' : 'messages'}/${encodeURIComponent(id)}/attachments`
  return attachments.map(({ partId, name, ...facts }) => (
    <Attached key={partId} url={`${list}/${partId}`} name={isEncrypted ? '' : name} {...{ ...facts, isEncrypted }} />
  ))
}

function Attached({
  url,
  name = '',
  contentType,
  size,
  isEncrypted,
}: Omit<Attachment, 'partId'> & { readonly url: string; readonly isEncrypted: boolean }) {
  return (
    <div className="attached">
      {!isEncrypted && isPicture(contentType) && (
        <Picture url={url} name={name} contentType={contentType} size={size} />
      )}
      <a href={url} download={name || true}>
        <bdi>{name || contentType}</bdi>
      </a>
      <span className="bubble-kind">{sizeWords(size)}</span>
    </div>
  )
}

/** The content of a message in one line of text. */
export function contentWords({
  textMessage,
  dataMessage,
  mmsMessage,
}: Pick<MessageStateAnswer, 'textMessage' | 'dataMessage' | 'mmsMessage'>): string | undefined {
  if (mmsMessage) return ['MMS', ...[mmsMessage.subject, mmsMessage.text].filter(Boolean)].join(' · ')
  return textMessage?.text ?? dataMessage?.data
}
