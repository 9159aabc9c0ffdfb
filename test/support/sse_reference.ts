/** What an event stream says, by the letter of the HTML standard. */
export interface ReferenceEvents {
  events: { event: string; data: string; id?: string; lastEventId: string }[];
  retry: number[];
  comments: string[];
}

/**
 * A slow, literal reading of the HTML standard's section on event streams, for
 * comparison: the whole text at once, line by line.
 */
export function referenceEvents(
  text: string,
  flushAtEnd = false,
): ReferenceEvents {
  const told: ReferenceEvents = { events: [], retry: [], comments: [] };
  let input = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (flushAtEnd && input !== "") {
    input += /[\r\n]$/.test(input) ? "\n" : "\n\n";
    // The line end put behind a CR would be the second half of its CRLF.
    if (/\r\n$/.test(input) && !/\r\n$/.test(text)) input += "\n";
  }
  let data: string | undefined;
  let type = "";
  let id: string | undefined;
  let lastEventId = "";
  const lines: string[] = [];
  let line = "";
  for (let at = 0; at < input.length; at++) {
    const char = input[at]!;
    if (char !== "\r" && char !== "\n") line += char;
    else {
      if (char === "\r" && input[at + 1] === "\n") at++;
      lines.push(line);
      line = "";
    }
  }
  for (const one of lines) {
    if (one === "") {
      if (id !== undefined) lastEventId = id;
      if (data !== undefined) {
        told.events.push({
          event: type === "" ? "message" : type,
          data: data.slice(0, -1),
          ...(id === undefined ? {} : { id }),
          lastEventId,
        });
      }
      data = id = undefined;
      type = "";
      continue;
    }
    const colon = one.indexOf(":");
    const field = colon < 0 ? one : one.slice(0, colon);
    let value = colon < 0 ? "" : one.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    switch (field) {
      case "":
        if (colon === 0) told.comments.push(value);
        break;
      case "data":
        data = `${data ?? ""}${value}\n`;
        break;
      case "event":
        type = value;
        break;
      case "id":
        if (!value.includes("\0")) id = value;
        break;
      case "retry":
        if (/^[0-9]+$/.test(value)) told.retry.push(Number.parseInt(value, 10));
    }
  }
  return told;
}
