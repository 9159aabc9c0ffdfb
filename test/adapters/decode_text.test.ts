import { describe, expect, test } from "vitest";
import {
  decodeText,
  type DecodeTextOptions,
} from "../../adapters/decode_text.ts";
import { StreamError } from "../../adapters/stream_error.ts";
import { pipeline, type WarningPart } from "../../mod.ts";
import { pieces } from "../support/cases/wire_case.ts";
import { drained, outputs, outputsResumed, piped } from "../support/wire.ts";

const encoder = new TextEncoder();

function text(
  chunks: (string | Uint8Array)[],
  options: DecodeTextOptions = {},
): string {
  const { output, error } = outputs(decodeText(options).stage, chunks);
  if (error !== undefined) throw error;
  return output.join("");
}

describe("decodeText", () => {
  test("puts characters together that were cut anywhere", () => {
    const bytes = encoder.encode("prix 12 € 猫 😀\n");
    expect(text(pieces(bytes, 1))).toBe("prix 12 € 猫 😀\n");
    for (let at = 0; at <= bytes.length; at++) {
      expect(text([bytes.subarray(0, at), bytes.subarray(at)])).toBe(
        "prix 12 € 猫 😀\n",
      );
    }
  });

  test("lets strings pass, also between bytes", () => {
    expect(text(["a", encoder.encode("é"), "b"])).toBe("aéb");
    // Bytes that wait for the rest are over when a string comes.
    expect(text([Uint8Array.of(0xe2, 0x82), "b"])).toBe("\ufffdb");
  });

  test("takes a byte order mark off, once, unless it is to stay", () => {
    const bytes = encoder.encode("\ufeff\ufeffa");
    expect(text(pieces(bytes, 1))).toBe("\ufeffa");
    expect(text(["\ufeff", "a"])).toBe("a");
    expect(text(pieces(bytes, 1), { ignoreBOM: true })).toBe("\ufeff\ufeffa");
    expect(text(["", "a\ufeff"])).toBe("a\ufeff");
  });

  test("tells of malformed bytes: of the first, and how many", () => {
    const warnings: WarningPart[] = [];
    const onWarning = (warning: WarningPart): void => {
      warnings.push(warning);
    };
    expect(text([Uint8Array.of(0x61, 0xff, 0xfe)], { onWarning })).toBe(
      "a\ufffd\ufffd",
    );
    expect(warnings.map(({ code }) => code)).toEqual([
      "invalid-utf8",
      "invalid-utf8",
    ]);
    expect(warnings[0]!.message).toContain("offset 1 ");
    expect(warnings[1]!.message).toContain("2 malformed");
  });

  test("fails on malformed bytes when they are fatal, behind the text before them", async () => {
    const bytes = Uint8Array.of(0x61, 0x62, 0xff, 0x63);
    for (const chunks of [[bytes], pieces(bytes, 1)]) {
      const { output, error } = await piped(
        chunks,
        decodeText({ fatal: true }),
      );
      expect(output.join("")).toBe("ab");
      expect(error).toBeInstanceOf(StreamError);
      expect((error as StreamError).code).toBe("invalid-utf8");
      expect((error as StreamError).offset).toBe(2);
    }
  });

  test("fails on a sequence that the end cuts", () => {
    const { output, error } = outputs(decodeText({ fatal: true }).stage, [
      Uint8Array.of(0x61, 0xe2, 0x82),
    ]);
    expect(output.join("")).toBe("a");
    expect((error as StreamError).code).toBe("invalid-utf8");
  });

  test("fails on a chunk that is neither text nor bytes", async () => {
    const { output, error } = await piped(
      ["a", 5 as unknown as string, "b"],
      decodeText(),
    );
    expect(output).toEqual(["a"]);
    expect((error as StreamError).code).toBe("invalid-chunk");
  });

  test("takes all kinds of buffers", () => {
    const { buffer } = Uint8Array.of(0x61, 0x62);
    expect(text([buffer as unknown as Uint8Array])).toBe("ab");
    expect(text([new DataView(buffer, 1) as unknown as Uint8Array])).toBe("b");
  });

  test("goes on from a snapshot between any two chunks, failed or not", () => {
    const bytes = Uint8Array.of(
      0xef,
      0xbb,
      0xbf,
      0x61,
      0xf0,
      0x9f,
      0x98,
      0x80,
      0xff,
      0x62,
    );
    for (const fatal of [false, true]) {
      const make = (snapshot?: unknown) =>
        decodeText({ fatal, snapshot }).stage;
      const resumed = outputsResumed(make, pieces(bytes, 1));
      const straight = outputs(make(), [bytes]);
      expect(resumed.output.join("")).toBe(straight.output.join(""));
      expect(String(resumed.error)).toBe(String(straight.error));
    }
  });

  test("works in a pipeline", async () => {
    const readable = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces(encoder.encode("a€"), 1)) {
          controller.enqueue(piece);
        }
        controller.close();
      },
    });
    const stream = pipeline(decodeText(), decodeText());
    const { output } = await drained(readable.pipeThrough(stream));
    expect(output.join("")).toBe("a€");
  });

  test("refuses a foreign snapshot", () => {
    expect(() => decodeText({ snapshot: {} })).toThrow(TypeError);
  });
});
