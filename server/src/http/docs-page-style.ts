export const docsPageStyle = `
.columns { display: grid; grid-template-columns: 200px minmax(0, 1fr); gap: 40px; max-width: 1160px; margin: 0 auto; padding: 36px 28px 96px; }
nav { position: sticky; top: calc(var(--bar) + 24px); align-self: start; display: grid; max-height: calc(100dvh - var(--bar) - 48px); margin-left: -12px; overflow-y: auto; }
nav a { display: flex; justify-content: space-between; padding: 6px 12px; font-size: .9375rem; font-weight: 500; color: var(--dim); text-decoration: none; border-radius: 8px; }
nav a:hover { color: var(--text); background: var(--hover); }
nav small { font-weight: 400; font-variant-numeric: tabular-nums; }
h3 { margin: 0; font-size: .9375rem; font-weight: 500; overflow-wrap: anywhere; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover code { text-decoration: underline; }
h3 b { display: inline-block; min-width: 60px; font-size: .75rem; font-weight: 600; }
.GET { color: var(--accent); } .POST { color: light-dark(#1d4ed8, #8ab4ff); } .PUT, .PATCH { color: light-dark(#7a4b00, #ffcf75); } .DELETE { color: light-dark(#b3202c, #ff8d8d); }

main > p { max-width: 72ch; margin: 0; color: var(--dim); }
article { margin: 12px 0; padding: 16px 18px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
article:target { border-color: var(--accent); }
article p { margin: 6px 0 12px; color: var(--dim); }
.access { display: inline-block; margin-left: 4px; padding: 0 8px; font-size: .8125rem; white-space: nowrap; border: 1px solid var(--line); border-radius: 999px; }
dl { display: grid; grid-template-columns: 60px minmax(0, 1fr); gap: 8px 0; margin: 0; }
dt { padding-top: 9px; font-size: .8125rem; color: var(--dim); }
dd { margin: 0; }
q { display: block; padding-top: 7px; font-size: .9375rem; }
pre { margin: 0; padding: 9px 12px; font-size: .8125rem; line-height: 1.5; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
q + pre { margin-top: 6px; }

@media (max-width: 860px) {
  .columns { display: block; padding: 24px 16px 72px; }
  nav { position: static; display: flex; flex-wrap: wrap; max-height: none; margin: 0 -12px 24px; }
  nav small { display: none; }
  dl { display: block; }
  dt { padding: 8px 0 4px; }
}
`
