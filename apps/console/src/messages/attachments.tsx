import type { MessageStateAnswer } from '@smsgw/contract/message'
import { useState } from 'react'
import { sizeWords } from '../ui/relative-words.ts'
import './attachments.css'

interface Attachment {
  readonly partId: number
  readonly name?: string | undefined
  readonly contentType: string
  readonly size: number
}

/** The formats that every browser shows. Others are downloads. */
const PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/**
 * The attachments of an MMS. Pictures are shown; a click downloads them, like all others. The relay sends each
 * attachment with a policy that runs nothing in it.
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
  const [isBroken, setBroken] = useState(false)
  return (
    <p>
      <a href={url} download={name || true}>
        {!isEncrypted && PICTURES.includes(contentType.toLowerCase()) && !isBroken && (
          <img className="attached-picture" src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
        )}
        <bdi>{name || contentType}</bdi>
      </a>
      <span className="bubble-kind">{sizeWords(size)}</span>
    </p>
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
