/** Readable on a phone and on a wide screen, by day and by night; no font or image is fetched. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1b1f24, #e6e8eb);
  --soft: light-dark(#59626d, #9aa4b0);
  --paper: light-dark(#ffffff, #14171b);
  --raised: light-dark(#f5f7f9, #1c2126);
  --line: light-dark(#d9dee4, #2f363e);
  --link: light-dark(#0b5cad, #7db8ff);
  --get: light-dark(#0b5cad, #7db8ff);
  --post: light-dark(#157347, #63d297);
  --put: light-dark(#8a5a00, #e8b04a);
  --delete: light-dark(#b3261e, #ff8a80);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, sans-serif;
  display: grid; grid-template: auto auto 1fr / minmax(0, 1fr);
}
header, nav, main { padding: 0 1rem; max-width: 62rem; }
h1 { font-size: 1.7rem; margin: 1.5rem 0 0.5rem; }
h1 small { font-weight: 400; color: var(--soft); font-size: 1rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 0.5rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
h3 { font-size: 0.95rem; margin: 1rem 0 0.25rem; }
h4 { font-size: 0.95rem; margin: 1.25rem 0 0.5rem; }
main h2, nav h3 { text-transform: capitalize; }
section:not([id^="tag-"], [id="events"]) h2 { text-transform: none; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
code, pre { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem 1rem; overflow-x: auto; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
nav h3 { margin: 0.4rem 0; }
nav ul { display: none; list-style: none; margin: 0; padding: 0; font-size: 0.9rem; }
nav li a { display: flex; align-items: baseline; gap: 0.5rem; padding: 0.2rem 0; text-decoration: none; color: inherit; }
nav li a:hover { color: var(--link); }
.operation { border: 1px solid var(--line); border-radius: 6px; margin: 0.6rem 0; padding: 0 0.9rem; }
.operation[open] { padding-bottom: 0.9rem; }
.operation > summary { cursor: pointer; padding: 0.6rem 0; list-style: none; overflow-wrap: anywhere; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover .path { color: var(--link); }
.path { font-weight: 600; }
.summary { color: var(--soft); }
.method {
  display: inline-block; min-width: 4.4em; text-align: center; border-radius: 4px; padding: 0.1em 0.4em;
  font: 600 0.72rem/1.5 ui-monospace, Menlo, Consolas, monospace; color: var(--get); border: 1px solid currentColor;
}
nav .method { flex: none; min-width: 4.8em; font-size: 0.6rem; }
.method.post { color: var(--post); }
.method.put, .method.patch { color: var(--put); }
.method.delete { color: var(--delete); }
.method.event { color: var(--soft); }
.answer { margin: 0.35rem 0; }
.answer > summary { cursor: pointer; }
.answer p { margin: 0.25rem 0; }
.status { font-weight: 600; }
.s2 { color: var(--post); } .s4 { color: var(--put); } .s5 { color: var(--delete); }
.note { color: var(--soft); font-size: 0.9em; }
.required, .deprecated { font-size: 0.72rem; white-space: nowrap; color: var(--soft); }
.deprecated { color: var(--put); border: 1px solid currentColor; border-radius: 4px; padding: 0 0.3em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; border-top: 0; white-space: nowrap; }
td:first-child { white-space: nowrap; }
td { min-width: 6rem; }
td:last-child { min-width: 14rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 44rem) {
  thead { position: absolute; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { border-top: 1px solid var(--line); padding: 0.4rem 0; }
  td { border: 0; padding: 0; }
  td:first-child { white-space: normal; overflow-wrap: anywhere; }
  td + td { color: var(--soft); }
  td:last-child { color: var(--ink); }
}
@media (min-width: 64rem) {
  body { grid-template: auto 1fr / 19rem minmax(0, 1fr); }
  header { grid-column: 2; padding-right: 2rem; }
  nav {
    display: block; grid-row: 1 / 3; position: sticky; top: 0; height: 100vh; overflow-y: auto;
    border-right: 1px solid var(--line); background: var(--raised); padding-bottom: 2rem;
  }
  nav h3 { margin: 1.2rem 0 0.25rem; }
  nav h3 a { color: inherit; text-decoration: none; }
  nav ul { display: block; }
  main { grid-column: 2; padding: 0 2rem 4rem 1rem; width: 100%; }
}
@media print { nav { display: none; } }
`
