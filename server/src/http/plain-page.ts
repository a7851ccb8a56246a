interface PlainPage {
  title: string
  /** Rules of this page alone. */
  style: string
  /** In the bar, beside the way home. */
  links?: { href: string; label: string }[]
  /** What follows the bar, with a `main` that has the id of its name. */
  body: string
}

/** A page that works without scripts and without the screens, and looks like them. */
export function plainPage({ title, style, links = [], body }: PlainPage): string {
  const inBar = [{ href: "/", label: "Home" }, ...links]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${title} · Envkeep</title>
<style>${frameStyle}${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><div>
<a class="brand" href="/"><img src="/favicon.svg" alt="" width="28" height="28">envkeep</a>
${inBar.map(({ href, label }) => `<a class="link" href="${href}">${label}</a>`).join("\n")}
</div></header>
${body}
</body>
</html>
`
}

/** Without scripts, the theme is that of the system. The colours are those of the screens. */
const frameStyle = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f5f8f9, #0e1315);
  --surface: light-dark(#fff, #151c1f);
  --sunken: light-dark(#f9fbfb, #12181b);
  --line: light-dark(#dfe6e8, #263035);
  --hover: light-dark(#eef3f4, #1e272b);
  --text: light-dark(#131a1d, #e4eaec);
  --dim: light-dark(#56646b, #9aa7ad);
  --accent: light-dark(#0a6470, #66c5cf);
  --bar: 64px;
  scroll-padding-top: calc(var(--bar) + 16px);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  font: 16px/1.55 -apple-system, "Segoe UI Variable Text", "Segoe UI", Inter, Roboto, "Helvetica Neue", Arial, sans-serif;
  letter-spacing: -.003em;
  color: var(--text);
  background: var(--canvas);
}
code, pre, b { font-family: ui-monospace, SFMono-Regular, "SF Mono", Menlo, "Cascadia Mono", Consolas, "Liberation Mono", monospace; }
code { font-size: .9375em; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; top: -60px; left: 16px; z-index: 2; padding: 8px 14px; background: var(--surface); border-radius: 8px; }
.skip:focus { top: 10px; }

header { position: sticky; top: 0; z-index: 1; background: var(--surface); border-bottom: 1px solid var(--line); }
header div { display: flex; align-items: center; gap: 4px; height: var(--bar); max-width: 1160px; margin: 0 auto; padding: 0 28px; }
.brand { display: flex; align-items: center; gap: 10px; min-height: 44px; margin-right: auto; font-size: 1.125rem; font-weight: 700; letter-spacing: -.02em; color: inherit; text-decoration: none; }
.link { padding: 8px 12px; font-size: .9375rem; font-weight: 500; color: var(--dim); text-decoration: none; border-radius: 8px; }
.link:hover { color: var(--text); background: var(--hover); }
main:focus { outline: none; }
h1 { margin: 0 0 8px; font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.018em; }
h2 { margin: 44px 0 12px; font-size: 1.25rem; font-weight: 650; letter-spacing: -.018em; }
@media (prefers-color-scheme: dark) { .brand img { filter: brightness(1.6); } }
@media (max-width: 860px) { header div { padding: 0 16px; } }
`
