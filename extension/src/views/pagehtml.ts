/** What a page is made of. */
export interface PageParts {
  title: string;
  /** The addresses of the bundled script and of the style sheet, as the webview reaches them. */
  script: string;
  style: string;
  /** The webview's own source, for the policy. */
  cspSource: string;
  /** Fresh for each page; only the script that carries it runs. */
  nonce: string;
}

/** Makes a page: nothing inline, nothing from elsewhere. */
export function pageHtml({ title, script, style, cspSource, nonce }: PageParts): string {
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="stylesheet" href="${style}" />
    <script type="module" nonce="${nonce}" src="${script}"></script>
  </head>
  <body></body>
</html>
`;
}
