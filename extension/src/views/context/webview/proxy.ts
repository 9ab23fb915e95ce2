// The part of the panel that tells of clients which ask through winnowd proxy.
import { type TemplateResult, html, nothing } from "lit";
import { formatNumber } from "../../format";
import type { ProxyRow } from "../proxy";

/** Draws the clients of the proxy; nothing where there are none. */
export function proxySection(rows: readonly ProxyRow[]): TemplateResult | typeof nothing {
  if (rows.length === 0) return nothing;
  return html`<table>
    <caption>
      Through winnowd proxy
    </caption>
    <thead>
      <tr>
        <th scope="col">Client</th>
        <th scope="col" class="number">Requests</th>
        <th scope="col" class="number">Tools sent</th>
        <th scope="col" class="number">Saved</th>
        <th scope="col" class="number" title="How much of the input the provider's cache gave">Cached</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ client, requests, sent, saved, cached }) =>
          html`<tr>
            <th scope="row">${client}</th>
            <td class="number">${formatNumber(requests)}</td>
            <td class="number">${sent}</td>
            <td class="number">${saved}</td>
            <td class="number">${cached}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
