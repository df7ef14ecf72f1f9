/** Shown in place of a console that was not built; the API is there without it. */
export const MISSING_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The console is not built</title></head>
<body>
<h1>The console is not built</h1>
<p>The API works without it: <a href="/docs">its description</a>, <a href="/health">its health</a>.</p>
<p>In a clone of the repository <code>npm start</code> and <code>npm run relay</code> build the console by themselves, and
say why where they cannot. Elsewhere set <code>CONSOLE_DIR</code> to the folder of a built console, or to
<code>off</code>.</p>
</body>
</html>
`
