import { expect, test } from 'vitest'
import { CONSOLE, consoleTexts } from './console-texts.ts'
import { treeOfLiterals } from './repository-tree.ts'

const problemsOf = (source: string) =>
  consoleTexts(treeOfLiterals({ [`${CONSOLE}a.tsx`]: source })).map(({ line, problem }) => `${line} ${problem}`)

test.each([
  ['an element', 'const A = () => <p>Sent today</p>', '"Sent today"'],
  ['an attribute', 'const A = () => <input aria-label="number" />', '"number"'],
  ['a condition', "const a = (b: boolean) => (b ? 'Not sent' : undefined)", '"Not sent"'],
  ['a template', 'const a = (n: number) => `$'.concat('{n} messages waiting`'), '"messages waiting"'],
  ['another language', "const a = 'مرحبا'", '"مرحبا"'],
  ['braces', "const A = () => <p>{'OK'}</p>", '"OK"'],
  ['a condition in an element', 'const A = (b: boolean) => <p>{b ? t() : "off"}</p>', '"off"'],
  ['a concatenation', "const A = (n: number) => <p>{n + ' messages'}</p>", '"messages"'],
  ['a template in an element', 'const A = (n: number) => <p>{`$'.concat('{n} messages`}</p>'), '"messages"'],
  ['a template in an attribute', 'const A = (n: number) => <a title={`$'.concat('{n} messages`} />'), '"messages"'],
  ['a description', 'const A = () => <a aria-description="number" />', '"number"'],
  ['a member', "const a = () => ({ message: 'saved' })", '"saved"'],
  ['the title of the page', "const a = () => { document.title = 'messages' }", '"messages"'],
  ['the content of an element', "const a = (e: HTMLElement) => { e.textContent = 'saved' }", '"saved"'],
  ['a toast', "const a = () => showToast('saved')", '"saved"'],
  ['an attribute of a component', 'const A = () => <Panel note="offline" />', '"offline"'],
  ['an error class', "class SaveError extends Error { constructor() { super('unsaved') } }", '"unsaved"'],
  ['an error of the console', "const a = () => { throw new SaveError('unsaved') }", '"unsaved"'],
  ['a joined list', "const a = (n: string) => [n, 'sent'].filter(Boolean).join(' · ')", '"sent"'],
  ['a template with a new line', 'const a = (n: number) => `$'.concat('{n} not\nsent`'), '"not\nsent"'],
  ['a created element', "const a = () => createElement('p', null, 'sent')", '"sent"'],
])('refuses a text in %s', (_place, source, shown) => {
  expect(problemsOf(source)).toEqual([expect.stringContaining(`1 shows ${shown}`)])
})

test('refuses a text in CSS, but not symbols, counters and attributes', () => {
  const css = `
    /* content: "in a comment" */
    .a::before { content: "› "; }
    .b::before { content: counter(item) ". " attr(data-name); }
    .c { align-content: start; }
    .d::after { content: "offline"; }`
  expect(consoleTexts(treeOfLiterals({ [`${CONSOLE}a.css`]: css }))).toEqual([
    { file: `${CONSOLE}a.css`, line: 6, problem: expect.stringContaining('shows "offline"') },
  ])
})

test('allows class names, selectors, types, errors for programmers, compared texts, and names that never change', () => {
  expect(
    problemsOf(`
      import a from 'Some module'
      type State = 'Not sent'
      const A = () => <i className="is-big has-room">{t('a.b')} smsgw</i>
      const b = () => document.querySelector('Main nav')
      const d = () => element('p', { className: 'is-big has-room' }, matchMedia('(prefers-color-scheme: dark)'))
      const c = () => { throw new TypeError('no element here') }
      const f = () => <Panel tone="bad" data-kind="slow" path={['section', 'form'].join()} icon="plus" />
      const f = (value: unknown) => value === 'Disabled' || 'Not sent' !== value
      const e = (code: number) => <p>{state === 'sent' ? <b className="is-big" /> : \`HTTP $\{code}\`}</p>
    `),
  ).toEqual([])
})

test('refuses to read a text while a module is being loaded', () => {
  expect(problemsOf("const title = t('a.title')\nconst later = () => t('a.later')")).toEqual([
    '1 reads a text while the module is being loaded: read it inside a function',
  ])
})

test.each([
  ['a date', 'const a = (tag: string) => new Intl.DateTimeFormat(tag)', 'Intl.DateTimeFormat'],
  ['a number', 'const a = (count: number) => count.toLocaleString()', 'toLocaleString'],
])('refuses a format of %s outside the module of formats', (_what, source, name) => {
  expect(problemsOf(source)).toEqual([expect.stringContaining(`1 formats with ${name}`)])
})

test.each([
  ['a name', 'const a = (name: string) => <Link>{name}</Link>', 'shows "name" without a direction'],
  ['a text or its absence', 'const a = (m: M) => <p>{m.text ?? m.id}</p>', 'shows "text" without a direction'],
  ['a field', 'const a = () => <TextInput value="" />', '<TextInput> has no direction'],
])('refuses %s without a direction of its own', (_what, source, problem) => {
  expect(problemsOf(source)).toEqual([expect.stringContaining(problem)])
})

test('allows a text of a user with a direction of its own', () => {
  expect(
    problemsOf(`
      const a = (note: Note) => <><p dir="auto">{note.text}</p><bdi>{note.author}</bdi></>
      const b = (words: Words) => <p>{words.text}</p>
      const c = (value: string) => <TextInput dir={directionOf(value)} value={value} />
    `),
  ).toEqual([])
})
