import type { MessageStateAnswer } from '@smsgw/contract/message'
import { sizeWords } from '../ui/relative-words.ts'
import './sent-mms.css'

interface Attachment {
  readonly partId: number
  readonly name?: string | undefined
  readonly contentType: string
  readonly size: number
}

/** The formats that every browser shows. Others are downloads. */
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** The attachments of a sent MMS. Pictures are shown, because they come from this account. */
export function SentAttachments({
  messageId,
  attachments,
}: {
  readonly messageId: string
  readonly attachments: readonly Attachment[]
}) {
  return attachments.map(({ partId, name = '', contentType, size }) => {
    const url = `/3rdparty/v1/messages/${encodeURIComponent(messageId)}/attachments/${partId}`
    return (
      <p key={partId}>
        <a href={url} download={name || true}>
          {PICTURES.includes(contentType.toLowerCase()) && (
            <img className="sent-picture" src={url} alt="" loading="lazy" />
          )}
          <bdi>{name || contentType}</bdi>
        </a>
        <span className="bubble-kind">{sizeWords(size)}</span>
      </p>
    )
  })
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
