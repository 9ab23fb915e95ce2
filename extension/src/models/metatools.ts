// Winnow's own tools, which no host knows.

import {
  PROTOCOL_META_CALL,
  PROTOCOL_META_LOAD,
  PROTOCOL_META_RESULT,
  PROTOCOL_META_SEARCH,
} from "../protocol/protocol.gen";

/** The names of the tools that the daemon itself answers. */
export const metaTools: ReadonlySet<string> = new Set([
  PROTOCOL_META_LOAD,
  PROTOCOL_META_SEARCH,
  PROTOCOL_META_CALL,
  PROTOCOL_META_RESULT,
]);
