// What a user reads about a move of servers, and about its undoing.

import type { ImportNote } from "../protocol.gen";

/** Words the notes, as one text; `name` says how a file is called. */
export function noteText(notes: readonly ImportNote[], name: (uri: string) => string): string {
  return notes.map((note) => sentence(note, name(note.uri))).join(" ");
}

function sentence({ kind, server = "", keys = [], problem = "" }: ImportNote, file: string): string {
  switch (kind) {
    case "taken":
      return `“${server}” is in ${file} already, and stays where it is.`;
    case "unusable":
      return `“${server}” stays in ${file}, as something is wrong there: ${problem}.`;
    case "merged":
      return `“${server}” joins the rules for its tools that ${file} has.`;
    case "keysLeftOut":
      return `Of “${server}” this is left out, as Winnow has no such thing: ${keys.join(", ")}.`;
    case "changedSince":
      return `${file} was changed since; only what was moved is taken out of it.`;
    case "thereAgain":
      return `“${server}” is in ${file} again, and stays as it is.`;
  }
}
