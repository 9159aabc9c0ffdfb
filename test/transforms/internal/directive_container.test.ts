import { describe, expect, test } from "vitest";
import {
  closeLevel,
  type ContainerNames,
  endContainer,
  isContainerName,
  readContainerOpening,
  startContainer,
  stepContainer,
} from "../../../transforms/internal/directive_container.ts";

const outside: ContainerNames = {
  openers: ["note"],
  closer: 0,
  fold: false,
};
const inside: ContainerNames = { openers: null, closer: 3, fold: false };

/** How far a line is read, and what its end is when it stops there. */
function read(text: string, names: ContainerNames): string {
  const line = startContainer();
  for (let index = 0; index < text.length; index++) {
    const phase = stepContainer(line, text.charCodeAt(index), names);
    if (phase === "done" || phase === "dead") return `${phase} ${index + 1}`;
  }
  return endContainer(line, names);
}

describe("a container line", () => {
  test("opens with its line end", () => {
    for (
      const text of [
        ":::note\n",
        "   ::::note  \t\n",
        ":::note[a [b] \\] c]\n",
        ":::note{}\n",
        ":::note{#a .b.c d e=f g='}' h=\"'\" }\n",
        ":::note[x]{y} \n",
      ]
    ) {
      expect(read(text, outside), text).toBe(`done ${text.length}`);
      expect(read(text.slice(0, -1), outside), text).toBe("done");
      expect(read(`${text.slice(0, -1)}\r`, outside), text).toBe("done");
    }
  });

  test("closes only inside, with enough colons and nothing behind", () => {
    expect(read(":::\n", inside)).toBe("done 4");
    expect(read("  :::::  \n", inside)).toBe("done 10");
    expect(read(":::", inside)).toBe("done");
    expect(read(":::\n", { ...inside, closer: 4 })).toBe("dead 4");
    expect(read(":::\n", outside)).toBe("dead 4");
    expect(read("::: x\n", inside)).toBe("dead 5");
    expect(read("::", inside)).toBe("dead");
  });

  test("is dead at the first impossible character", () => {
    for (
      const text of [
        "    ",
        "x",
        "::n",
        "::: ",
        ":::x",
        ":::nx",
        ":::notes",
        ":::no[",
        ":::note x",
        ":::note {",
        ":::note]",
        ":::note[a\n",
        ":::note[a]b",
        ":::note{\n",
        ":::note{=",
        ":::note{a=\n",
        ":::note{a=}",
        ":::note{a='\n",
        ":::note{a='b'c",
        ":::note{a=b=",
        ":::note{a}b",
      ]
    ) expect(read(text, outside), text).toBe(`dead ${text.length}`);
  });

  test("what stands in it", () => {
    expect(readContainerOpening(":::note\n")).toEqual({
      label: undefined,
      attributes: {},
    });
    expect(
      readContainerOpening(
        "  :::note[a [b] \\] c]{#x .y.z k=v k=w q='1 }' class=c __proto__=p}\n",
      ),
    ).toEqual({
      label: "a [b] \\] c",
      attributes: Object.fromEntries([
        ["id", "x"],
        ["k", "w"],
        ["q", "1 }"],
        ["__proto__", "p"],
        ["class", "y z c"],
      ]),
    });
  });

  test("which level a closer ends", () => {
    expect(closeLevel([3], 3)).toBe(0);
    expect(closeLevel([3], 5)).toBe(0);
    expect(closeLevel([3, 3], 3)).toBe(1);
    expect(closeLevel([4, 3], 4)).toBe(0);
    expect(closeLevel([4, 3], 3)).toBe(1);
    expect(closeLevel([3, 4], 3)).toBe(0);
    expect(closeLevel([4, 3], 5)).toBe(1);
  });

  test("names", () => {
    for (const name of ["note", "a-b_1", "é"]) {
      expect(isContainerName(name), name).toBe(true);
    }
    for (const name of ["", "a.b", "a:b", "a b", "a{"]) {
      expect(isContainerName(name), name).toBe(false);
    }
  });
});
