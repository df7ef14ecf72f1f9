import { numberWords } from './values/relative-words.ts'

let title = ''
let unread = 0

/** Sets the title of the page. The number of unread conversations is shown before it. */
export function setPageTitle(next: string): void {
  title = next
  show()
}

export function setUnreadInTitle(next: number): void {
  unread = next
  show()
}

function show(): void {
  if (title !== '') document.title = `${unread > 0 ? `(${numberWords(unread)}) ` : ''}${title} · smsgw`
}
