/** The parts of a page. */
export interface PageParts {
  title: string;
  /** The webview URIs of the bundled script and of the style sheet. */
  script: string;
  style: string;
  /** The webview's own source, for the Content-Security-Policy. */
  cspSource: string;
  /** Random for each page; only a script with it runs. */
  nonce: string;
}

/** Returns the HTML of a page, without inline and external resources. */
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
