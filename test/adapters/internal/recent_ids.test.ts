import { describe, expect, test } from "vitest";
import {
  RecentIds,
  rememberId,
  shortId,
} from "../../../adapters/internal/recent_ids.ts";

/** How long all ids may be together. */
const MOST_CHARS = 4_194_304;

describe("RecentIds", () => {
  test("the oldest are forgotten when there are too many", () => {
    const ids = new RecentIds(2, ["a", "b"]);
    ids.add("a");
    expect(ids.list()).toEqual(["a", "b"]);
    ids.add("c");
    expect(ids.list()).toEqual(["b", "c"]);
    expect([ids.has("a"), ids.has("b"), ids.has("c")])
      .toEqual([false, true, true]);
    expect(new RecentIds(2, ["a", "b", "c", "d"]).list()).toEqual(["c", "d"]);
  });

  test("and when they are too long together", () => {
    const half = "x".repeat(MOST_CHARS / 2);
    const ids = new RecentIds(10, [`${half}`, `${half.slice(1)}y`]);
    expect(ids.list()).toHaveLength(2);
    ids.add("z");
    expect(ids.list()).toEqual([`${half.slice(1)}y`, "z"]);
    // What has been forgotten counts no more.
    ids.add(half.slice(2));
    expect(ids.list()).toHaveLength(3);
    ids.add("w".repeat(MOST_CHARS + 1));
    expect(ids.list()).toEqual([]);
    ids.add("a");
    expect(ids.list()).toEqual(["a"]);
  });
});

describe("rememberId", () => {
  test("once, the oldest first to go", () => {
    const ids: string[] = [];
    for (const id of ["a", "", "b", "a", "c"]) rememberId(ids, id, 2);
    expect(ids).toEqual(["b", "c"]);
    const long = "x".repeat(MOST_CHARS - 2);
    rememberId(ids, long, 10);
    expect(ids).toEqual(["b", "c", long]);
    rememberId(ids, "d", 10);
    expect(ids).toEqual(["c", long, "d"]);
  });
});

test("shortId", () => {
  const long = "x".repeat(4096);
  expect(shortId(long)).toBe(long);
  expect(shortId(`${long}y`)).toBe(long);
});
