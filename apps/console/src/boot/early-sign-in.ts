import '../shell/wordmark.css'
import '../sign-in/sign-in.css'
import './early-sign-in.css'

export interface EarlyWords {
  readonly title: string
  readonly about: string
  readonly username: string
  readonly password: string
  /** The help text, with parts in `<code>`. */
  readonly help: string
  readonly wait: string
}

/** The state of the form when the program arrives. */
export interface EarlySignIn {
  readonly username: string
  readonly password: string
  readonly isSubmitted: boolean
  /** The name of the field that had the focus last. */
  readonly focused: string | undefined
}

const ID = 'early-sign-in'

/** Shows a form that looks like the form of the program. Submitting the form waits until the program has arrived. */
export function showEarlySignIn({ title, about, username, password, help, wait }: EarlyWords): void {
  const heading = element('h1', {}, title)
  const button = element('button', { type: 'submit' }, title)
  const form = element(
    'form',
    { className: 'sign-in-card' },
    element(
      'span',
      { className: 'wordmark' },
      element('img', { src: '/icon.svg', alt: '', width: 26, height: 26 }),
      'smsgw',
    ),
    element('div', {}, heading, element('p', { className: 'quiet' }, about)),
    field(username, { name: 'username', autocomplete: 'username', autocapitalize: 'none', spellcheck: false }),
    field(password, { name: 'password', type: 'password', autocomplete: 'current-password' }),
    button,
    element('p', { className: 'quiet small' }, ...withCode(help)),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    form.dataset['submitted'] = 'yes'
    button.textContent = wait
  })
  // Submits when the button is pressed, because the program may replace the form before the click ends.
  button.addEventListener('pointerdown', () => {
    form.dataset['pressed'] = 'yes'
  })
  for (const end of ['pointerup', 'pointerleave', 'pointercancel'])
    button.addEventListener(end, () => {
      delete form.dataset['pressed']
    })
  // Remembers the field with the focus, because the program moves the focus to its own field before it reads this
  // state.
  form.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLInputElement) form.dataset['focused'] = target.name
  })
  document.body.append(element('main', { className: 'sign-in', id: ID }, form))
  form.querySelector('input')?.focus()
}

/** Returns the state of the form and removes the form. Returns undefined if the form was not shown. */
export function takeEarlySignIn(): EarlySignIn | undefined {
  const form = document.querySelector<HTMLFormElement>(`#${ID} form`)
  if (form === null) return undefined
  const value = (name: string) => form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? ''
  const { submitted, pressed, focused } = form.dataset
  const isSubmitted = submitted === 'yes' || (pressed === 'yes' && form.checkValidity())
  const early = { username: value('username'), password: value('password'), isSubmitted, focused }
  removeEarlySignIn()
  return early
}

export function removeEarlySignIn(): void {
  document.getElementById(ID)?.remove()
}

function field(label: string, properties: Partial<HTMLInputElement>): HTMLElement {
  return element('label', {}, label, element('input', { required: true, ...properties }))
}

function withCode(text: string): readonly (Node | string)[] {
  return text.split(/<\/?code>/).map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part))
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}
